import fs from 'node:fs';

/** A connection with TLS takes some 50 KiB, so all take a gigabyte. A cluster of 5,000 nodes opens about as many. */
const connectionsMost = 20_000;
/** The rest is for store, peers and backends: a store without a file ends the replica. */
const shareOfFiles = 0.75;
/** Assumed where the system reports no limit. */
const filesAssumed = 4_096;
/** One address gets most, since a balancer brings all clients, but not all, to leave room for others. */
const addressShare = 0.75;
/** One user who is neither essential nor an administrator. */
const userShare = 0.5;
/** A new client can always authenticate. */
const ordinaryShare = 7 / 8;

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

export function connectionsMax(files = openFilesMax()): number {
  return Math.max(1, Math.min(connectionsMost, Math.floor(files * shareOfFiles)));
}

function openFilesMax(): number {
  try {
    const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Infinity : Number(soft ?? filesAssumed);
  } catch {
    return filesAssumed;
  }
}
