/** The members of a Status that clients read. */
export interface StatusDocument {
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;

  constructor(
    code: number,
    readonly status: StatusDocument,
    request: string,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(status.message ?? `${request} was answered with ${code}`);
    this.code = code;
    this.reason = status.reason ?? '';
  }

  /** True when the request certainly had no effect. A server with a timeout (504, and inner errors: 500) may still have executed it. */
  get definite(): boolean {
    return this.code !== 504 && this.code !== 500;
  }
}

/** No response came. When `definite`, the request did not reach the server; otherwise it may have been executed. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  constructor(
    message: string,
    readonly definite: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The client must not send requests: it was stopped, or its lease expired. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** The response does not match its content type. The request may have been executed. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

const hasReason =
  (reason: string, code: number) =>
  (error: unknown): error is ApiError =>
    error instanceof ApiError && (error.reason === reason || (error.reason === '' && error.code === code));

export const isNotFound = hasReason('NotFound', 404);
export const isAlreadyExists = hasReason('AlreadyExists', -1);
export const isConflict = hasReason('Conflict', 409);
export const isForbidden = hasReason('Forbidden', 403);
export const isInvalid = hasReason('Invalid', 422);
export const isUnauthorized = hasReason('Unauthorized', 401);
/** The requested version is no longer available: list anew. */
export const isExpired = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.reason === 'Expired' || error.reason === 'Gone' || error.code === 410);
export const isServerTimeout = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.reason === 'Timeout' || error.reason === 'ServerTimeout');

export const hasCause = (error: unknown, cause: string): boolean =>
  error instanceof ApiError && (error.status.details?.causes?.some(({ reason }) => reason === cause) ?? false);
/** Creation failed because the namespace is terminating, which needs no action or report. */
export const isNamespaceTerminating = (error: unknown): boolean => hasCause(error, 'NamespaceTerminating');

/** An error that `expected` recognises becomes null. */
export async function unless<T>(expected: (error: unknown) => boolean, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (expected(error)) return null;
    throw error;
  }
}

/** Messages of Go clients for responses without a Status, by code (`NewGenericServerResponse` in apimachinery). */
const withoutStatus: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'the server could not complete the request because it is forbidden',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  415: 'the server was not able to process the request because of its media type',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Describes a failed read of `what` (a resource with its group): by the message of a Status, else by the response code. */
export function readFailure(error: unknown, what: string): string {
  if (!(error instanceof ApiError) || error.reason !== '') return messageOf(error);
  const said =
    withoutStatus[error.code] ??
    (error.code >= 500
      ? `an error on the server (${JSON.stringify(error.message)}) has prevented the request from succeeding`
      : messageOf(error));
  return `${said} (get ${what})`;
}

/** Never empty: several failed connection attempts are one error without its own message. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : '') || error.name;
}
