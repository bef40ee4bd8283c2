import { randomBytes } from 'node:crypto';
import type { ReadDisk } from '../replica.js';
import type { Replica, ReplicaAdministration, ReplicaOptions } from '../replicaApi.js';
import { hostReplica } from './host.js';
import type { ReplicaHost } from './host.js';
import { replicaLimits } from './limits.js';
import type { ReplicaLimits } from './limits.js';
import type { LogLine } from './port.js';
import { PortReplica } from './portReplica.js';
import { continuationsWord } from './continuations.js';
import { soleMemberWord } from './soleMember.js';

export interface LocalOptions {
  readonly log?: (line: LogLine) => void;
  readonly limits?: Partial<ReplicaLimits>;
  readonly disk?: ReadDisk;
  /** Default: at once. */
  readonly deliver?: (take: () => void, bytes: number) => void;
}

const atOnce = (take: () => void): void => {
  take();
};

/** Serves tests and tools; syncs block the caller. */
export async function createReplica(
  options: ReplicaOptions,
  { log = () => undefined, limits, disk, deliver = atOnce }: LocalOptions = {},
): Promise<Replica & ReplicaAdministration> {
  const session = randomBytes(8).toString('hex');
  const takenBytes = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  const soleMember = soleMemberWord();
  const continuations = continuationsWord();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let host: ReplicaHost | null = null;
  const replica = new PortReplica({
    session,
    takenBytes,
    soleMember,
    post: (batch) => host?.receive(batch),
    ended,
    log,
  });
  host = await hostReplica({
    options,
    session,
    takenBytes,
    soleMember,
    continuations,
    limits: { ...replicaLimits, ...limits },
    disk,
    post: (batch) => {
      deliver(() => {
        replica.receive(batch);
      }, batch.byteLength);
    },
    stopped: end,
  });
  return replica;
}
