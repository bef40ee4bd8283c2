import fs from 'node:fs';

/** Some 50 KiB each once they are encrypted, so a gigabyte in all. A cluster of 5,000 nodes opens about as many on all servers together. */
const connectionsMost = 20_000;
/** Of the files that a process may have open, the rest is for the store, the log, peers and backends: a store that cannot open its file ends the replica. */
const shareOfFiles = 0.75;
/** Where the system does not tell. */
const filesAssumed = 4_096;

/** Connections of clients that a process may have at a time; further ones are closed before anything is read from them. */
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
