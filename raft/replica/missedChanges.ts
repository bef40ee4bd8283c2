import type { Change, StateMachine } from '../store/contract.js';
import type { Revision } from '../types.js';

/** Changes, and the revision up to which they and those before are complete. */
export interface MissedChanges { readonly changes: readonly Change[]; readonly through: Revision }

/**
 * The changes that a replica missed while a snapshot replaced its store, which was at revision `after`: they are read back from the restored
 * store's history, which must not have been compacted beyond `after`.
 */
export function* missedChanges(store: StateMachine, after: Revision, bytesMax: number): Generator<MissedChanges> {
  for (let from = after; from < store.revision; ) {
    const result = store.changesSince(from, bytesMax);
    if (result.outcome === 'compacted') throw new Error(`broken invariant: the changes after ${after} are to be read back, but history begins at ${result.compacted}`);
    yield result;
    from = result.through;
  }
}
