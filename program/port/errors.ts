import type { Status, StatusError } from '../../api/status.js';
import { acceptedForm } from './accept.js';
import { allForms } from './documentForms.js';
import type { Exchange } from './exchange.js';
import { warningHeaders } from './warningHeaders.js';

/** Cuts the connection after a partial response, which the client must not take for complete. */
export function writeStatusError(exchange: Exchange, error: StatusError): void {
  const { response } = exchange;
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  const status = error.toStatus();
  exchange.refused(status);
  const isLate = error.code === 504 && exchange.deadline <= performance.now();
  const form = isLate ? lateForm : acceptedForm(exchange, exchange.encoders ?? allForms);
  const bytes = form.document(status);
  if (exchange.warnings.length > 0) response.setHeader('warning', warningHeaders(exchange.warnings));
  const seconds = error.details?.retryAfterSeconds;
  if (seconds !== undefined && seconds > 0) response.setHeader('retry-after', String(seconds));
  if (error.code === 401 || error.code === 403) response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-type', form.mediaType);
  response.setHeader('content-length', String(bytes.length));
  response.statusCode = error.code;
  end(exchange, bytes);
}

/** The reference sends a timeout's Status as JSON declared as text, so that clients in Go use the code. */
const lateForm = {
  mediaType: 'text/plain; charset=utf-8',
  document: (status: Status): Buffer => Buffer.from(`${JSON.stringify(status)}\n`),
};

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
