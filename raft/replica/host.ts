import type { ReplicaOptions } from '../replica-api.js';
import { openReplica, type OpenOptions } from '../replica.js';
import type { Engine } from './engine.js';
import { Clients, type ClientPort } from './clients.js';
import { Continuations } from './continuations.js';
import type { ReplicaLimits } from './limits.js';
import { readRequests, type RequestReceiver } from './port.js';
import { createPortSink } from './portSink.js';
import type { ReplicaSink } from './sink.js';
import { SoleMember } from './soleMember.js';

/** The far end of a client: takes batches of requests, until `stopped`. */
export interface ReplicaHost {
  receive(batch: ArrayBuffer): void;
}

export interface HostOptions {
  readonly options: ReplicaOptions;
  readonly session: string;
  readonly takenBytes: BigInt64Array;
  /** Shared with the client: see `soleMember.ts`. */
  readonly soleMember: SharedArrayBuffer;
  /** Shared with the process: see `continuations.ts`. */
  readonly continuations: SharedArrayBuffer;
  readonly limits?: ReplicaLimits;
  readonly post: (batch: ArrayBuffer) => void;
  /** The replica has ended, on request or by a failure, and has said so. */
  readonly stopped: () => void;
}

/** Opens a replica whose requests and answers travel as batches. Rejects when it cannot start. */
export async function hostReplica({
  options,
  session,
  takenBytes,
  soleMember,
  continuations,
  limits,
  post,
  stopped,
}: HostOptions): Promise<ReplicaHost> {
  const sink = createPortSink(post, takenBytes, stopped);
  const engine = await openReplica({ options, session, sink, ...wordsOf({ soleMember, continuations }), limits });
  const receiver = receiverOf(engine, sink, stopped);
  return { receive: (batch) => readRequests(batch, receiver) };
}

/** The far end of several clients. */
export interface SharedHost {
  /** Takes a batch of one of the threads. */
  receive(thread: number, batch: ArrayBuffer): void;
  /** A thread has gone. */
  leave(thread: number): void;
}

export interface SharedHostOptions extends Omit<HostOptions, 'takenBytes' | 'post'> {
  /** The first one owns the replica. */
  readonly ports: readonly ClientPort[];
  readonly published: BigInt64Array;
}

/** The same for several threads of the process: see `clients.ts`. */
export async function hostForThreads({
  options,
  session,
  ports,
  published,
  soleMember,
  continuations,
  limits,
  stopped,
}: SharedHostOptions): Promise<SharedHost> {
  const clients = new Clients(ports, published, stopped);
  const engine = await openReplica({ options, session, sink: clients, ...wordsOf({ soleMember, continuations }), limits });
  const receiver = receiverOf(engine, clients, stopped);
  return {
    receive: (thread, batch) => clients.receive(thread, batch, receiver),
    leave: (thread) => clients.leave(thread),
  };
}

const wordsOf = ({
  soleMember,
  continuations,
}: Pick<HostOptions, 'soleMember' | 'continuations'>): Pick<OpenOptions, 'soleMember' | 'continuations'> => ({
  soleMember: new SoleMember(soleMember),
  continuations: new Continuations(continuations),
});

function receiverOf(engine: Engine, sink: ReplicaSink, stopped: () => void): RequestReceiver {
  return {
    propose: engine.propose.bind(engine),
    barrier: engine.barrier.bind(engine),
    range: engine.range.bind(engine),
    changesSince: engine.changesSince.bind(engine),
    status: engine.status.bind(engine),
    transferLeadership: engine.transferLeadership.bind(engine),
    changeMembership: engine.changeMembership.bind(engine),
    snapshot: engine.snapshot.bind(engine),
    stop: (id) => {
      void engine.stop().then(() => {
        sink.done(id);
        sink.flush();
        stopped();
      });
    },
  };
}
