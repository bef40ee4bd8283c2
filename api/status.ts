import { qualifiedName, type GroupResource } from './resource.js';
import { errorText } from './errorText.js';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The body of error responses and some deletions. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  /** Holds a continue token if an expired list can be continued inconsistently. */
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  /** Absent where the reference omits it from a success. */
  code?: number;
}

/** An error that the HTTP layer turns into a Status body. The cause is for logs and never leaves the process. */
export class StatusError extends Error {
  readonly #continueToken: string;

  // Follows the constructor of Error: the message, then optional values.
  // oxlint-disable-next-line max-params
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details?: StatusDetails,
    options?: ErrorOptions & { readonly continue?: string },
  ) {
    super(message, options);
    this.#continueToken = options?.continue ?? '';
    this.name = 'StatusError';
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.#continueToken === '' ? {} : { continue: this.#continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

const about = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  kind: resource,
});

export const badRequest = (message: string, cause?: unknown): StatusError =>
  new StatusError(400, 'BadRequest', message, undefined, { cause });
export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized');
export const notFound = (resource: GroupResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualifiedName(resource)} "${name}" not found`, about(resource, name));
export const alreadyExists = (resource: GroupResource, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualifiedName(resource)} "${name}" already exists`, about(resource, name));
export const conflict = (resource: GroupResource, name: string, why: string): StatusError =>
  new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualifiedName(resource)} "${name}": ${why}`, about(resource, name));
export const modified = (resource: GroupResource, name: string): StatusError =>
  conflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again');
export const methodNotSupported = (resource: GroupResource, action: string): StatusError =>
  new StatusError(405, 'MethodNotAllowed', `${action} is not supported on resources of kind "${qualifiedName(resource)}"`, {
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.resource,
  });
export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds });
export const internalError = (cause: unknown): StatusError => {
  const message = errorText(cause);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }, { cause });
};
/** Definite: nothing was done, so the client may retry. */
export const unavailable = (message: string, retryAfterSeconds = 1): StatusError =>
  new StatusError(503, 'ServiceUnavailable', message, { retryAfterSeconds });
/** Indefinite: the request may still take effect. */
export const timeout = (message: string, retryAfterSeconds = 1): StatusError =>
  new StatusError(504, 'Timeout', message, { retryAfterSeconds });

/** 403 for a reason other than missing permissions; `name` may be empty. */
export const forbidden = (resource: GroupResource, name: string, why: string, causes?: StatusCause[]): StatusError =>
  new StatusError(403, 'Forbidden', `${qualifiedName(resource)}${name === '' ? '' : ` ${JSON.stringify(name)}`} is forbidden: ${why}`, {
    ...about(resource, name),
    ...(causes === undefined ? {} : { causes }),
  });

/** A kind in messages about invalid objects; empty where the reference does not know it either. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Bounds the reported causes: an object may have as many as its lists are long. */
export const causesMax = 1_000;

/** 422: every field error is a cause; the message lists each once. */
export const invalidObject = ({ group, kind }: GroupKind, name: string, found: readonly StatusCause[]): StatusError => {
  const causes = found.slice(0, causesMax);
  const texts = [...new Set(causes.map(({ field, message }) => `${field ?? '<nil>'}: ${message ?? ''}`))];
  return new StatusError(
    422,
    'Invalid',
    `${kind}${group === '' ? '' : `.${group}`} ${JSON.stringify(name)} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), ...(kind === '' ? {} : { kind }), causes: [...causes] },
  );
};

/** 404 for an unserved path of a known group. */
export const pathNotFound = (): StatusError => new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
/** A 406 that is sent before a handler is chosen, as in the reference. */
export class NotAcceptableError extends StatusError {}
/** 406 if no entry of Accept names a supported media type. */
export const notAcceptable = (mediaTypes: readonly string[]): NotAcceptableError =>
  new NotAcceptableError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`, {});
/** 406 if the media type is supported, but not the form in its parameters. */
export const formNotAcceptable = (mediaTypes: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${mediaTypes.join(', ')}`);
export const unsupportedBody = (mediaTypes: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(', ')}`,
  );
export const unsupportedPatch = (): StatusError => new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
/** The reference reports some internal errors without a reason. */
export const plainError = (code: number, message: string): StatusError => new StatusError(code, '', message);
