import { internalError, StatusError } from '../../api/status.js';
import { DamagedValueError } from '../storage/encoding.js';

/**
 * Turns whatever a filter or an endpoint threw into the Status that the client sees. Only a StatusError was meant for clients;
 * anything else is a defect, whose cause stays in the log under the request's audit id.
 */
export function toStatusError(error: unknown, auditId: string): StatusError {
  if (error instanceof StatusError) return error;
  // Which object cannot be read, and why, is what an operator needs; nothing of its content is in the words.
  if (error instanceof DamagedValueError) return internalError(error);
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: the server log has the cause under audit id ${auditId}`,
    undefined,
    { cause: error },
  );
}
