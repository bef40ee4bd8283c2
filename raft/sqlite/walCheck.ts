/**
 * Tells a torn tail from damage in SQLite's write-ahead file. SQLite itself stops at the first frame whose checksum is wrong and silently forgets
 * everything behind it: right after a crash, when only the last transaction can be incomplete, but after a flipped bit it would forget
 * acknowledged entries and votes. With synchronous=FULL a transaction is on disk before the next one begins, so a genuine frame of a later
 * transaction behind a bad frame proves that the bad one was once good.
 *
 * Format: https://www.sqlite.org/fileformat2.html#walformat
 *
 *     header 32 B:  magic  version  pageBytes  sequence  salt1 salt2  checksum1 checksum2
 *     frame:        page  databasePages(0 unless commit)  salt1 salt2  checksum1 checksum2 | page content
 *
 * The checksum runs on from frame to frame, and each frame stores it as it stands after that frame; so any frame can be verified from the one before.
 */
const headerBytes = 32;
const frameHeaderBytes = 24;
const magicLittleEndian = 0x377f0682;
const magicBigEndian = 0x377f0683;

export type WalVerdict = { readonly intact: true } | { readonly intact: false; readonly frame: number };

type Sum = readonly [number, number];

/** `frame` of the verdict counts from 1; 0 is the file's header. `pageBytes` is that of the database. */
export function checkWal(bytes: Uint8Array, pageBytes: number): WalVerdict {
  if (bytes.length < headerBytes) return { intact: true };
  const wal = new WalBytes(bytes, pageBytes);
  if (!wal.headerIsGenuine()) return wal.provesLaterTransaction(0) ? { intact: false, frame: 0 } : { intact: true };
  const bad = wal.firstBadFrame();
  if (bad === null || !wal.provesLaterTransaction(bad)) return { intact: true };
  return { intact: false, frame: bad + 1 };
}

class WalBytes {
  readonly #view: DataView;
  readonly #pageBytes: number;
  readonly #frames: number;
  readonly #littleEndian: boolean;

  constructor(bytes: Uint8Array, pageBytes: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pageBytes = pageBytes;
    this.#frames = Math.floor((bytes.length - headerBytes) / this.#frameBytes);
    this.#littleEndian = this.#view.getUint32(0) !== magicBigEndian;
  }

  headerIsGenuine(): boolean {
    const magic = this.#view.getUint32(0);
    if (magic !== magicLittleEndian && magic !== magicBigEndian) return false;
    if (this.#view.getUint32(8) !== this.#pageBytes) return false;
    return same(this.#sum([0, 0], 0, headerBytes - 8), this.#storedSum(headerBytes - 8));
  }

  /** First frame of this generation (counted from 0) that does not verify, or the place where the generation ends; null at the end of the file. */
  firstBadFrame(): number | null {
    for (let frame = 0; frame < this.#frames; frame += 1) {
      if (!this.#hasSaltsOf(frame, 16) || !this.#verifies(frame)) return frame;
    }
    return null;
  }

  /** Whether, from `start` on, a commit frame is followed by a frame that verifies with equal salts. */
  provesLaterTransaction(start: number): boolean {
    let committed: number | null = null;
    for (let frame = start; frame < this.#frames; frame += 1) {
      if (!this.#isOfGeneration(frame, start)) continue;
      if (committed !== null && frame > start && this.#verifies(frame)) return true;
      if (this.#view.getUint32(this.#at(frame) + 4) !== 0) committed = frame;
    }
    return false;
  }

  /** With a damaged header, the salts of neighbouring frames have to agree with each other instead. */
  #isOfGeneration(frame: number, start: number): boolean {
    if (this.#hasSaltsOf(frame, 16)) return true;
    return start === 0 && frame > 0 && !this.headerIsGenuine() && this.#hasSaltsOf(frame, this.#at(frame - 1) + 8);
  }

  #hasSaltsOf(frame: number, offset: number): boolean {
    const own = this.#at(frame) + 8;
    return this.#view.getUint32(own) === this.#view.getUint32(offset) && this.#view.getUint32(own + 4) === this.#view.getUint32(offset + 4);
  }

  #verifies(frame: number): boolean {
    const at = this.#at(frame);
    const before = this.#storedSum(frame === 0 ? headerBytes - 8 : this.#at(frame - 1) + 16);
    const afterHeader = this.#sum(before, at, 8);
    return same(this.#sum(afterHeader, at + frameHeaderBytes, this.#pageBytes), this.#storedSum(at + 16));
  }

  #sum(start: Sum, offset: number, length: number): Sum {
    let [a, b] = start;
    for (let at = offset; at < offset + length; at += 8) {
      a = (a + this.#view.getUint32(at, this.#littleEndian) + b) >>> 0;
      b = (b + this.#view.getUint32(at + 4, this.#littleEndian) + a) >>> 0;
    }
    return [a, b];
  }

  #storedSum(offset: number): Sum {
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
