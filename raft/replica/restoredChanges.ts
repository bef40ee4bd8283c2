import type { Change, KeyValue, StateMachine } from '../store/contract.js';
import { revision } from '../types.js';
import type { Revision } from '../types.js';
import { ReplicaError } from './errors.js';

const pageKeys = 1_000;

/** Changes, and the revision up to which they and those before are complete. */
export interface RestoredChanges { readonly changes: readonly Change[]; readonly through: Revision }

/**
 * The changes that a replica missed while a snapshot replaced its store, which was at revision `after`: listeners are promised every change.
 * They are read back from the restored store's history. When that was compacted beyond `after`, only a listener that had seen nothing at all can
 * still be told the truth, by the state at the compaction and every change since; the others must start anew.
 */
export function* restoredChanges(store: StateMachine, after: Revision, bytesMax: number): Generator<RestoredChanges> {
  const sawNothing = after === 0 && store.compactedRevision > 0;
  if (sawNothing) yield* stateAt(store, store.compactedRevision);
  for (let from = sawNothing ? store.compactedRevision : after; from < store.revision; ) {
    const result = store.changesSince(from, bytesMax);
    if (result.outcome === 'compacted') {
      throw new ReplicaError('TOO_FAR_BEHIND', `this replica was at revision ${after} when it received a snapshot, but history was compacted up to ${result.compacted}: its readers missed changes; start it again`);
    }
    yield { changes: result.changes, through: result.through };
    from = result.through;
  }
}

/** Every key's last change up to `at`, in the order of revisions. Keeps keys in memory, not values. */
function* stateAt(store: StateMachine, at: Revision): Generator<RestoredChanges> {
  const keys: { readonly key: string; readonly changed: Revision }[] = [];
  for (let start: string | null = ''; start !== null; ) {
    const page: readonly KeyValue[] = found(store.range({ start, end: null, revision: at, limit: pageKeys }));
    for (const { key, modRevision } of page) keys.push({ key, changed: modRevision });
    start = page.length < pageKeys ? null : `${page[page.length - 1]?.key ?? ''}\0`;
  }
  keys.sort((a, b) => a.changed - b.changed || (a.key < b.key ? -1 : 1));
  for (let first = 0, next = 0; first < keys.length; first = next) {
    next = first + pageKeys;
    // All keys of one revision go together: of one that a listener knows, it takes no more.
    while (next < keys.length && keys[next]?.changed === keys[next - 1]?.changed) next += 1;
    const page = keys.slice(first, next);
    yield { changes: page.flatMap(({ key }) => found(store.get(key, at)).map(asChange)), through: page.at(-1)?.changed ?? at };
  }
  yield { changes: [], through: at };
}

function found(result: ReturnType<StateMachine['range']>): readonly KeyValue[] {
  if (result.outcome !== 'found') throw new Error(`the revision of the last compaction cannot be read: ${result.outcome}`);
  return result.items;
}

function asChange({ key, value, modRevision, createRevision }: KeyValue): Change {
  return { key, value, revision: revision(modRevision), createRevision };
}
