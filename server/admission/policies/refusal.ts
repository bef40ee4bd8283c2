import { forbidden, StatusError } from '../../../api/status.js';
import type { AdmissionRequest } from '../../registry/admission.js';

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 };

/** The name in a refusal; empty while it is unknown. */
export const nameIn = ({ name, object }: AdmissionRequest): string => {
  return [name, object?.metadata.name, object?.metadata.generateName].find((text) => text !== undefined && text !== '') ?? 'Unknown';
};

export function refusal(request: AdmissionRequest, reason: string, message: string): StatusError {
  const { message: whole, details } = forbidden(request.resource, nameIn(request), message, [{ message }]);
  const statusReason = reason === '' ? 'Invalid' : reason;
  return new StatusError(codes[statusReason] ?? 422, statusReason, whole, details);
}
