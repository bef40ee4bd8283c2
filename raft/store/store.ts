import type { Membership } from '../types.js';
import type { StateMachine } from './contract.js';

export interface StoreOptions {
  /** Reads the data of a membership entry (`decodeMembership` of raft/core/membership.ts). Throws on anything malformed. */
  readonly decodeMembership: (data: Uint8Array) => Membership;
  /** Membership at index 0; used only when the file is created. */
  readonly initialMembership: Membership;
}

/** A state machine over SQLite. */
export interface Store extends StateMachine {
  readonly path: string;
  /** True when `openStore` made the file. */
  readonly created: boolean;
}

/**
 * Opens the store at `path`, creating it in an existing directory when there is none.
 * Throws a `StorageError`: InUseError, DamagedStoreError, UnsupportedFormatError, CannotOpenError.
 */
export function openStore(path: string, options: StoreOptions): Store {
  throw new Error(`not implemented yet: ${path} ${typeof options}`);
}
