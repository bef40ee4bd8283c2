import { alreadyExists, gone, modified, StatusError, timeout, unavailable } from '../../api/status.js';
import type { GroupResource } from '../../api/resource.js';
import type { Failure, WriteResult } from '../storage/contract.js';

/** The one place where failures of storage become what clients see. Definite failures may be retried at once; indefinite ones say so. */
export function readFailure(failure: Failure, expiredMessage?: string): StatusError {
  switch (failure.outcome) {
    case 'unavailable':
      // Without a hint to come back: clients that are given one try ten times, in silence, before they tell anybody.
      return new StatusError(503, 'ServiceUnavailable', failure.reason);
    case 'tooLarge':
      return tooLargeVersion(failure.requested, failure.current);
    case 'expired':
      return gone(expiredMessage ?? `too old resource version: ${failure.oldest}`);
  }
}

/** The version asked for is in the future and did not arrive in time. */
const tooLargeVersion = (requested: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** What a watch that cannot go on is told; it goes into an ERROR event. */
export const watchFailure = (failure: Failure, requested: string): StatusError =>
  failure.outcome === 'expired'
    ? gone(`too old resource version: ${requested === '' ? '0' : requested} (${failure.oldest})`)
    : readFailure(failure);

export const expiredList = 'The resourceVersion for the provided list is too old.';

/** A write that storage refused for a reason other than a changed object. */
export function writeFailure(result: Extract<WriteResult, { outcome: 'unavailable' | 'noSpace' | 'rejected' | 'unknown' }>): StatusError {
  // The reference passes on what etcd says, as a failure of its own.
  if (result.outcome === 'rejected') return new StatusError(500, '', result.reason);
  // Without a hint to come back: nothing changes until a person or a controller does something, and clients would try ten times in silence (docs/decisions/0017).
  if (result.outcome === 'noSpace') return new StatusError(507, 'InsufficientStorage', result.reason);
  return result.outcome === 'unavailable'
    ? unavailable(result.reason)
    : timeout(`the request did not complete within the allowed duration, and may still take effect: ${result.reason}`);
}

/** A create met an object of the same name. `terminating`: that one is on its way out, so trying again later may succeed. */
export const nameTaken = (resource: GroupResource, name: string, terminating: boolean): StatusError => {
  const plain = alreadyExists(resource, name);
  return terminating ? new StatusError(409, 'AlreadyExists', `object is being deleted: ${plain.message}`, plain.details) : plain;
};

export { modified };
