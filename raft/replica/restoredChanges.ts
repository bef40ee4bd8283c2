import type { Change, KeyValue, StateMachine } from '../store/contract.js';
import { revision } from '../types.js';
import type { Revision } from '../types.js';
import { ReplicaError } from './errors.js';

const pageKeys = 1_000;

/**
 * The changes that a replica missed while a snapshot replaced its store, which was at revision `after`: listeners are promised every change.
 * They are read back from the restored store's history. When that was compacted beyond `after`, only a listener that had seen nothing at all can
 * still be told the truth, by the newest state of every key; the others must start anew.
 */
export function* restoredChanges(store: StateMachine, after: Revision, bytesMax: number): Generator<readonly Change[]> {
  if (after === 0 && store.compactedRevision > 0) {
    yield* newestState(store);
    return;
  }
  for (let from = after; from < store.revision; ) {
    const result = store.changesSince(from, bytesMax);
    if (result.outcome === 'compacted') {
      throw new ReplicaError('TOO_FAR_BEHIND', `this replica was at revision ${after} when it received a snapshot, but history was compacted up to ${result.compacted}: its readers missed changes; start it again`);
    }
    yield result.changes;
    from = result.through;
  }
}

/** Every key's last change in the order of revisions. Keeps keys in memory, not values. */
function* newestState(store: StateMachine): Generator<readonly Change[]> {
  const keys: { readonly key: string; readonly at: Revision }[] = [];
  for (let start: string | null = ''; start !== null; ) {
    const page: readonly KeyValue[] = found(store.range({ start, end: null, revision: null, limit: pageKeys }));
    for (const { key, modRevision } of page) keys.push({ key, at: modRevision });
    start = page.length < pageKeys ? null : `${page[page.length - 1]?.key ?? ''}\0`;
  }
  keys.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  for (let at = 0; at < keys.length; at += pageKeys) {
    yield keys.slice(at, at + pageKeys).flatMap(({ key }) => found(store.get(key, null)).map(asChange));
  }
}

function found(result: ReturnType<StateMachine['range']>): readonly KeyValue[] {
  if (result.outcome !== 'found') throw new Error(`the newest revision cannot be read: ${result.outcome}`);
  return result.items;
}

function asChange({ key, value, modRevision, createRevision }: KeyValue): Change {
  return { key, value, revision: revision(modRevision), createRevision };
}
