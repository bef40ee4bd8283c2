import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { processExists } from '../launcherLock.js';

/** Where a test's cluster keeps its files while it lives. */

/** Linux has memory that looks like a folder. Nothing a test wrote is wanted after a power cut, and there a write is durable at once. */
const memory = '/dev/shm';
/** Below this much that is free, in bytes, files go to the disk: containers often have 64 MB there, and a cluster that is written to needs more. */
const freeBytesMin = 1024 ** 3;
/** Names tell the process whose folder it is: its id, and among whose ids, because containers may share a folder and not their processes. */
const prefixOf = (pid: number): string => `raftplane-${among()}-${pid}-`;
const named = /^raftplane-(\d+)-(\d+)-/;

/**
 * A new folder of this process alone: in memory where there is enough of it, otherwise, or with `TMPDIR`, in the system's place for temporary files. Folders
 * that killed processes have left in memory go first.
 */
export function makeTemporaryFolder(): string {
  const place = process.env['TMPDIR'] === undefined && hasRoom(memory) ? memory : os.tmpdir();
  if (place === memory) removeLeftovers(memory);
  return fs.mkdtempSync(path.join(place, prefixOf(process.pid)));
}

/** Whether it is a file system in memory, writable and with space for clusters. */
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

/** Removes folders of this user's processes that are no more. */
export function removeLeftovers(place: string): void {
  for (const name of fs.readdirSync(place)) {
    const [, ids, pid] = named.exec(name) ?? [];
    if (pid === undefined || ids !== among() || processExists(Number(pid))) continue;
    const folder = path.join(place, name);
    if (fs.statSync(folder, { throwIfNoEntry: false })?.uid === process.geteuid?.()) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The namespace of process ids (namespaces(7)) by its number; 0 where there is none. */
function among(): string {
  try {
    return /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
