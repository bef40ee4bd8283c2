import { resultCodeOf } from './resultCode.js';
import { errorText } from '../errorText.js';

/** Final for the object that threw them (see raft/log/DESIGN.md). */
export type StorageErrorCode =
  | 'DAMAGED'
  | 'DISK_FAILED'
  | 'IN_USE'
  | 'NOT_DURABLE'
  | 'WRONG_IDENTITY'
  | 'UNSUPPORTED_FORMAT'
  | 'CANNOT_OPEN'
  | 'CLOSED';

export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly path: string;

  constructor(code: StorageErrorCode, path: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.path = path;
  }
}

const replaceAdvice = 'Do not repair it by hand: remove this member from the cluster, and add a new one with an empty data directory.';

/** `index` is the first doubtful one, null if the whole file is unreadable. */
export class DamagedLogError extends StorageError {
  readonly index: number | null;

  constructor(path: string, index: number | null, what: string, cause?: unknown) {
    super(
      'DAMAGED',
      path,
      `the Raft log ${path} is damaged${index === null ? '' : ` at index ${index}`}: ${what}. ${replaceAdvice}`,
      cause,
    );
    this.index = index;
  }
}

/** `key` is the first doubtful one, null if the whole file is unreadable. */
export class DamagedStoreError extends StorageError {
  readonly key: string | null;

  constructor(path: string, { key, what }: { readonly key: string | null; readonly what: string }, cause?: unknown) {
    super(
      'DAMAGED',
      path,
      `the store ${path} is damaged${key === null ? '' : ` at key ${JSON.stringify(key)}`}: ${what}. ${replaceAdvice}`,
      cause,
    );
    this.key = key;
  }
}

/** The store is intact: request another snapshot. */
export class DamagedSnapshotError extends StorageError {
  readonly what: string;

  constructor(path: string, what: string, cause?: unknown) {
    super('DAMAGED', path, `the snapshot ${path} cannot be used: ${what}`, cause);
    this.what = what;
  }
}

/** The disk's content is unknown, so nothing is retried and every later call throws this error. */
export class DiskFailedError extends StorageError {
  constructor(path: string, what: string, cause: unknown) {
    super(
      'DISK_FAILED',
      path,
      `${what} failed on ${path}: ${errorText(cause)}. The replica must stop; check the disk before it starts again`,
      cause,
    );
  }
}

const noSpaceCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** A full disk, unlike a failed sync, has written none of the bytes. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (resultCodeOf(at) === 'FULL' || noSpaceCodes.has((at as NodeJS.ErrnoException).code)) return true;
  return false;
}

export class InUseError extends StorageError {
  constructor(path: string, cause?: unknown) {
    super('IN_USE', path, `${path} is in use: another process runs on this data directory, and only one may`, cause);
  }
}

export class NotDurableError extends StorageError {
  constructor(path: string, what: string) {
    super('NOT_DURABLE', path, `${path} cannot be written durably: ${what}`);
  }
}

export class WrongIdentityError extends StorageError {
  constructor(path: string, what: string) {
    super('WRONG_IDENTITY', path, `${path} belongs to another replica: ${what}`);
  }
}

/** The file is intact, but of an unsupported kind or version. */
export class UnsupportedFormatError extends StorageError {
  constructor(path: string, what: string) {
    super('UNSUPPORTED_FORMAT', path, `${path} has a format that this program does not read: ${what}`);
  }
}

export class CannotOpenError extends StorageError {
  constructor(path: string, cause: unknown) {
    super('CANNOT_OPEN', path, `${path} cannot be opened: ${errorText(cause)}`, cause);
  }
}

export class ClosedError extends StorageError {
  constructor(path: string) {
    super('CLOSED', path, `${path} was closed`);
  }
}
