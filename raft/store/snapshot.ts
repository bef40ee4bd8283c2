import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { failPoint } from '../failPoints.js';
import type { SnapshotMeta } from '../types.js';
import type { SqliteConnection } from '../sqlite/connection.js';
import { checkFormat } from '../sqlite/format.js';
import type { DatabaseKind } from '../sqlite/database.js';
import { openSqlite } from '../sqlite/driver.js';
import { DamagedSnapshotError } from '../sqlite/errors.js';
import { removeDatabase, syncPath } from '../sqlite/files.js';
import { readState, storeStatements, verifyContent } from './file.js';
import { membershipText } from './rows.js';
import { errorText } from '../errorText.js';

/**
 * A snapshot is a copy of the store's database file with a footer, so that the file proves its own integrity:
 *
 *     database file | magic 8 B | index 8 B | term 8 B | SHA-256 of everything before, 32 B
 */
const magic = Buffer.from('RAFTSNP1', 'latin1');
const hashBytes = 32;
const footerBytes = magic.length + 16 + hashBytes;

const chunkBytes = 1024 * 1024;

/** `path` appears only when complete. */
export async function writeSnapshot(path: string, copyTo: (path: string) => Promise<void>): Promise<SnapshotMeta> {
  const draft = `${path}.part`;
  removeDatabase(draft);
  try {
    await copyTo(draft);
    const meta = readCopy(draft);
    failPoint?.('snapshot.copied');
    await seal(draft, meta);
    failPoint?.('snapshot.sealed');
    renameSync(draft, path);
    failPoint?.('snapshot.named');
    syncPath(dirname(path));
    return meta;
  } catch (error) {
    removeDatabase(draft);
    throw error;
  }
}

/** Verifies all, and strips the footer. Throws DamagedSnapshotError and leaves the file in place. */
export function unsealSnapshot(path: string, expected: SnapshotMeta, kind: DatabaseKind): void {
  describingDamage(path, () => {
    stripFooter(path, expected);
    const found = verifyCopy(path, kind);
    if (membershipText(found.membership) !== membershipText(expected.membership))
      throw new DamagedSnapshotError(path, 'its membership is not the announced one');
    if (found.index !== expected.index || found.term !== expected.term)
      throw new DamagedSnapshotError(path, `it holds index ${found.index}, not ${expected.index} as its footer says`);
  });
}

/**
 * Changes nothing, and needs no writable place. SQLite reads only the pages counted in the header
 * (https://www.sqlite.org/fileformat2.html#in_header_database_size), so the footer does no harm. Throws DamagedSnapshotError.
 */
export function readSealed(path: string, kind: DatabaseKind): SnapshotMeta {
  return describingDamage(path, () => {
    withFile(path, 'r', (descriptor) => sealedBytes(path, descriptor));
    return verifyCopy(path, kind);
  });
}

/** The result is verified and durable. Throws DamagedSnapshotError. */
export function unsealTo(path: string, target: string, kind: DatabaseKind): SnapshotMeta {
  return describingDamage(path, () => {
    const contentBytes = withFile(path, 'r', (descriptor) => sealedBytes(path, descriptor));
    copyFileSync(path, target);
    truncateSync(target, contentBytes);
    const meta = verifyCopy(target, kind);
    syncPath(target);
    syncPath(dirname(target));
    return meta;
  });
}

function sealedBytes(path: string, descriptor: number, expected?: SnapshotMeta): number {
  const contentBytes = fstatSync(descriptor).size - footerBytes;
  if (contentBytes <= 0) throw new DamagedSnapshotError(path, 'it is too short');
  const footer = readExactly(descriptor, Buffer.alloc(footerBytes), contentBytes);
  const claim = footer.subarray(0, -hashBytes);
  if (!claim.subarray(0, magic.length).equals(magic))
    throw new DamagedSnapshotError(path, 'it does not end as a snapshot does, so it is incomplete');
  if (expected !== undefined && !claim.equals(footerWithoutHash(expected)))
    throw new DamagedSnapshotError(path, 'its index and term are not the announced ones');
  if (!hashOf(descriptor, contentBytes + claim.length).equals(footer.subarray(-hashBytes)))
    throw new DamagedSnapshotError(path, 'its checksum is wrong');
  return contentBytes;
}

function describingDamage<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedSnapshotError) throw error;
    throw new DamagedSnapshotError(path, errorText(error), error);
  }
}

function readCopy(path: string): SnapshotMeta {
  const db = openSqlite(path, { mustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    return metaOf(path, db);
  } finally {
    db.close();
  }
}

function verifyCopy(path: string, kind: DatabaseKind): SnapshotMeta {
  const db = openSqlite(path, { readOnly: true });
  try {
    checkFormat(db, path, kind);
    verifyContent(path, db, storeStatements(db));
    return metaOf(path, db);
  } finally {
    db.close();
  }
}

function metaOf(path: string, db: SqliteConnection): SnapshotMeta {
  const { appliedIndex, appliedTerm, membership } = readState(path, storeStatements(db));
  return { index: appliedIndex, term: appliedTerm, membership };
}

async function seal(path: string, meta: SnapshotMeta): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) hash.update(chunk as Buffer);
  const footer = footerWithoutHash(meta);
  const bytes = Buffer.concat([footer, hash.update(footer).digest()]);
  withFile(path, 'a', (descriptor) => {
    if (writeSync(descriptor, bytes) !== bytes.length) throw new Error(`short write to ${path}`);
    fsyncSync(descriptor);
  });
}

function footerWithoutHash(meta: { readonly index: number; readonly term: number }): Buffer {
  const footer = Buffer.alloc(footerBytes - hashBytes);
  magic.copy(footer);
  footer.writeBigUInt64BE(BigInt(meta.index), magic.length);
  footer.writeBigUInt64BE(BigInt(meta.term), magic.length + 8);
  return footer;
}

function stripFooter(path: string, expected: SnapshotMeta): void {
  withFile(path, 'r+', (descriptor) => {
    ftruncateSync(descriptor, sealedBytes(path, descriptor, expected));
    fsyncSync(descriptor);
  });
}

function withFile<T>(path: string, flags: 'r' | 'r+' | 'a', use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function hashOf(descriptor: number, bytes: number): Buffer {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes; at += chunkBytes)
    hash.update(readExactly(descriptor, chunk.subarray(0, Math.min(chunkBytes, bytes - at)), at));
  return hash.digest();
}

function readExactly(descriptor: number, target: Buffer, position: number): Buffer {
  const bytes = readSync(descriptor, target, 0, target.length, position);
  if (bytes !== target.length) throw new Error(`short read of ${bytes} bytes at ${position}`);
  return target;
}
