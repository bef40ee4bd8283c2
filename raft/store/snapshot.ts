import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, copyFileSync, createReadStream, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, renameSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { failPoint } from '../failPoints.js';
import type { SnapshotMeta } from '../types.js';
import { checkFormat } from '../sqlite/database.js';
import type { DatabaseKind } from '../sqlite/database.js';
import { DamagedSnapshotError } from '../sqlite/errors.js';
import { removeDatabase, syncPath } from '../sqlite/files.js';
import { readState, storeStatements, verifyContent } from './file.js';
import { membershipText } from './rows.js';

/**
 * A snapshot is a copy of the store's database file with a footer behind it, so that the file itself proves that it is complete and intact:
 *
 *     database file | magic 8 B | index 8 B | term 8 B | SHA-256 of everything before, 32 B
 */
const magic = Buffer.from('RAFTSNP1', 'latin1');
const hashBytes = 32;
const footerBytes = magic.length + 16 + hashBytes;

/** Pages copied in one turn of the event loop: half a mebibyte, below a millisecond. */
const pagesPerTurn = 128;
const chunkBytes = 1024 * 1024;

/** Copies `db` to `path`, which appears only when it is complete. `apply` may run meanwhile: SQLite writes changed pages into the copy as well. */
export async function writeSnapshot(db: Database.Database, path: string): Promise<SnapshotMeta> {
  const draft = `${path}.part`;
  removeDatabase(draft);
  try {
    await db.backup(draft, { progress: slice });
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

/** Called between two slices of a copy: how many pages the next one has. */
function slice(): number {
  failPoint?.('snapshot.copying');
  return pagesPerTurn;
}

/** Verifies footer, checksum, content and meaning, and strips the footer. Throws DamagedSnapshotError, leaving the file where it is. */
export function unsealSnapshot(path: string, expected: SnapshotMeta, kind: DatabaseKind): void {
  describingDamage(path, () => {
    stripFooter(path, expected);
    const found = verifyCopy(path, kind);
    if (membershipText(found.membership) !== membershipText(expected.membership)) throw new DamagedSnapshotError(path, 'its membership is not the announced one');
    if (found.index !== expected.index || found.term !== expected.term) throw new DamagedSnapshotError(path, `it holds index ${found.index}, not ${expected.index} as its footer says`);
  });
}

/** What a sealed copy says of itself, once its checksum and all of its content have been verified. Changes nothing. Throws DamagedSnapshotError. */
export function readSealed(path: string, kind: DatabaseKind): SnapshotMeta {
  return describingDamage(path, () => {
    const contentBytes = sealedContentBytes(path);
    const bare = join(isWritable(dirname(path)) ? dirname(path) : tmpdir(), `${basename(path)}.${process.pid}.verifying`);
    removeDatabase(bare);
    try {
      copyFileSync(path, bare);
      truncateSync(bare, contentBytes);
      return verifyCopy(bare, kind);
    } finally {
      removeDatabase(bare);
    }
  });
}

/** Copies are often kept where nothing can be written. */
function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes the database of a sealed copy a file of its own at `target`, verified and durable. Throws DamagedSnapshotError. */
export function unsealTo(path: string, target: string, kind: DatabaseKind): SnapshotMeta {
  return describingDamage(path, () => {
    const contentBytes = sealedContentBytes(path);
    copyFileSync(path, target);
    truncateSync(target, contentBytes);
    const meta = verifyCopy(target, kind);
    syncPath(target);
    syncPath(dirname(target));
    return meta;
  });
}

/** Bytes of the database in a sealed copy whose checksum is right. */
function sealedContentBytes(path: string): number {
  const descriptor = openSync(path, 'r');
  try {
    const contentBytes = fstatSync(descriptor).size - footerBytes;
    if (contentBytes <= 0) throw new DamagedSnapshotError(path, 'it is too short');
    const footer = readExactly(descriptor, Buffer.alloc(footerBytes), contentBytes);
    if (!footer.subarray(0, magic.length).equals(magic)) throw new DamagedSnapshotError(path, 'it does not end as a snapshot does, so it is incomplete');
    if (!hashOf(descriptor, footerBytes + contentBytes - hashBytes).equals(footer.subarray(-hashBytes))) throw new DamagedSnapshotError(path, 'its checksum is wrong');
    return contentBytes;
  } finally {
    closeSync(descriptor);
  }
}

function describingDamage<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedSnapshotError) throw error;
    throw new DamagedSnapshotError(path, error instanceof Error ? error.message : String(error), error);
  }
}

/** Reads what the copy holds, and leaves it as a single file that needs nothing beside it. */
function readCopy(path: string): SnapshotMeta {
  const db = new Database(path, { fileMustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    return metaOf(path, db);
  } finally {
    db.close();
  }
}

function verifyCopy(path: string, kind: DatabaseKind): SnapshotMeta {
  const db = new Database(path, { readonly: true });
  try {
    checkFormat(db, path, kind);
    verifyContent(path, db, storeStatements(db));
    return metaOf(path, db);
  } finally {
    db.close();
  }
}

function metaOf(path: string, db: Database.Database): SnapshotMeta {
  const { appliedIndex, appliedTerm, membership } = readState(path, storeStatements(db));
  return { index: appliedIndex, term: appliedTerm, membership };
}

async function seal(path: string, meta: SnapshotMeta): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) hash.update(chunk as Buffer);
  const footer = footerWithoutHash(meta);
  const descriptor = openSync(path, 'a');
  try {
    const bytes = Buffer.concat([footer, hash.update(footer).digest()]);
    if (writeSync(descriptor, bytes) !== bytes.length) throw new Error(`short write to ${path}`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function footerWithoutHash(meta: { readonly index: number; readonly term: number }): Buffer {
  const footer = Buffer.alloc(footerBytes - hashBytes);
  magic.copy(footer);
  footer.writeBigUInt64BE(BigInt(meta.index), magic.length);
  footer.writeBigUInt64BE(BigInt(meta.term), magic.length + 8);
  return footer;
}

function stripFooter(path: string, expected: SnapshotMeta): void {
  const descriptor = openSync(path, 'r+');
  try {
    const contentBytes = fstatSync(descriptor).size - footerBytes;
    if (contentBytes <= 0) throw new DamagedSnapshotError(path, 'it is too short');
    const footer = readExactly(descriptor, Buffer.alloc(footerBytes), contentBytes);
    if (!footer.subarray(0, magic.length).equals(magic)) throw new DamagedSnapshotError(path, 'it does not end as a snapshot does, so it is incomplete');
    if (!footer.subarray(0, -hashBytes).equals(footerWithoutHash(expected))) throw new DamagedSnapshotError(path, 'its index and term are not the announced ones');
    if (!hashOf(descriptor, footerBytes + contentBytes - hashBytes).equals(footer.subarray(-hashBytes))) throw new DamagedSnapshotError(path, 'its checksum is wrong');
    ftruncateSync(descriptor, contentBytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function hashOf(descriptor: number, bytes: number): Buffer {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes; at += chunkBytes) hash.update(readExactly(descriptor, chunk.subarray(0, Math.min(chunkBytes, bytes - at)), at));
  return hash.digest();
}

function readExactly(descriptor: number, target: Buffer, position: number): Buffer {
  const bytes = readSync(descriptor, target, 0, target.length, position);
  if (bytes !== target.length) throw new Error(`short read of ${bytes} bytes at ${position}`);
  return target;
}

