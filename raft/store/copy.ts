import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failPoint } from '../failPoints.js';

/** Copied per turn of the event loop. */
const sliceBytes = 512 * 1024;
/** Format: https://www.sqlite.org/fileformat2.html#walformat */
const walHeaderBytes = 32;
const walFrameHeaderBytes = 24;

interface Copy {
  readonly target: number;
  /** The copy has everything before this position. */
  position: number;
}

/**
 * Copies the file of an open database. Only checkpoints write to it, and each empties the write-ahead file: the copy takes the pages in there again. It is the
 * database as of the last checkpoint.
 */
export class FileCopier {
  readonly #path: string;
  readonly #pageBytes: number;
  /** Stays open as long as the database: closing it would end SQLite's locks (https://www.sqlite.org/howtocorrupt.html, 2.2). */
  #source: number | null = null;
  #copy: Copy | null = null;

  constructor(path: string, pageBytes: number) {
    this.#path = path;
    this.#pageBytes = pageBytes;
  }

  /** The write-ahead file must be empty at the beginning. An exception of `mayGoOn` ends the copy. */
  async copyTo(path: string, mayGoOn: () => void): Promise<void> {
    this.#source ??= openSync(this.#path, 'r');
    const target = openSync(path, 'wx', 0o600);
    this.#copy = { target, position: 0 };
    try {
      do {
        failPoint?.('snapshot.copying');
        await nextTurn();
        mayGoOn();
      } while (this.#copySlice(this.#source, this.#copy));
    } finally {
      this.#copy = null;
      closeSync(target);
    }
  }

  duringCheckpoint(checkpoint: () => void): void {
    const changed = this.#copy === null ? [] : [...pagesInWal(`${this.#path}-wal`, this.#pageBytes)];
    checkpoint();
    if (this.#copy === null || this.#source === null) return;
    for (const page of new Set(changed)) this.#copyAgain(this.#source, this.#copy, (page - 1) * this.#pageBytes);
  }

  /** The database must be closed before. */
  close(): void {
    if (this.#source !== null) closeSync(this.#source);
    this.#source = null;
  }

  #copySlice(source: number, copy: Copy): boolean {
    const { size } = fstatSync(source);
    const bytes = Math.min(sliceBytes, size - copy.position);
    if (bytes > 0) {
      copyBytes(source, copy.target, copy.position, bytes);
      copy.position += bytes;
      return true;
    }
    ftruncateSync(copy.target, size);
    return false;
  }

  #copyAgain(source: number, copy: Copy, from: number): void {
    const pageExists = from < fstatSync(source).size;
    if (from < copy.position && pageExists) copyBytes(source, copy.target, from, this.#pageBytes);
  }
}

function* pagesInWal(path: string, pageBytes: number): Generator<number> {
  const wal = openSync(path, 'r');
  try {
    const header = Buffer.alloc(4);
    for (let at = walHeaderBytes; readSync(wal, header, 0, header.length, at) === header.length; at += walFrameHeaderBytes + pageBytes)
      yield header.readUInt32BE();
  } finally {
    closeSync(wal);
  }
}

function copyBytes(source: number, target: number, position: number, length: number): void {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(source, bytes, 0, length, position) !== length) throw new Error(`short read of ${length} bytes at ${position}`);
  if (writeSync(target, bytes, 0, length, position) !== length) throw new Error(`short write of ${length} bytes at ${position}`);
}
