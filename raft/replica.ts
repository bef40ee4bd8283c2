import { randomInt } from 'node:crypto';
import { statfsSync } from 'node:fs';
import type { Core, CoreOptions } from './core/contract.js';
import { createCore } from './core/core.js';
import { defaultSizes } from './core/limits.js';
import type { ReplicaOptions } from './replicaApi.js';
import type { Continuations } from './replica/continuations.js';
import { openDataDirectory, startingState } from './replica/dataDirectory.js';
import type { DataDirectory } from './replica/dataDirectory.js';
import { Engine } from './replica/engine.js';
import { ReplicaError } from './replica/errors.js';
import { Inbox } from './replica/inbox.js';
import { replicaLimits } from './replica/limits.js';
import type { ReplicaLimits } from './replica/limits.js';
import type { ReplicaSink } from './replica/sink.js';
import { tellMissed } from './replica/missedChanges.js';
import type { AttemptCounter } from './replica/proposals.js';
import type { SoleMember } from './replica/soleMember.js';
import { reserveOf, Space } from './replica/space.js';
import { parseAddress } from './transport/address.js';
import { checkOwnCertificate } from './transport/certificate.js';
import type { Remember } from './transport/handshake.js';
import { createTransport } from './transport/transport.js';
import type { Transport } from './transport/contract.js';
import type { MemberId, Revision } from './types.js';

export interface OpenOptions {
  readonly options: ReplicaOptions;
  readonly session: string;
  readonly sink: ReplicaSink;
  readonly soleMember: SoleMember;
  readonly continuations: Continuations;
  readonly attempts?: AttemptCounter;
  /** Later changes in the store are delivered first. Null delivers from here on. */
  readonly deliveredThrough?: Revision | null;
  readonly limits?: ReplicaLimits | undefined;
  readonly disk?: ReadDisk | undefined;
}

export type ReadDisk = (directory: string) => { readonly freeBytes: number; readonly fileSystemBytes: number };

export const diskOf: ReadDisk = (directory) => {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, fileSystemBytes: blocks * bsize };
};

/** Runs until `stop` or a failure, reported to `sink`. Rejects with a StorageError, a ReplicaError, or an Error of the listener. */
export async function openReplica(opening: OpenOptions): Promise<Engine> {
  const { options, sink, attempts = { last: 0 }, deliveredThrough = null, limits = replicaLimits, disk = diskOf } = opening;
  checkOptions(options);
  if (options.tls !== null) checkOwnCertificate(options.tls, options.memberId, new Date());
  const data = openDataDirectory(options);
  const inbox = new Inbox(limits.messagesMax, limits.messageBytesMax);
  let transport: Transport | null = null;
  try {
    checkMembership(options, data);
    transport = await createTransport({
      self: { clusterId: data.log.identity.clusterId, id: options.memberId, incarnation: data.log.identity.incarnation },
      listenAddress: options.listenAddress,
      advertisedAddress:
        [...data.store.membership.members, ...options.initialMembers].find(({ id }) => id === options.memberId)?.address ?? null,
      tls: options.tls,
      remember: (id, incarnation) => rememberPeer(data, inbox, id, incarnation),
      isAlone: () => isAlone(options.memberId, data),
      handlers: inbox,
      snapshotDirectory: data.snapshotDirectory,
      reserveOf: (fileSystemBytes) => reserveOf(options.diskReserveBytes ?? null, fileSystemBytes),
      log: sink.log,
      random: Math.random,
    });
    return startEngine({ ...opening, attempts, deliveredThrough, limits, disk, data, inbox, transport });
  } catch (error) {
    await transport?.close();
    data.log.close();
    data.store.close();
    throw error;
  }
}

/** A joining replica knows the others; a cluster that shrank has removed them. */
function isAlone(self: MemberId, { store }: DataDirectory): boolean {
  const { members } = store.membership;
  return members.length === 1 && members[0]?.id === self && members[0].role === 'voter';
}

