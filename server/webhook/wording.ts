import { NoAnswerError, WebhookError, type Refusal } from './client.js';

/** Returns the reference's message for a failed call, that of its HTTP client. */
export function callFailure(url: string, error: unknown): string {
  if (error instanceof WebhookError && error.refusal !== null) return answered(error.code, error.refusal);
  if (error instanceof WebhookError && error.cause === undefined) return error.message;
  return `Post ${JSON.stringify(url)}: ${transportFailure(error instanceof WebhookError ? error.cause : error)}`;
}

/** The reference's format of whole seconds: `2s`, `1m0s`. */
export function writtenSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

type NodeError = Error & {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly reason?: string;
};

const dialFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
};
const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const otherFailures: Readonly<Record<string, string>> = {
  ECONNRESET: 'EOF',
  EPIPE: 'EOF',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  ERR_SSL_WRONG_VERSION_NUMBER: 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'http: server gave HTTP response to HTTPS client',
};

function transportFailure(cause: unknown): string {
  if (cause instanceof NoAnswerError) return 'context deadline exceeded';
  const error = (cause instanceof AggregateError ? cause.errors[0] : cause) as NodeError;
  const code = error.code ?? '';
  const dial = dialFailures[code];
  if (dial !== undefined) return `dial tcp ${hostPort(error.address ?? '', error.port ?? 0)}: connect: ${dial}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${error.hostname ?? ''}: no such host`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: ${error.reason ?? 'certificate is not valid for this name'}`;
  if (error.name === 'AbortError') return 'context canceled';
  return otherFailures[code] ?? error.message;
}

const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

const statusWords: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  415: 'the server was unable to respond with a content type that the client supports',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
const textCharactersMax = 2048;

function answered(code: number, { text, contentType }: Refusal): string {
  const known = statusWords[code];
  if (known !== undefined) return known;
  const isText = contentType === '' || contentType.startsWith('text/');
  const said = isText ? text.trim().slice(0, textCharactersMax) : 'unknown';
  if (code === 403) return said === '' ? 'unknown' : said;
  if (code >= 500)
    return statusMessage(text) ?? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

function statusMessage(text: string): string | null {
  try {
    const { kind, message } = JSON.parse(text) as { readonly kind?: unknown; readonly message?: unknown };
    return kind === 'Status' && typeof message === 'string' && message !== '' ? message : null;
  } catch {
    return null;
  }
}
