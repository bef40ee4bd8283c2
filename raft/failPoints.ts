import { openSync, readSync } from 'node:fs';
import process from 'node:process';

/** Moments at which a test can kill the process. "Committed" and "uncommitted" refer to a SQLite transaction; for the log, committed means synced. */
export const failPoints = {
  'log.append.unsynced': 'Entries are in the transaction, and not on disk. A leader has sent them to its followers.',
  'log.append.synced': 'Entries are on disk, and nobody knows.',
  'log.state.unsynced': 'Term, vote or commit index change without entries, and are not on disk.',
  'log.state.synced': 'They are on disk, and nobody knows: a vote that was cast and not sent.',
  'log.checkpoint.begun': "The log's write-ahead file is full, and not in the database file.",
  'log.checkpoint.done': 'It is in the database file, and still there.',
  'log.trim.unsynced': 'The log begins later, and some of what was before is deleted; not on disk.',
  'log.trim.synced': 'That is on disk.',
  'log.reset.unsynced': 'The log begins anew behind a snapshot; not on disk.',
  'log.reset.synced': 'That is on disk, and the core does not know.',
  'store.apply.uncommitted': 'Entries are applied in the transaction.',
  'store.apply.committed': 'Entries are applied, and no client and no watcher has seen them.',
  'store.compaction.uncommitted': 'History is compacted in the transaction, and nothing of it deleted.',
  'store.sweep.uncommitted': 'Some rows of compacted history are deleted in the transaction.',
  'store.shrink.done': 'Free pages were given back.',
  'store.checkpoint.begun': "Nothing of the store's write-ahead file is in the database file yet.",
  'store.checkpoint.done': 'All of it is, and the log has not been cut.',
  'snapshot.copying': 'A part of the store is copied.',
  'snapshot.copied': 'The copy is whole, and not sealed.',
  'snapshot.sealed': 'It is sealed and synced, under the name of a draft.',
  'snapshot.named': 'It has its name, which is not synced.',
  'snapshot.sending': 'A piece of it is on its way to a follower.',
  'snapshot.sent': 'All of it is, and its receiver has said nothing.',
  'snapshot.receiving': 'A piece of it was written.',
  'snapshot.received': 'All of it was, with the right checksum, and the core does not know.',
  'install.verified': 'The received copy was verified and stripped of its seal; the old store is in use.',
  'install.closed': 'The old store is closed, and still in its place.',
  'install.renamed': 'The copy is in its place, and the name not synced.',
  'install.swapped': 'The new store is open, and the log is still the old one.',
  'install.done': 'Store and log begin behind the snapshot, and no client and no watcher has seen them.',
  'membership.committed': 'A change of the membership is committed, and not applied.',
  'membership.applied': 'It is applied, and no listener was called.',
  'create.drafted': 'A database file is written, and has not its name.',
  'create.named': 'It has its name, which is not synced.',
  'open.walKept': "The log's write-ahead file has its second name, and the log does not say that it is open.",
  'open.marked': 'It says so, and has promised nothing yet.',
  'create.storeAlone': 'A new data directory holds a store and no log.',
} as const;

export type FailPoint = keyof typeof failPoints;

/** Names the file that arms a process, which must exist at its start. Unset in production. */
export const failPointsVariable = 'RAFT_FAIL_POINTS';

const orderBytesMax = 128;

/** Undefined in production. In a test, a file with `ORDER POINT N` kills the process the Nth time at the point; a new word as ORDER renews the request. */
export const failPoint: ((point: FailPoint) => void) | undefined = watchFile(process.env[failPointsVariable]);

function watchFile(path: string | undefined): ((point: FailPoint) => void) | undefined {
  if (path === undefined) return undefined;
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(orderBytesMax);
  let order = '';
  let wanted: string | undefined;
  let left = 0;
  return (point) => {
    const read = buffer.toString('latin1', 0, readSync(file, buffer, 0, orderBytesMax, 0));
    if (read !== order) {
      order = read;
      const [, name, count] = read.trim().split(' ');
      wanted = name;
      left = Number(count);
    }
    if (point !== wanted) return;
    left -= 1;
    if (left === 0) die();
  };
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
