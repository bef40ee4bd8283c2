import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodeMembership, emptyMembership } from '../core/membership.js';
import { failPoint } from '../failPoints.js';
import { openLog } from '../log/log.js';
import type { RaftLog } from '../log/log.js';
import type { ReplicaOptions } from '../replicaApi.js';
import { syncPath } from '../sqlite/files.js';
import { openStore, openStoreToRead } from '../store/store.js';
import type { Store, StoreToRead } from '../store/store.js';
import { clusterIdOf } from '../transport/handshake.js';
import type { HardState, LogIndex } from '../types.js';
import { ReplicaError } from './errors.js';
import { keepPrivate } from './privateDirectory.js';
import { errorText } from '../errorText.js';

export interface DataDirectory {
  readonly store: Store;
  readonly log: RaftLog;
  readonly snapshotDirectory: string;
}

const advice = 'Remove this member from the cluster and add a new one, with a new member id and an empty data directory.';

/** Reads a store that cannot be written. */
export const readDataDirectory = (directory: string): StoreToRead => openStoreToRead(storePath(directory));

const storePath = (directory: string): string => join(directory, 'store.db');

/**
 * Opens store and log, creating both if neither exists, and reconciles them. Throws a StorageError or a ReplicaError. Creates the store first: a log alone
 * would claim lost history.
 */
export function openDataDirectory(options: ReplicaOptions): DataDirectory {
  const snapshotDirectory = join(options.dataDirectory, 'snapshots');
  makeDirectory(resolve(options.dataDirectory));
  keepPrivate(options.dataDirectory);
  makeDirectory(resolve(snapshotDirectory));
  for (const leftover of readdirSync(snapshotDirectory)) rmSync(join(snapshotDirectory, leftover), { recursive: true, force: true });
  const members = [...options.initialMembers].sort((a, b) => (a.id < b.id ? -1 : 1));
  const store = openStore(storePath(options.dataDirectory), {
    decodeMembership,
    initialMembership: { ...emptyMembership, members },
  });
  if (store.created) failPoint?.('create.storeAlone');
  try {
    const log = openLog(join(options.dataDirectory, 'log.db'), {
      clusterId: clusterIdOf(options.clusterToken),
      memberId: options.memberId,
    });
    try {
      reconcile(store, log);
      return { store, log, snapshotDirectory };
    } catch (error) {
      log.close();
      throw error;
    }
  } catch (error) {
    store.close();
    throw error;
  }
}

/**
 * Makes a directory durably: a power loss must not remove an identity with it. Recursive `mkdir` never returns in Node 20 where directories cannot be created,
 * such as /proc.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncPath(dirname(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new ReplicaError('INVALID_OPTIONS', `cannot create the directory ${path}: ${errorText(cause)}`, cause);
  }
}

/**
 * After a crash the two may differ:
 *   - the store ahead of the log, or with another history at its applied index: a snapshot was swapped in, and the log is now restarted
 *   - the store behind the log: missing changes are applied again from the log
 *   - the store behind the log's first entry, or one of the two missing: this disk has lost data
 */
export function reconcile(store: Store, log: RaftLog): void {
  const { appliedIndex } = store;
  const logHasHistory = log.lastIndex > 0 || log.hardState.term > 0;
  if (store.created && logHasHistory)
    throw new ReplicaError('INCONSISTENT_DATA', `the store is missing beside the Raft log ${log.path}. ${advice}`);
  if (log.created && appliedIndex > 0)
    throw new ReplicaError('INCONSISTENT_DATA', `the Raft log is missing beside the store ${store.path}. ${advice}`);
  if (appliedIndex < log.firstIndex - 1) {
    throw new ReplicaError(
      'INCONSISTENT_DATA',
      `the store ${store.path} ends at entry ${appliedIndex}, but the log begins at ${log.firstIndex}: entries between are lost. ${advice}`,
    );
  }
  if (appliedIndex > 0 && log.termAt(appliedIndex) !== store.appliedTerm)
    log.resetTo({ index: appliedIndex, term: store.appliedTerm, membership: store.membership });
}

/** Applied entries were committed, even if the log does not know it. */
export function startingState(log: RaftLog, appliedIndex: LogIndex): HardState {
  return log.hardState.commit >= appliedIndex ? log.hardState : { ...log.hardState, commit: appliedIndex };
}
