/** A process to be killed: `applier.js STORE` applies batches, settles, compacts and checkpoints forever, and prints its settled index. */
import { sayNow } from '../../../fixtures/sayNow.js';
import { apply, compact, open, put, transaction } from './commands.js';

const [path = ''] = process.argv.slice(2);
const store = open(path);
let settled = store.appliedIndex;
// Each transaction writes its revision to two keys, to reveal partial ones.
for (;;) {
  const next = store.revision + 1;
  apply(
    store,
    ...[0, 1, 2].map((place) =>
      transaction([put(`left-${(next + place) % 50}`, `${next + place}`), put(`right-${(next + place) % 50}`, `${next + place}`)]),
    ),
  );
  if (next % 30 === 1) apply(store, compact(Math.max(1, store.revision - 60)));
  const checkpointed = next % 100 < 3 ? store.checkpoint() : 0;
  if (next % 4 === 0) store.settle();
  if (next % 4 === 0 || checkpointed > 0) settled = store.appliedIndex;
  sayNow(`${settled} ${checkpointed}`);
}
