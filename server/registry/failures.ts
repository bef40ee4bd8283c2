import { alreadyExists, modified, StatusError, timeout, unavailable } from '../../api/status.js';
import type { GroupResource } from '../../api/resource.js';
import type { Failure, WriteResult } from '../storage/contract.js';
import { expiryText, type ExpiryReason } from '../storage/watchEnds.js';

/** 410, with the reason for the log and for metrics. */
export class ExpiredError extends StatusError {
  constructor(
    readonly why: ExpiryReason,
    message: string,
  ) {
    super(410, 'Expired', `${message}${expiryText(why)}`);
  }
}

/** Definite failures may be retried at once; indefinite ones say so. */
export function readFailure(failure: Failure, expiredMessage?: string): StatusError {
  switch (failure.outcome) {
    case 'unavailable':
      // No Retry-After header: clients would retry ten times silently.
      return new StatusError(503, 'ServiceUnavailable', failure.reason);
    case 'tooLarge':
      return tooLargeVersion(failure.requested, failure.current);
    case 'expired':
      return new ExpiredError(failure.why, expiredMessage ?? `too old resource version: ${failure.oldest}`);
  }
}

const tooLargeVersion = (requested: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const watchFailure = (failure: Failure, requested: string): StatusError =>
  failure.outcome === 'expired'
    ? new ExpiredError(failure.why, `too old resource version: ${requested === '' ? '0' : requested} (${failure.oldest})`)
    : readFailure(failure);

export const expiredList = 'The resourceVersion for the provided list is too old.';

export function writeFailure(result: Extract<WriteResult, { outcome: 'unavailable' | 'noSpace' | 'rejected' | 'unknown' }>): StatusError {
  if (result.outcome === 'rejected') return new StatusError(500, '', result.reason);
  // No Retry-After header (docs/decisions/0017).
  if (result.outcome === 'noSpace') return new StatusError(507, 'InsufficientStorage', result.reason);
  return result.outcome === 'unavailable'
    ? unavailable(result.reason)
    : timeout(`the request did not complete within the allowed duration, and may still take effect: ${result.reason}`);
}

export interface TakenName {
  /** The existing object is being deleted, so a later attempt may succeed. */
  readonly terminating: boolean;
  /** The new object has a prefix, from which its name may have been made. */
  readonly prefixed: boolean;
}

/** The reference takes any object with a prefix for one whose name the server has chosen. */
export function nameTaken(resource: GroupResource, name: string, { terminating, prefixed }: TakenName): StatusError {
  const { message, details } = alreadyExists(resource, name);
  const fullMessage = prefixed ? `${message}, the server was not able to generate a unique name for the object` : message;
  return new StatusError(409, 'AlreadyExists', terminating ? `object is being deleted: ${fullMessage}` : fullMessage, {
    ...details,
    ...(prefixed ? { retryAfterSeconds: 1 } : {}),
  });
}

export { modified };
