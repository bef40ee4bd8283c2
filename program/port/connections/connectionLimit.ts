import fs from 'node:fs';

/** Some 50 KiB each once they are encrypted, so a gigabyte in all. A cluster of 5,000 nodes opens about as many on all servers together. */
const connectionsMost = 20_000;
/** Of the files that a process may have open, the rest is for the store, the log, peers and backends: a store that cannot open its file ends the replica. */
const shareOfFiles = 0.75;
/** Where the system does not tell. */
const filesAssumed = 4_096;
/** Of all connections, those from one address: most, since a balancer brings everybody from its own, and not all, so that the others get in. */
const addressShare = 0.75;
/** Of all connections, those of one user who is neither essential nor an administrator. */
const userShare = 0.5;
/** Of all connections, those of all such users: in what is left, somebody can always come in and say who he is. */
const ordinaryShare = 7 / 8;

/** Connections of clients that a process may have at a time. */
export interface ConnectionBounds {
  readonly all: number;
  readonly ofAddress: number;
  readonly ofUser: number;
  readonly ofOrdinaryUsers: number;
}

export function connectionBounds(all = connectionsMax()): ConnectionBounds {
  const share = (part: number): number => Math.max(1, Math.ceil(all * part));
  return { all, ofAddress: share(addressShare), ofUser: share(userShare), ofOrdinaryUsers: share(ordinaryShare) };
}

/** As many as there may be with so many files. */
export function connectionsMax(files = openFilesMax()): number {
  return Math.max(1, Math.min(connectionsMost, Math.floor(files * shareOfFiles)));
}

/** How many files this process may have open. */
function openFilesMax(): number {
  try {
    const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Infinity : Number(soft ?? filesAssumed);
  } catch {
    return filesAssumed;
  }
}
