import type { ReplicaOptions } from '../replicaApi.js';
import type { OpenOptions, ReadDisk } from '../replica.js';
import { Clients, type ClientPort } from './clients.js';
import { Continuations } from './continuations.js';
import type { ReplicaLimits } from './limits.js';
import { readRequests } from './port.js';
import { createPortSink } from './portSink.js';
import { ReopeningReplica } from './reopening.js';
import { SoleMember } from './soleMember.js';

export interface ReplicaHost {
  receive(batch: ArrayBuffer): void;
}

export interface HostOptions {
  readonly options: ReplicaOptions;
  readonly session: string;
  readonly takenBytes: BigInt64Array;
  readonly soleMember: SharedArrayBuffer;
  readonly continuations: SharedArrayBuffer;
  readonly limits?: ReplicaLimits;
  readonly disk?: ReadDisk | undefined;
  readonly post: (batch: ArrayBuffer) => void;
  readonly stopped: () => void;
}

/** Opens a replica that exchanges batches of requests and answers. Rejects if it cannot start. */
export async function hostReplica({
  options,
  session,
  takenBytes,
  soleMember,
  continuations,
  limits,
  disk,
  post,
  stopped,
}: HostOptions): Promise<ReplicaHost> {
  const sink = createPortSink(post, takenBytes, stopped);
  const replica = await ReopeningReplica.open({ options, session, sink, ...wordsOf({ soleMember, continuations }), limits, disk, stopped });
  return { receive: (batch) => readRequests(batch, replica) };
}

export interface SharedHost {
  receive(thread: number, batch: ArrayBuffer): void;
  leave(thread: number): void;
}

export interface SharedHostOptions extends Omit<HostOptions, 'takenBytes' | 'post'> {
  readonly ports: readonly ClientPort[];
  readonly published: BigInt64Array;
}

/** Serves several threads of the process: see `clients.ts`. */
export async function hostForThreads({
  options,
  session,
  ports,
  published,
  soleMember,
  continuations,
  limits,
  disk,
  stopped,
}: SharedHostOptions): Promise<SharedHost> {
  const clients = new Clients(ports, published, stopped);
  const words = wordsOf({ soleMember, continuations });
  const replica = await ReopeningReplica.open({ options, session, sink: clients, ...words, limits, disk, stopped });
  return {
    receive: (thread, batch) => clients.receive(thread, batch, replica),
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
