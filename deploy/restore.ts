import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { host } from './flags.js';
import { programFile } from './programs.js';
import type { ClusterSettings } from './settings.js';

/** The initial contents of a new cluster: a backup has the servers' stored data, a snapshot a test's objects. */
export type RestorableKind = 'backup' | 'snapshot';

/** A backup is a database with a footer (https://www.sqlite.org/fileformat2.html#magic_header_string). */
const databaseBegin = 'SQLite format 3\0';

/** Throws for an unreadable file. The restore itself checks the contents. */
export function kindOf(file: string): RestorableKind {
  const begin = Buffer.alloc(databaseBegin.length);
  const descriptor = fs.openSync(file, 'r');
  try {
    fs.readSync(descriptor, begin, 0, begin.length, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  return begin.toString('latin1') === databaseBegin ? 'backup' : 'snapshot';
}

/** Restores a backup into the data directories of all members by the server's command. Throws its error, and leaves no directory then. */
export function restoreMembers(
  file: string,
  { directory, tokenFile }: { readonly directory: string; readonly tokenFile: string },
  { members }: ClusterSettings,
): void {
  const data = path.join(directory, 'data');
  const initial = members.map(({ id, peerPort }) => `${id}=${host}:${peerPort}`).join(',');
  for (const { id } of members) {
    const args = [
      'restore',
      path.resolve(file),
      '--data-dir',
      path.join(data, id),
      '--member-id',
      id,
      '--cluster-token-file',
      tokenFile,
      '--initial-cluster',
      initial,
    ];
    const { status, stderr } = spawnSync(process.execPath, [programFile('apiserver'), ...args], { encoding: 'utf8' });
    if (status === 0) continue;
    fs.rmSync(data, { recursive: true, force: true });
    throw new Error(`${file} cannot be restored: ${stderr.trim().replace(/^error: /, '')}`);
  }
}
