import type { GroupResource } from './resource.js';

/** One reason among several why an object was refused. */
export interface StatusCause { reason?: string; message?: string; field?: string }

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** Body of every error answer and of some deletions: `v1 Status`. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, never>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/**
 * A failure that a client is to see. The endpoints throw it; the HTTP layer turns it into a Status body.
 * The cause is for logs and never leaves the process.
 */
export class StatusError extends Error {
  constructor(readonly code: number, readonly reason: string, message: string, readonly details?: StatusDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StatusError';
  }

  toStatus(): Status {
    return {
      kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

const about = ({ group, resource }: GroupResource, name: string): StatusDetails => ({ ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource });
const spell = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`);

export const badRequest = (message: string, cause?: unknown): StatusError => new StatusError(400, 'BadRequest', message, undefined, { cause });
export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized');
export const notFound = (resource: GroupResource, name: string): StatusError => new StatusError(404, 'NotFound', `${spell(resource)} "${name}" not found`, about(resource, name));
export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${spell(resource)} "${name}" already exists`, about(resource, name));
export const conflict = (resource: GroupResource, name: string, why: string): StatusError =>
  new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${spell(resource)} "${name}": ${why}`, about(resource, name));
/** What an update with an outdated resource version is told. */
export const modified = (resource: GroupResource, name: string): StatusError =>
  conflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
export const methodNotSupported = (resource: GroupResource, action: string): StatusError =>
  new StatusError(405, 'MethodNotAllowed', `${action} is not supported on resources of kind "${spell(resource)}"`, { ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource });
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError => new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds });
export const internalError = (cause: unknown): StatusError => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });
};
/** Definite: nothing was done; the client may simply try again. */
export const unavailable = (message: string, retryAfterSeconds = 1): StatusError => new StatusError(503, 'ServiceUnavailable', message, { retryAfterSeconds });
/** Indefinite: the request may still take effect. */
export const timeout = (message: string, retryAfterSeconds = 1): StatusError => new StatusError(504, 'Timeout', message, { retryAfterSeconds });
export const gone = (message: string): StatusError => new StatusError(410, 'Expired', message);
