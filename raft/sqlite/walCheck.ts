/**
 * SQLite stops at the first frame with a wrong checksum and silently drops the rest: after a crash the incomplete last transaction, but after a flipped bit
 * acknowledged entries and votes. With synchronous=FULL a transaction is on disk before the next begins, so a valid frame of a later one proves that an earlier
 * bad frame was once good.
 *
 * Format: https://www.sqlite.org/fileformat2.html#walformat
 *
 *     header 32 B:  magic  version  pageBytes  sequence  salt1 salt2  checksum1 checksum2
 *     frame:        page  databasePages(0 unless commit)  salt1 salt2  checksum1 checksum2 | page content
 *
 * The checksum is cumulative, so any frame can be verified from the one before.
 */
const headerBytes = 32;
const frameHeaderBytes = 24;
/** The magic number gives the checksums' byte order. */
const byteOrders = [
  { magic: 0x377f0682, littleEndian: true },
  { magic: 0x377f0683, littleEndian: false },
] as const;
type ByteOrder = (typeof byteOrders)[number];

export type WalVerdict = { readonly intact: true } | { readonly intact: false; readonly frame: number };

type Sum = readonly [number, number];

/** The verdict's `frame` counts from 1; 0 is the file's header. `pageBytes` is that of the database. */
export function checkWal(bytes: Uint8Array, pageBytes: number): WalVerdict {
  if (bytes.length < headerBytes) return { intact: true };
  const readings = byteOrders.map((order) => new WalBytes(bytes, pageBytes, order));
  const genuine = readings.find((wal) => wal.headerIsGenuine());
  if (genuine === undefined) return readings.some((wal) => wal.provesTwoTransactions()) ? { intact: false, frame: 0 } : { intact: true };
  const bad = genuine.firstBadFrame();
  return bad !== null && genuine.provesTransactionBehind(bad) ? { intact: false, frame: bad + 1 } : { intact: true };
}

class WalBytes {
  readonly #view: DataView;
  readonly #pageBytes: number;
  readonly #frames: number;
  readonly #order: ByteOrder;

  constructor(bytes: Uint8Array, pageBytes: number, order: ByteOrder) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pageBytes = pageBytes;
    this.#frames = Math.floor((bytes.length - headerBytes) / this.#frameBytes);
    this.#order = order;
  }

  headerIsGenuine(): boolean {
    if (this.#view.getUint32(0) !== this.#order.magic || this.#view.getUint32(8) !== this.#pageBytes) return false;
    return same(this.#sum([0, 0], 0, headerBytes - 8), this.#pair(headerBytes - 8));
  }

  /** Null at the end of the file. */
  firstBadFrame(): number | null {
    for (let frame = 0; frame < this.#frames; frame += 1) {
      if (!this.#isOfGeneration(frame) || !this.#verifies(frame)) return frame;
    }
    return null;
  }

  /** Whether a valid frame follows a commit frame from `bad` on. */
  provesTransactionBehind(bad: number): boolean {
    let committed = false;
    for (let frame = bad; frame < this.#frames; frame += 1) {
      if (!this.#isOfGeneration(frame)) continue;
      if (committed && this.#verifies(frame)) return true;
      committed ||= this.#commits(frame);
    }
    return false;
  }

  /** The same without a header. */
  provesTwoTransactions(): boolean {
    for (let frame = 1; frame < this.#frames; frame += 1) {
      if (this.#commits(frame - 1) && this.#sameSalts(this.#at(frame) + 8, this.#at(frame - 1) + 8) && this.#verifies(frame)) return true;
    }
    return false;
  }

  #isOfGeneration(frame: number): boolean {
    return this.#sameSalts(this.#at(frame) + 8, 16);
  }

  #sameSalts(one: number, other: number): boolean {
    return same(this.#pair(one), this.#pair(other));
  }

  #commits(frame: number): boolean {
    return this.#view.getUint32(this.#at(frame) + 4) !== 0;
  }

  #verifies(frame: number): boolean {
    const at = this.#at(frame);
    const before = this.#pair(frame === 0 ? headerBytes - 8 : this.#at(frame - 1) + 16);
    const afterHeader = this.#sum(before, at, 8);
    return same(this.#sum(afterHeader, at + frameHeaderBytes, this.#pageBytes), this.#pair(at + 16));
  }

  #sum(start: Sum, offset: number, length: number): Sum {
    let [a, b] = start;
    for (let at = offset; at < offset + length; at += 8) {
      a = (a + this.#view.getUint32(at, this.#order.littleEndian) + b) >>> 0;
      b = (b + this.#view.getUint32(at + 4, this.#order.littleEndian) + a) >>> 0;
    }
    return [a, b];
  }

  #pair(offset: number): Sum {
    return [this.#view.getUint32(offset), this.#view.getUint32(offset + 4)];
  }

  #at(frame: number): number {
    return headerBytes + frame * this.#frameBytes;
  }

  get #frameBytes(): number {
    return frameHeaderBytes + this.#pageBytes;
  }
}

function same(a: Sum, b: Sum): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
