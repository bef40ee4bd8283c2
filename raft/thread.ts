import { parentPort, workerData } from 'node:worker_threads';
import type { ReplicaOptions } from './replica-api.js';
import { hostReplica } from './replica/host.js';
import { flattenError } from './replica/port.js';
import type { FlatError } from './replica/port.js';

/** Entry of the consensus thread; started by client.ts. Batches travel as bare ArrayBuffers, the start's outcome as an object. */

export interface ThreadData {
  readonly options: ReplicaOptions;
  readonly session: string;
  /** One counter: bytes of answers that the other side has taken. */
  readonly takenBytes: SharedArrayBuffer;
}

export type ThreadStarted = { readonly outcome: 'started' } | { readonly outcome: 'failed'; readonly error: FlatError };

const port = parentPort;
if (port === null) throw new Error('raft/thread.ts runs as a worker thread only');
const { options, session, takenBytes } = workerData as ThreadData;
const report = (started: ThreadStarted): void => port.postMessage(started);

hostReplica({
  options,
  session,
  takenBytes: new BigInt64Array(takenBytes),
  post: (batch) => port.postMessage(batch, [batch]),
  stopped: () => port.close(),
}).then(
  (host) => {
    port.on('message', (batch: ArrayBuffer) => host.receive(batch));
    report({ outcome: 'started' });
  },
  (error: unknown) => {
    report({ outcome: 'failed', error: flattenError(error) });
    port.close();
  },
);
