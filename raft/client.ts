import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Replica, ReplicaAdministration, ReplicaOptions } from './replica-api.js';
import { PortReplica } from './replica/portReplica.js';
import { ReplicaError } from './replica/errors.js';
import { restoreError } from './replica/port.js';
import type { LogLine } from './replica/port.js';
import type { ThreadData, ThreadStarted } from './thread.js';

export type { LogLine } from './replica/port.js';

export interface ClientOptions {
  /** Takes the replica's log lines; none are written otherwise. */
  readonly log?: (line: LogLine) => void;
}

/** What this thread makes it soon drops; three times as much, the default, is only memory that is never given back. */
const youngGenerationMb = 16;

/**
 * Starts a replica in a thread of its own. Resolves once it has opened its data and listens for peers, which does not mean that the cluster has a
 * leader: `barrier` tells. Rejects with the reason (`code` of a StorageError or ReplicaError) when it cannot start.
 */
export async function startReplica(options: ReplicaOptions, { log }: ClientOptions = {}): Promise<Replica & ReplicaAdministration> {
  const session = randomBytes(8).toString('hex');
  const takenBytes = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const workerData: ThreadData = { options, session, takenBytes };
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    name: 'raft',
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const replica = new PortReplica({
    session,
    takenBytes: new BigInt64Array(takenBytes),
    post: (batch) => worker.postMessage(batch, [batch]),
    ended: exited,
    log: log ?? (() => undefined),
  });
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: ArrayBuffer | ThreadStarted) => {
      if (message instanceof ArrayBuffer) replica.receive(message);
      else if (message.outcome === 'started') resolve();
      else reject(restoreError(message.error));
    });
    worker.on('error', (cause) => {
      const error = new ReplicaError(
        'THREAD_ENDED',
        `the consensus thread crashed: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause,
      );
      replica.failed(error);
      reject(error);
    });
    worker.on('exit', (code) => {
      const error = new ReplicaError('THREAD_ENDED', `the consensus thread ended with code ${code}`);
      replica.failed(error);
      reject(error);
    });
  });
  return replica;
}
