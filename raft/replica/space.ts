import type { SpaceLevel, SpaceUse } from '../replica-api.js';

/** From worst to best. Its place in this list is what peers are told. */
export const spaceLevels = ['none', 'scarce', 'low', 'ample'] as const satisfies readonly SpaceLevel[];

const neededBy: Readonly<Record<SpaceUse, SpaceLevel>> = { growing: 'ample', essential: 'low', freeing: 'scarce' };

export const isBelow = (level: SpaceLevel, other: SpaceLevel): boolean => spaceLevels.indexOf(level) < spaceLevels.indexOf(other);

/** Whether a member at this level may take a write that uses space so. */
export const allows = (level: SpaceLevel, use: SpaceUse): boolean => !isBelow(level, neededBy[use]);

const mebibyte = 1024 * 1024;
/** Write-ahead files and what they are about to add to log and store are some 16 MiB, of each replica of a disk. */
const reserveDefaultBytes = 64 * mebibyte;
/** Of a small file system the reserve takes no more than this part. */
const reservePartMost = 1 / 4;
/** Parts of the reserve below which space is scarce, and below which there is none. */
const scarcePart = 1 / 4;
const nonePart = 1 / 16;
/** So much more than the reserve, or less than the quota, is needed until the alarm ends: otherwise each write that is taken again would raise it anew. */
const clearDiskPart = 1 / 8;
const clearQuotaPart = 1 / 64;
/** What leases and the like may take beyond the quota. */
const beyondQuotaBytes = 64 * mebibyte;

/** The reserve that was asked for, or the one that fits the file system. */
export const reserveOf = (asked: number | null, { fileSystemBytes }: { readonly fileSystemBytes: number }): number =>
  asked ?? Math.min(reserveDefaultBytes, Math.floor(fileSystemBytes * reservePartMost));

/** The level of a disk that was at `before`. */
export function diskLevel(
  freeBytes: number,
  { reserveBytes, before }: { readonly reserveBytes: number; readonly before: SpaceLevel },
): SpaceLevel {
  if (freeBytes < reserveBytes * nonePart) return 'none';
  if (freeBytes < reserveBytes * scarcePart) return 'scarce';
  return freeBytes < reserveBytes * (before === 'ample' ? 1 : 1 + clearDiskPart) ? 'low' : 'ample';
}

/** The same of a store under a quota (0: it has none). What frees space is never refused. */
export function quotaLevel(
  usedBytes: number,
  { quotaBytes, before }: { readonly quotaBytes: number; readonly before: SpaceLevel },
): SpaceLevel {
  if (quotaBytes === 0) return 'ample';
  if (usedBytes >= quotaBytes + beyondQuotaBytes) return 'scarce';
  return usedBytes >= quotaBytes * (before === 'ample' ? 1 : 1 - clearQuotaPart) ? 'low' : 'ample';
}

/** What was found out about the disk and the store. */
export interface SpaceReading {
  readonly freeBytes: number;
  readonly fileSystemBytes: number;
  /** Of the store, without pages that wait to be used again. */
  readonly storeBytes: number;
}

export interface SpaceOptions {
  /** Null: what fits the file system. */
  readonly reserveBytes: number | null;
  readonly quotaBytes: number;
  readonly read: () => SpaceReading;
}

/** A byte of an entry is written to the log and to the store, both times to the write-ahead file first. */
const writtenPerByte = 4;
const readingMs = 1_000;
/** A reading is renewed early when so much of the reserve may have been used since. */
const spentPartMost = 1 / 8;

/**
 * How much room this replica has. The file system is asked once a second, and once more whenever a noticeable part of the reserve may have been used since; what was
 * taken on in between is counted at its worst.
 */
export class Space {
  readonly quotaBytes: number;
  readonly #asked: number | null;
  readonly #read: () => SpaceReading;
  #reading: SpaceReading;
  #readAtMs: number;
  #takenBytes = 0;
  #disk: SpaceLevel = 'ample';
  #quota: SpaceLevel = 'ample';

  constructor({ reserveBytes, quotaBytes, read }: SpaceOptions, nowMs: number) {
    this.quotaBytes = quotaBytes;
    this.#asked = reserveBytes;
    this.#read = read;
    this.#reading = read();
    this.#readAtMs = nowMs;
    this.#judge();
  }

  get reading(): SpaceReading {
    return this.#reading;
  }

  get reserveBytes(): number {
    return reserveOf(this.#asked, this.#reading);
  }

  get disk(): SpaceLevel {
    return this.#disk;
  }

  get quota(): SpaceLevel {
    return this.#quota;
  }

  /** So many bytes of entries will be written. */
  take(bytes: number): void {
    this.#takenBytes += bytes;
  }

  /** Reads anew where that is due. `waitingBytes` were taken and may not be on the disk yet. */
  look(nowMs: number, { waitingBytes }: { readonly waitingBytes: number }): void {
    const isDue = nowMs - this.#readAtMs >= readingMs || this.#takenBytes * writtenPerByte > this.reserveBytes * spentPartMost;
    if (!isDue) return;
    this.#reading = this.#read();
    this.#readAtMs = nowMs;
    this.#takenBytes = waitingBytes;
    this.#judge();
  }

  #judge(): void {
    const { freeBytes, storeBytes } = this.#reading;
    const waiting = this.#takenBytes;
    this.#disk = diskLevel(freeBytes - waiting * writtenPerByte, { reserveBytes: this.reserveBytes, before: this.#disk });
    this.#quota = quotaLevel(storeBytes + waiting, { quotaBytes: this.quotaBytes, before: this.#quota });
  }
}
