import { internalError, StatusError } from '../../api/status.js';
import { DamagedListError, DamagedValueError } from '../storage/encoding.js';

/**
 * Turns any thrown error into the client's Status. Only a StatusError is meant for clients; anything else is a defect, whose cause is logged under the
 * request's audit id.
 */
export function toStatusError(error: unknown, auditId: string): StatusError {
  if (error instanceof StatusError) return error;
  // An operator needs to know which object is unreadable, and why; the message contains nothing of it.
  if (error instanceof DamagedValueError || error instanceof DamagedListError) return internalError(error);
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: the server log has the cause under audit id ${auditId}`,
    undefined,
    { cause: error },
  );
}
