import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { ReplicaOptions } from './replicaApi.js';
import { hostForThreads, hostReplica } from './replica/host.js';
import { flattenError } from './replica/port.js';
import type { FlatError } from './replica/port.js';
import { useGate } from './sqlite/gate.js';

/** The consensus thread. Batches are bare ArrayBuffers, the start's outcome is an object. */

export interface ThreadData {
  readonly options: ReplicaOptions;
  readonly session: string;
  readonly takenBytes: SharedArrayBuffer;
  /** See `replica/soleMember.ts`. */
  readonly soleMember: SharedArrayBuffer;
  /** See `replica/continuations.ts`. */
  readonly continuations: SharedArrayBuffer;
  readonly shared: SharedAccess | null;
}

export interface SharedAccess {
  readonly others: readonly { readonly port: MessagePort; readonly takenBytes: SharedArrayBuffer }[];
  /** A number: see `Clients`. */
  readonly published: SharedArrayBuffer;
}

export type ThreadStarted = { readonly outcome: 'started' } | { readonly outcome: 'failed'; readonly error: FlatError };

const owner = parentPort;
if (owner === null) throw new Error('raft/thread.ts runs as a worker thread only');
useGate(workerData as SharedArrayBuffer);
// The thread starts while the options are still being read.
owner.once('message', (data: ThreadData) => begin(owner, data));

type Receive = (batch: ArrayBuffer) => void;

function begin(port: MessagePort, data: ThreadData): void {
  const report = (started: ThreadStarted): void => port.postMessage(started);
  const host = data.shared === null ? hostForOne(port, data) : hostForAll(port, data, data.shared);
  host.then(
    (receivers) => {
      for (const each of receivers) each.port.on('message', each.receive);
      report({ outcome: 'started' });
    },
    (error: unknown) => {
      report({ outcome: 'failed', error: flattenError(error) });
      port.close();
    },
  );
}

async function hostForOne(
  port: MessagePort,
  { options, session, takenBytes, soleMember, continuations }: ThreadData,
): Promise<readonly { readonly port: MessagePort; readonly receive: Receive }[]> {
  const { receive } = await hostReplica({
    options,
    session,
    takenBytes: new BigInt64Array(takenBytes),
    soleMember,
    continuations,
    post: (batch) => port.postMessage(batch, [batch]),
    stopped: () => port.close(),
  });
  return [{ port, receive }];
}

async function hostForAll(
  own: MessagePort,
  { options, session, takenBytes, soleMember, continuations }: ThreadData,
  { others, published }: SharedAccess,
): Promise<readonly { readonly port: MessagePort; readonly receive: Receive }[]> {
  const all = [{ port: own, takenBytes }, ...others];
  const { receive, leave } = await hostForThreads({
    options,
    session,
    soleMember,
    continuations,
    published: new BigInt64Array(published),
    ports: all.map(({ port, takenBytes: taken }) => ({
      takenBytes: new BigInt64Array(taken),
      post: (batch) => port.postMessage(batch, batch instanceof ArrayBuffer ? [batch] : []),
    })),
    stopped: () => {
      for (const { port } of all) port.close();
    },
  });
  for (const [index, { port }] of others.entries()) port.once('close', () => leave(index + 1));
  return all.map(({ port }, thread) => ({ port, receive: (batch: ArrayBuffer) => receive(thread, batch) }));
}
