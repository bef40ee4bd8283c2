import type { SpaceLevel, SpaceUse } from '../replicaApi.js';

/** Peers receive the position. */
export const spaceLevels = ['none', 'scarce', 'low', 'ample'] as const satisfies readonly SpaceLevel[];

const neededBy: Readonly<Record<SpaceUse, SpaceLevel>> = { growing: 'ample', essential: 'low', freeing: 'scarce' };

export const isBelow = (level: SpaceLevel, other: SpaceLevel): boolean => spaceLevels.indexOf(level) < spaceLevels.indexOf(other);

export const allows = (level: SpaceLevel, use: SpaceUse): boolean => !isBelow(level, neededBy[use]);

const mebibyte = 1024 * 1024;
/** Write-ahead files and their next additions take some 16 MiB for each replica. */
const reserveDefaultBytes = 64 * mebibyte;
const reservePartMost = 1 / 4;
const scarcePart = 1 / 4;
const nonePart = 1 / 16;
/** The margin that ends the alarm: without it each accepted write would raise it anew. */
const clearDiskPart = 1 / 8;
const clearQuotaPart = 1 / 64;
/** Leases and the like may exceed the quota by this. */
const beyondQuotaBytes = 64 * mebibyte;

export const reserveOf = (asked: number | null, fileSystemBytes: number): number =>
  asked ?? Math.min(reserveDefaultBytes, Math.floor(fileSystemBytes * reservePartMost));

export function diskLevel(
  freeBytes: number,
  { reserveBytes, before }: { readonly reserveBytes: number; readonly before: SpaceLevel },
): SpaceLevel {
  if (freeBytes < reserveBytes * nonePart) return 'none';
  if (freeBytes < reserveBytes * scarcePart) return 'scarce';
  return freeBytes < reserveBytes * (before === 'ample' ? 1 : 1 + clearDiskPart) ? 'low' : 'ample';
}

/** Freeing writes are never refused. */
export function quotaLevel(
  usedBytes: number,
  { quotaBytes, before }: { readonly quotaBytes: number; readonly before: SpaceLevel },
): SpaceLevel {
  if (quotaBytes === 0) return 'ample';
  if (usedBytes >= quotaBytes + beyondQuotaBytes) return 'scarce';
  return usedBytes >= quotaBytes * (before === 'ample' ? 1 : 1 - clearQuotaPart) ? 'low' : 'ample';
}

export interface SpaceReading {
  readonly freeBytes: number;
  readonly fileSystemBytes: number;
  readonly storeBytes: number;
}

export interface SpaceOptions {
  readonly reserveBytes: number | null;
  readonly quotaBytes: number;
  readonly read: () => SpaceReading;
}

/** Log and store, each through its write-ahead file. */
const writtenPerByte = 4;
const readingMs = 1_000;
const spentPartMost = 1 / 8;

/** Reads the file system once a second, and earlier when a noticeable part of the reserve may be used, counting accepted writes at their worst. */
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
    return reserveOf(this.#asked, this.#reading.fileSystemBytes);
  }

  get disk(): SpaceLevel {
    return this.#disk;
  }

  get quota(): SpaceLevel {
    return this.#quota;
  }

  take(bytes: number): void {
    this.#takenBytes += bytes;
  }

  /** `waitingBytes` were accepted and may not be on disk yet. */
  look(nowMs: number, waitingBytes: number): void {
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
