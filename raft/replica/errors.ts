export type ReplicaErrorCode = 'REFUSED_BY_PEER' | 'REMOVED' | 'INCONSISTENT_DATA' | 'INVALID_OPTIONS' | 'THREAD_ENDED' | 'STOPPED';

/** `code` is stable; the message names a remedy. */
export class ReplicaError extends Error {
  override readonly name = 'ReplicaError';
  readonly code: ReplicaErrorCode;

  constructor(code: ReplicaErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