/** A failed disk must end the replica, not just a connection. */
function rememberPeer({ log }: DataDirectory, inbox: Inbox, id: MemberId, incarnation: string): ReturnType<Remember> {
  try {
    return log.rememberPeer(id, incarnation) === 'different' ? 'different' : 'same';
  } catch (error) {
    inbox.add({ type: 'failed', error });
    return 'diskFailed';
  }
}

interface Opened extends Required<OpenOptions> {
  readonly data: DataDirectory;
  readonly inbox: Inbox;
  readonly transport: Transport;
  readonly limits: ReplicaLimits;
  readonly disk: ReadDisk;
}

function startEngine({ options, deliveredThrough, data, disk, ...parts }: Opened): Engine {
  const { store, log, snapshotDirectory } = data;
  const { limits, sink } = parts;
  const tickMs = options.heartbeatIntervalMs / limits.ticksPerHeartbeat;
  const electionTicks = Math.ceil(options.electionTimeoutMs / tickMs);
  const core = coreOf(options.memberId, data, { heartbeatTicks: limits.ticksPerHeartbeat, electionTicks });
  const space = new Space(
    {
      reserveBytes: options.diskReserveBytes ?? null,
      quotaBytes: options.quotaBytes ?? 0,
      read: () => ({ ...disk(options.dataDirectory), storeBytes: store.usedBytes }),
    },
    performance.now(),
  );
  if (deliveredThrough !== null) tellMissed(store, deliveredThrough, limits.changesBytesMax, sink);
  return new Engine({
    ...parts,
    core,
    space,
    log,
    store,
    snapshotDirectory,
    logEntriesKept: options.logEntriesKept,
    tickMs,
    electionTicks,
  });
}

const coreOf = (id: MemberId, { store, log }: DataDirectory, ticks: Pick<CoreOptions, 'heartbeatTicks' | 'electionTicks'>): Core =>
  createCore({
    ...defaultSizes,
    ...ticks,
    id,
    hardState: startingState(log, store.appliedIndex),
    membership: store.membership,
    appliedIndex: store.appliedIndex,
    log,
    random: (below) => randomInt(below),
    snapshotSource: () => ({ index: store.appliedIndex, term: store.appliedTerm, membership: store.membership }),
  });

function checkOptions(options: ReplicaOptions): void {
  const fail = (message: string): never => {
    throw new ReplicaError('INVALID_OPTIONS', message);
  };
  if (options.clusterToken === '') fail('the cluster token is empty');
  if (!(options.heartbeatIntervalMs > 0)) fail(`the heartbeat interval of ${options.heartbeatIntervalMs} ms is not positive`);
  if (!(options.electionTimeoutMs >= 2 * options.heartbeatIntervalMs))
    fail('the election timeout must be at least twice the heartbeat interval');
  if (!Number.isSafeInteger(options.logEntriesKept) || options.logEntriesKept < 0)
    fail(`${options.logEntriesKept} log entries cannot be kept`);
  if (options.listenAddress !== null && options.tls === null) fail('a replica that listens for peers needs certificates');
  for (const { address } of options.initialMembers) if (options.initialMembers.length > 1) parseAddress(address);
}

function checkMembership(options: ReplicaOptions, { store, log }: DataDirectory): void {
  const { members, removed } = store.membership;
  if (removed.includes(options.memberId)) throw new ReplicaError('REMOVED', `member ${options.memberId} was removed from the cluster`);
  if (log.created && !members.some(({ id }) => id === options.memberId))
    throw new ReplicaError(
      'INVALID_OPTIONS',
      `${options.memberId} is not among the members ${members.map(({ id }) => id).join(', ') || '(none)'}`,
    );
  if (members.length > 1 && (options.listenAddress === null || options.tls === null)) {
    throw new ReplicaError('INVALID_OPTIONS', 'a replica with peers needs an address to listen on, and certificates');
  }
}
