import type { StateMachine } from '../store/contract.js';
import type { Revision } from '../types.js';
import type { ReplicaSink } from './sink.js';

/** Delivers the changes that a snapshot brought after `after`, from the restored history; reports a gap if that is compacted further. */
export function tellMissed(
  store: StateMachine,
  after: Revision,
  bytesMax: number,
  sink: Pick<ReplicaSink, 'changes' | 'gap' | 'log'>,
): void {
  const { compactedRevision } = store;
  for (let from = after; from < store.revision;) {
    const result = store.changesSince(from, bytesMax);
    if (result.outcome === 'compacted') {
      sink.log('info', 'history was compacted while this replica was away: its state is read anew, and watches that need it end', {
        revision: after,
        compacted: compactedRevision,
      });
      return sink.gap(store.revision, { compacted: compactedRevision });
    }
    sink.changes(result.changes, result.through, { compacted: compactedRevision });
    from = result.through;
  }
}
