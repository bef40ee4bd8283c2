import { randomBytes } from 'node:crypto';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { Replica, ReplicaAdministration, ReplicaOptions } from './replicaApi.js';
import { PortReplica } from './replica/portReplica.js';
import { ReplicaError } from './replica/errors.js';
import { restoreError } from './replica/port.js';
import { continuationsWord, countContinuations } from './replica/continuations.js';
import { soleMemberWord } from './replica/soleMember.js';
import type { LogLine } from './replica/port.js';
import type { SharedAccess, ThreadData, ThreadStarted } from './thread.js';
import { revision } from './types.js';
import type { Revision } from './types.js';
import { gateOfThread } from './sqlite/gate.js';
import { errorText } from './errorText.js';

export type { LogLine } from './replica/port.js';

export interface ClientOptions {
  readonly log?: (line: LogLine) => void;
  readonly thread?: ConsensusThread | undefined;
}

/** A thread that loads its code and waits for its first message. */
export type ConsensusThread = Worker;

/** Loading takes a tenth of a second: call it early. */
export function loadThread(): ConsensusThread {
  const { gate, ended } = gateOfThread();
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb };
  return new Worker(new URL('./thread.js', import.meta.url), { name: 'raft', workerData: gate, resourceLimits }).once('exit', ended);
}

/** The default is three times as much. */
const youngGenerationMb = 16;

/** Resolves once its data is open and it listens for peers, perhaps before there is a leader (see `barrier`). Rejects with a StorageError or ReplicaError. */
export async function startReplica(options: ReplicaOptions, client: ClientOptions = {}): Promise<Replica & ReplicaAdministration> {
  const { replica } = await start(options, null, client);
  return replica;
}

/** Send it once, with `port` in the transfer list. */
export interface ReplicaTicket {
  readonly session: string;
  readonly port: MessagePort;
  readonly takenBytes: SharedArrayBuffer;
  readonly published: SharedArrayBuffer;
  readonly soleMember: SharedArrayBuffer;
}

export interface SharedReplica {
  readonly replica: Replica & ReplicaAdministration;
  /** The newest revision that any thread may know. */
  readonly published: () => Revision;
}

/** The replica stops when this thread stops it. */
export async function startSharedReplica(
  options: ReplicaOptions,
  others: number,
  client: ClientOptions = {},
): Promise<SharedReplica & { readonly tickets: readonly ReplicaTicket[] }> {
  const published = counter();
  const channels = Array.from({ length: others }, () => ({ channel: new MessageChannel(), takenBytes: counter() }));
  const shared = { published, others: channels.map(({ channel, takenBytes }) => ({ port: channel.port2, takenBytes })) };
  const { replica, session, soleMember } = await start(options, shared, client);
  return {
    replica,
    published: readerOf(published),
    tickets: channels.map(({ channel, takenBytes }) => ({ session, port: channel.port1, takenBytes, published, soleMember })),
  };
}

/** `stop` ends only this thread's use. */
export function joinReplica({ session, port, takenBytes, published: word, soleMember }: ReplicaTicket): SharedReplica {
  const ended = new Promise<void>((resolve) => port.once('close', () => resolve()));
  const published = readerOf(word);
  const joined = new PortReplica({
    session,
    takenBytes: new BigInt64Array(takenBytes),
    soleMember,
    published,
    post: (batch) => port.postMessage(batch, [batch]),
    ended,
    log: () => undefined,
  });
  port.on('message', (batch: ArrayBufferLike) => joined.receive(batch));
  void ended.then(() => joined.failed(new ReplicaError('THREAD_ENDED', 'the consensus thread has closed its port')));
  const stop = joined.stop.bind(joined);
  const replica = Object.assign(joined, {
    stop: () => {
      const stopped = stop();
      port.close();
      return stopped;
    },
  });
  return { replica, published };
}

const counter = (): SharedArrayBuffer => new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);

function readerOf(published: SharedArrayBuffer): () => Revision {
  const view = new BigInt64Array(published);
  return () => revision(Number(Atomics.load(view, 0)));
}

async function start(
  options: ReplicaOptions,
  shared: SharedAccess | null,
  { log = () => undefined, thread: worker = loadThread() }: ClientOptions,
): Promise<{ readonly replica: PortReplica; readonly session: string; readonly soleMember: SharedArrayBuffer }> {
  const session = randomBytes(8).toString('hex');
  const takenBytes = counter();
  const soleMember = soleMemberWord();
  const continuations = continuationsWord();
  const data: ThreadData = { options, session, takenBytes, soleMember, continuations, shared };
  worker.postMessage(data, shared?.others.map(({ port }) => port) ?? []);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  void exited.then(countContinuations(continuations));
  const replica = new PortReplica({
    session,
    takenBytes: new BigInt64Array(takenBytes),
    soleMember,
    ...(shared === null ? {} : { published: readerOf(shared.published) }),
    post: (batch) => worker.postMessage(batch, [batch]),
    ended: exited,
    log,
  });
  await started(worker, replica);
  return { replica, session, soleMember };
}

function started(worker: ConsensusThread, replica: PortReplica): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ArrayBufferLike | ThreadStarted) => {
      if (!('outcome' in message)) replica.receive(message);
      else if (message.outcome === 'started') resolve();
      else reject(restoreError(message.error));
    });
    worker.on('error', (cause) => {
      const error = new ReplicaError('THREAD_ENDED', `the consensus thread crashed: ${errorText(cause)}`, cause);
      replica.failed(error);
      reject(error);
    });
    worker.on('exit', (code) => {
      const error = new ReplicaError('THREAD_ENDED', `the consensus thread ended with code ${code}`);
      replica.failed(error);
      reject(error);
    });
  });
}
