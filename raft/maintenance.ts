import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { decodeMembership, emptyMembership } from './core/membership.js';
import { openLog } from './log/log.js';
import { makeDirectory, openDataDirectory } from './replica/dataDirectory.js';
import { ReplicaError } from './replica/errors.js';
import { refuseIfInUse } from './sqlite/database.js';
import { DamagedSnapshotError, StorageError, UnsupportedFormatError } from './sqlite/errors.js';
import { syncPath } from './sqlite/files.js';
import { storeKind } from './store/file.js';
import { readSealed, unsealTo } from './store/snapshot.js';
import { openStore } from './store/store.js';
import { addressProblem } from './transport/address.js';
import { clusterIdOf } from './transport/handshake.js';
import type { LogIndex, Member, MemberId, Membership, Revision, Term } from './types.js';

/** A backup is a sealed copy of the store (`store/snapshot.ts`): objects and history without votes or terms, so a restore creates a new cluster. */

/** All replicas of a new cluster use the same backup, members and token. */
export interface Founding {
  readonly dataDirectory: string;
  readonly memberId: MemberId;
  readonly clusterToken: string;
  readonly members: readonly Member[];
}

export interface Contents {
  readonly index: LogIndex;
  readonly term: Term;
  readonly members: readonly Member[];
}

const kind = storeKind(emptyMembership);
const storeName = 'store.db';
const logName = 'log.db';

/**
 * The old cluster may have gone on after the backup: its clients must list anew, and neither wait for revisions they have seen nor find them with other
 * contents. No cluster makes this many revisions between backup and restore (28 hours of 10,000 writes a second), and the number is the same on every restored
 * server.
 */
export const revisionsSkipped = 1_000_000_000;

/** Verifies a whole backup against its checksums. Throws a ReplicaError with a remedy. */
export function verifyBackup(file: string): Contents {
  const { index, term, membership } = advising(file, () => readSealed(file, kind));
  return { index, term, members: membership.members };
}

/**
 * Verifies the backup first, and creates the directory atomically. Throws a StorageError, or a ReplicaError if the backup is damaged or the directory not
 * empty.
 */
export function restoreBackup(file: string, { dataDirectory, memberId, clusterToken, members }: Founding): Contents {
  checkFounding({ memberId, clusterToken, members });
  const target = resolve(dataDirectory);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new ReplicaError('INVALID_OPTIONS', `${target} is not empty; give a directory that does not exist yet`);
  const draft = join(dirname(target), `.${basename(target)}.restoring`);
  rmSync(draft, { recursive: true, force: true });
  makeDirectory(draft);
  try {
    const { index, term } = advising(file, () => unsealTo(file, join(draft, storeName), kind));
    const membership: Membership = { members: [...members].sort((a, b) => (a.id < b.id ? -1 : 1)), removed: [] };
    found(draft, membership, { memberId, clusterToken });
    renameSync(draft, target);
    syncPath(dirname(target));
    return { index, term, members: membership.members };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A server restored with invalid members would never start. */
function checkFounding({ memberId, clusterToken, members }: Omit<Founding, 'dataDirectory'>): void {
  const refuse = (reason: string): never => {
    throw new ReplicaError('INVALID_OPTIONS', reason);
  };
  const ids = members.map(({ id }) => id);
  if (clusterToken === '') refuse('the cluster token is empty');
  if (!ids.includes(memberId)) refuse(`${memberId} is not among the members ${ids.join(', ')}`);
  for (const facts of [ids, members.map(({ address }) => address)]) {
    const twice = facts.find((fact, index) => facts.indexOf(fact) !== index);
    if (twice !== undefined) refuse(`${twice} is there twice among the members`);
  }
  const [problem] = members.length > 1 ? members.map(({ address }) => addressProblem(address)).filter((each) => each !== null) : [];
  if (problem !== undefined) refuse(problem);
}

function advising<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedSnapshotError)) throw error;
    if (error.cause instanceof UnsupportedFormatError) throw error.cause;
    const advice = existsSync(file)
      ? 'Copy it again from where it was made, or use an earlier backup: what is damaged is not repaired'
      : 'Look for it where it was made';
    throw new ReplicaError('INVALID_OPTIONS', `${file} is no whole backup: ${error.what}. ${advice}`, error);
  }
}

