import { limited, type Finding } from './finding.js';
import type { AcknowledgedWrite } from './history.js';

/** One change from a watch. `halves` are two parts of the object that are always written together. */
export interface ShownChange {
  readonly type: string;
  readonly key: string;
  readonly version: number;
  readonly halves: readonly [string, string];
}

/** The events of one client that watches from a list or the beginning and resumes ended watches. After a 410 a new history begins. */
export interface WatchHistory {
  readonly watcher: string;
  /** Events after this version are expected, older ones are not. */
  readonly from: number;
  readonly changes: readonly ShownChange[];
  /** Each bookmark's version and the number of changes before it. */
  readonly bookmarks: readonly { readonly version: number; readonly after: number }[];
  /** Unexpected expiry answers. */
  readonly expired: readonly string[];
}

/** The newest version up to which it is complete. */
export const shownTo = ({ from, changes, bookmarks }: WatchHistory): number =>
  Math.max(from, changes.at(-1)?.version ?? 0, bookmarks.at(-1)?.version ?? 0);

/** Checks the six promises of a watch for all watchers, with the acknowledged writes. */
export function checkWatches(watches: readonly WatchHistory[], acknowledged: readonly AcknowledgedWrite[]): readonly Finding[] {
  const history = storeHistory(watches, acknowledged);
  return watches.flatMap((watch) =>
    Object.entries(checks).flatMap(([name, check]) =>
      limited(check(watch, history).map((details) => ({ promise: `watch is ${name}`, details: `${watch.watcher}: ${details}` }))),
    ),
  );
}

/** Version -> changed key, from all watches and acknowledged writes. */
function storeHistory(watches: readonly WatchHistory[], acknowledged: readonly AcknowledgedWrite[]): ReadonlyMap<number, string> {
  const history = new Map<number, string>();
  for (const { version, key } of acknowledged) history.set(version, key);
  for (const { changes } of watches) for (const { version, key } of changes) history.set(version, key);
  return history;
}

/** All watched changes in order, without duplicates. */
export function allChanges(watches: readonly WatchHistory[]): readonly ShownChange[] {
  return [...new Map(watches.flatMap(({ changes }) => changes).map((change) => [change.version, change])).values()].sort(
    (a, b) => a.version - b.version,
  );
}

/** Spans of versions between `from` and `to` that no watch covers. */
export function uncovered(
  watches: readonly WatchHistory[],
  from: number,
  to: number,
): readonly { readonly after: number; readonly upTo: number }[] {
  const spans: { after: number; upTo: number }[] = [];
  let known = from;
  for (const watch of [...watches].sort((a, b) => a.from - b.from)) {
    if (watch.from > known) spans.push({ after: known, upTo: watch.from });
    known = Math.max(known, shownTo(watch));
  }
  if (known < to) spans.push({ after: known, upTo: to });
  return spans.filter(({ after }) => after < to);
}

const checks: Readonly<Record<string, (watch: WatchHistory, history: ReadonlyMap<number, string>) => string[]>> = {
  ordered: ({ from, changes }) =>
    changes.flatMap(({ version }, index) => {
      const before = changes[index - 1]?.version;
      return version < (before ?? from + 1) ? [`${version} after ${before ?? `the list at ${from}`}`] : [];
    }),
  unique: ({ changes }) => {
    const seen = new Set<number>();
    return changes.flatMap(({ version, key }) => (seen.size === seen.add(version).size ? [`${key}@${version} came twice`] : []));
  },
  atomic: ({ changes }) =>
    changes.flatMap(({ key, version, halves: [left, right] }) =>
      left === right ? [] : [`${key}@${version} has halves ${left} and ${right}`],
    ),
  reliable: (watch, history) => {
    const { from, changes } = watch;
    const shown = new Map(changes.map(({ version, key }) => [version, key]));
    const to = shownTo(watch);
    return [...history].flatMap(([version, key]) =>
      version <= from || version > to || shown.get(version) === key ? [] : [`${key}@${version} was not shown`],
    );
  },
  resumable: ({ expired }) => [...expired],
  bookmarkable: ({ changes, bookmarks }) =>
    bookmarks.flatMap(({ version, after }) => {
      const late = changes.slice(after).find((change) => change.version <= version);
      return late === undefined ? [] : [`${late.key}@${late.version} came after the bookmark ${version}`];
    }),
};
