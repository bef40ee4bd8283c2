export type { LogIdentity, LogOptions, PeerAcquaintance, RaftLog } from './contract.js';
import type { LogOptions, RaftLog } from './contract.js';

/**
 * Opens the log at `path`, creating it in an existing directory when there is none, and verifies all of it.
 * Throws a `StorageError`: InUseError, DamagedLogError, WrongIdentityError, NotDurableError, UnsupportedFormatError, CannotOpenError.
 */
export function openLog(path: string, options: LogOptions): RaftLog {
  throw new Error(`not implemented yet: ${path} ${options.memberId}`);
}
