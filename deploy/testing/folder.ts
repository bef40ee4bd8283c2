import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { processExists } from '../launcherLock.js';

/** Linux's folder in memory. Tests need no files after a power cut, and writes are durable there at once. */
const memory = '/dev/shm';
/** Files go to disk below this: containers often have 64 MB there, too few for a cluster with writes. */
const freeBytesMin = 1024 ** 3;
/** Names contain the process id and its namespace, because containers may share a folder but not their processes. */
const prefixOf = (pid: number): string => `raftplane-${among()}-${pid}-`;
const named = /^raftplane-(\d+)-(\d+)-/;

/**
 * Creates a folder for this process in memory where there is room; otherwise, or with `TMPDIR`, in the system's temporary folder. First removes the in-memory
 * folders of killed processes.
 */
export function makeTemporaryFolder(): string {
  const place = process.env['TMPDIR'] === undefined && hasRoom(memory) ? memory : os.tmpdir();
  if (place === memory) removeLeftovers(memory);
  return fs.mkdtempSync(path.join(place, prefixOf(process.pid)));
}

/** Returns whether it is a writable in-memory file system with space for clusters. */
function hasRoom(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    const { type, bavail, bsize } = fs.statfsSync(folder);
    // statfs(2), TMPFS_MAGIC
    return type === 0x01021994 && bavail * bsize >= freeBytesMin;
  } catch {
    return false;
  }
}

/** Removes folders of this user's ended processes. */
export function removeLeftovers(place: string): void {
  for (const name of fs.readdirSync(place)) {
    const [, ids, pid] = named.exec(name) ?? [];
    if (pid === undefined || ids !== among() || processExists(Number(pid))) continue;
    const folder = path.join(place, name);
    if (fs.statSync(folder, { throwIfNoEntry: false })?.uid === process.geteuid?.()) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the number of the process id namespace (namespaces(7)); 0 without one. */
function among(): string {
  try {
    return /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
