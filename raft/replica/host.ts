import type { ReplicaOptions } from '../replica-api.js';
import { openReplica } from '../replica.js';
import type { ReplicaLimits } from './limits.js';
import { readRequests } from './port.js';
import { createPortSink } from './portSink.js';

/** The far end of a client: takes batches of requests, until `stopped`. */
export interface ReplicaHost {
  receive(batch: ArrayBuffer): void;
}

export interface HostOptions {
  readonly options: ReplicaOptions;
  readonly session: string;
  readonly takenBytes: BigInt64Array;
  readonly limits?: ReplicaLimits;
  readonly post: (batch: ArrayBuffer) => void;
  /** The replica has ended, on request or by a failure, and has said so. */
  readonly stopped: () => void;
}

/** Opens a replica whose requests and answers travel as batches. Rejects when it cannot start. */
export async function hostReplica({ options, session, takenBytes, limits, post, stopped }: HostOptions): Promise<ReplicaHost> {
  const sink = createPortSink(post, takenBytes, stopped);
  const engine = await openReplica(options, session, sink, limits);
  const stop = (id: number): void => {
    void engine.stop().then(() => {
      sink.done(id);
      sink.flush();
      stopped();
    });
  };
  const receiver = {
    propose: engine.propose.bind(engine),
    barrier: engine.barrier.bind(engine),
    range: engine.range.bind(engine),
    changesSince: engine.changesSince.bind(engine),
    status: engine.status.bind(engine),
    transferLeadership: engine.transferLeadership.bind(engine),
    changeMembership: engine.changeMembership.bind(engine),
    snapshot: engine.snapshot.bind(engine),
    stop,
  };
  return { receive: (batch) => readRequests(batch, receiver) };
}
