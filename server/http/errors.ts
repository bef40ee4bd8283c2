import { internalError, StatusError } from '../../api/status.js';
import { DamagedValueError } from '../storage/encoding.js';
import type { Exchange } from './exchange.js';
import { errorEncoder } from '../endpoints/negotiation.js';
import { warningHeaders } from '../../program/port/warningHeaders.js';

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

/**
 * Answers with a Status body in the encoding that the client reads. Where half an answer is out already, cuts the connection: the client must
 * not take it for a whole one.
 */
export function writeStatusError(exchange: Exchange, error: StatusError): void {
  const { response } = exchange;
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  const status = error.toStatus();
  exchange.audit?.refused(status);
  const encoder = errorEncoder(exchange);
  const bytes = encoder.document(status);
  if (exchange.warnings.length > 0) response.setHeader('warning', warningHeaders(exchange.warnings));
  const seconds = error.details?.retryAfterSeconds;
  if (seconds !== undefined && seconds > 0) response.setHeader('retry-after', String(seconds));
  if (error.code === 401 || error.code === 403) response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-type', encoder.mediaType);
  response.setHeader('content-length', String(bytes.length));
  response.statusCode = error.code;
  end(exchange, bytes);
}

/** Plain text, for health checks and for paths that nothing serves. */
export function writeText(exchange: Exchange, code: number, text: string): void {
  const { response } = exchange;
  if (response.headersSent) return;
  const bytes = Buffer.from(text);
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-length', String(bytes.length));
  response.statusCode = code;
  end(exchange, bytes);
}

export function writeJson(exchange: Exchange, code: number, body: unknown): void {
  const { response } = exchange;
  if (response.headersSent) return;
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`);
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', String(bytes.length));
  response.statusCode = code;
  end(exchange, bytes);
}

function end({ method, response }: Exchange, bytes: Buffer): void {
  if (method === 'HEAD') response.end();
  else response.end(bytes);
}
