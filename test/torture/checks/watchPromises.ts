import { limited, type Finding } from './finding.js';
import type { AcknowledgedWrite } from './history.js';

/** One change as a watch showed it. `halves` are two parts of the object that are always written together. */
export interface ShownChange {
  readonly type: string;
  readonly key: string;
  readonly version: number;
  readonly halves: readonly [string, string];
}

/** What one client saw that watched for the whole run, going on from the last version it was shown whenever a watch ended. */
export interface WatchHistory {
  readonly watcher: string;
  /** It was told everything after this version. */
  readonly from: number;
  readonly changes: readonly ShownChange[];
  /** For each bookmark its version, and how many changes had come before. */
  readonly bookmarks: readonly { readonly version: number; readonly after: number }[];
  /** Answers that sent it back to a list. */
  readonly expired: readonly string[];
}

/** The six promises of a watch, over all watchers of a run together with what writers were told. */
export function checkWatches(watches: readonly WatchHistory[], acknowledged: readonly AcknowledgedWrite[]): readonly Finding[] {
  const history = storeHistory(watches, acknowledged);
  return watches.flatMap((watch) => Object.entries(checks).flatMap(([name, check]) =>
    limited(check(watch, history).map((details) => ({ promise: `watch is ${name}`, details: `${watch.watcher}: ${details}` })))));
}

/** Version -> the key that was changed: all that anybody knows of what the store went through. */
export function storeHistory(watches: readonly WatchHistory[], acknowledged: readonly AcknowledgedWrite[]): ReadonlyMap<number, string> {
  const history = new Map<number, string>();
  for (const { version, key } of acknowledged) history.set(version, key);
  for (const { changes } of watches) for (const { version, key } of changes) history.set(version, key);
  return history;
}

const checks: Readonly<Record<string, (watch: WatchHistory, history: ReadonlyMap<number, string>) => string[]>> = {
  ordered: ({ changes }) => changes.flatMap(({ version }, index) => version < (changes[index - 1]?.version ?? 0) ? [`${version} after ${changes[index - 1]!.version}`] : []),
  unique: ({ changes }) => {
    const seen = new Set<number>();
    return changes.flatMap(({ version, key }) => seen.size === seen.add(version).size ? [`${key}@${version} came twice`] : []);
  },
  atomic: ({ changes }) => changes.flatMap(({ key, version, halves: [left, right] }) => left === right ? [] : [`${key}@${version} has halves ${left} and ${right}`]),
  reliable: ({ from, changes, bookmarks }, history) => {
    const shown = new Map(changes.map(({ version, key }) => [version, key]));
    const to = Math.max(from, changes.at(-1)?.version ?? 0, bookmarks.at(-1)?.version ?? 0);
    return [...history].flatMap(([version, key]) => version <= from || version > to || shown.get(version) === key ? [] : [`${key}@${version} was not shown`]);
  },
  resumable: ({ expired }) => [...expired],
  bookmarkable: ({ changes, bookmarks }) => bookmarks.flatMap(({ version, after }) => {
    const late = changes.slice(after).find((change) => change.version <= version);
    return late === undefined ? [] : [`${late.key}@${late.version} came after the bookmark ${version}`];
  }),
};
