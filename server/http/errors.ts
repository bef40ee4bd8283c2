import { internalError, StatusError } from '../../api/status.js';
import { DamagedListError, DamagedValueError } from '../storage/encoding.js';

/** Only a StatusError is meant for clients. Other errors are defects, logged under the request's audit id. */
export function toStatusError(error: unknown, auditId: string): StatusError {
  if (error instanceof StatusError) return error;
  // Operators need to know which object is unreadable.
  if (error instanceof DamagedValueError || error instanceof DamagedListError) return internalError(error);
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: the server log has the cause under audit id ${auditId}`,
    undefined,
    { cause: error },
  );
}