function found(directory: string, membership: Membership, { memberId, clusterToken }: Pick<Founding, 'memberId' | 'clusterToken'>): void {
  const store = openStore(join(directory, storeName), { decodeMembership, initialMembership: membership });
  try {
    store.refound(membership, revisionsSkipped);
    store.checkpoint();
    const log = openLog(join(directory, logName), { clusterId: clusterIdOf(clusterToken), memberId });
    try {
      log.resetTo({ index: store.appliedIndex, term: store.appliedTerm, membership });
    } finally {
      log.close();
    }
  } finally {
    store.close();
  }
}

export interface Inspected extends Contents {
  readonly revision: Revision;
  /** Entries after `committed` may never be applied. */
  readonly lastIndex: LogIndex;
  readonly lastTerm: Term;
  readonly committed: LogIndex;
}

interface Owner {
  readonly dataDirectory: string;
  readonly memberId: MemberId;
  readonly clusterToken: string;
}

/** Throws a StorageError or a ReplicaError. */
export function inspect(owner: Owner): Inspected {
  const { store, log } = open(owner);
  try {
    store.verify();
    for (let from = log.firstIndex; from <= log.lastIndex;)
      from = (log.entries(from, log.lastIndex, entriesBytes).at(-1)!.index + 1) as LogIndex;
    const { appliedIndex: index, appliedTerm: term, revision, membership } = store;
    const committed = Math.max(log.hardState.commit, index) as LogIndex;
    return {
      index,
      term,
      revision,
      members: membership.members,
      lastIndex: log.lastIndex,
      lastTerm: log.termAt(log.lastIndex) ?? term,
      committed,
    };
  } finally {
    log.close();
    store.close();
  }
}

const entriesBytes = 4 * 1024 * 1024;

/** Takes the whole log after the loss of a majority: it may include uncommitted entries, and lacks acknowledged writes that this replica had not received. */
export async function rescueBackup(owner: Owner, file: string): Promise<Inspected> {
  if (existsSync(file)) throw new ReplicaError('INVALID_OPTIONS', `${file} exists already; a backup never takes the place of another file`);
  const work = `${resolve(file)}.work`;
  checkDirectory(owner.dataDirectory);
  const storeFile = join(owner.dataDirectory, storeName);
  try {
    // A running server would write during the copy.
    refuseIfInUse(storeFile);
    copyDirectory(owner.dataDirectory, work);
    refuseIfInUse(storeFile);
    return await backupOf({ ...owner, dataDirectory: work }, file);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'DAMAGED') throw error;
    throw new ReplicaError(
      'INCONSISTENT_DATA',
      `${owner.dataDirectory} is damaged, so nothing can be rescued from it. Take another survivor, or the latest backup`,
      error,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function backupOf(owner: Owner, file: string): Promise<Inspected> {
  const found = inspect(owner);
  const { store, log } = open(owner);
  try {
    while (store.appliedIndex < log.lastIndex) store.apply(log.entries((store.appliedIndex + 1) as LogIndex, log.lastIndex, entriesBytes));
    await store.snapshotTo(resolve(file));
    return { ...found, index: store.appliedIndex, term: store.appliedTerm, revision: store.revision };
  } finally {
    log.close();
    store.close();
  }
}

function checkDirectory(dataDirectory: string): void {
  for (const name of [storeName, logName])
    if (!existsSync(join(dataDirectory, name)))
      throw new ReplicaError('INVALID_OPTIONS', `${dataDirectory} is no data directory: ${name} is missing`);
}

function open({ dataDirectory, memberId, clusterToken }: Owner): ReturnType<typeof openDataDirectory> {
  checkDirectory(dataDirectory);
  return openDataDirectory({
    dataDirectory,
    memberId,
    clusterToken,
    initialMembers: [],
    listenAddress: null,
    tls: null,
    heartbeatIntervalMs: 1,
    electionTimeoutMs: 2,
    logEntriesKept: 0,
  });
}

function copyDirectory(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  makeDirectory(to);
  for (const name of readdirSync(from))
    if (name.startsWith(storeName) || name.startsWith(logName)) copyFileSync(join(from, name), join(to, name));
}
