import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { turns } from '../../workers/turns/turns.js';
import type { RequestContext } from './context.js';
import type { EncodedList } from './encoders/encoder.js';
import { pieceBytes, pieces, type Piece } from './pieces.js';
import { answerStream, isGone, writableOf } from '../../program/port/streams.js';
import { timed } from '../../program/tracing/requestLatency.js';
import { warningHeaders } from '../../program/port/warningHeaders.js';

const writtenBytesMax = 2 * pieceBytes;
/** The bound and the level of compression are the reference's. */
const compressionLevel = 1;

/** Weights are ignored, as in the reference. */
export const acceptsGzip = ({ request }: RequestContext): boolean => {
  const header = request.headers['accept-encoding'];
  return (
    header !== undefined &&
    String(header)
      .split(',')
      .some((token) => token.trim() === 'gzip')
  );
};

/** Sends long documents in pieces, as the connection has room. */
export function send(context: RequestContext, code: number, contentType: string, bytes: Buffer): void {
  if (context.response.headersSent || isGone(context.response)) return;
  writeHead(context, code, contentType, bytes.length);
  context.response.end(bytes);
}

export function sendShared(context: RequestContext, code: number, contentType: string, bytes: Buffer): void {
  context.bodyShared = true;
  send(context, code, contentType, bytes);
}

/** The reference's page for unknown paths. */
export function sendPageNotFound(context: RequestContext): void {
  send(context, 404, 'text/plain; charset=utf-8', Buffer.from('404 page not found\n'));
}

/** `length` is null for a stream. */
export function writeHead({ response, warnings }: RequestContext, code: number, contentType: string, length: number | null): void {
  response.statusCode = code;
  response.setHeader('content-type', contentType);
  if (length !== null) response.setHeader('content-length', length);
  if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings));
}

/** `compress`: with gzip where it pays. */
export async function sendParts(
  context: RequestContext,
  contentType: string,
  { parts, size }: EncodedList,
  compress: boolean,
): Promise<void> {
  const { response } = context;
  if (isOnePart(parts) && parts[0].length < pieceBytes) return send(context, 200, contentType, parts[0]);
  if (size !== null && size < pieceBytes) return send(context, 200, contentType, Buffer.concat([...parts], size));
  const rest = pieces(parts);
  const start = rest.next();
  if (start.done === true) return send(context, 200, contentType, Buffer.alloc(0));
  const { value: first } = start;
  if (first.bytes.length < pieceBytes) return send(context, 200, contentType, Buffer.from(first.bytes));
  if (response.headersSent || isGone(response)) return;
  if (compress) return sendCompressed(context, contentType, first, rest);
  writeHead(context, 200, contentType, size);
  response.flushHeaders();
  await writePieces(context, answerStream(response), { first, rest, gone: () => isGone(response) });
  response.end();
}

const isOnePart = (parts: Iterable<Buffer>): parts is readonly [Buffer] => Array.isArray(parts) && parts.length === 1;

interface Pieces {
  readonly first: Piece;
  readonly rest: Iterable<Piece>;
  readonly gone: () => boolean;
}

async function writePieces(context: RequestContext, out: Writable, { first, rest, gone }: Pieces): Promise<void> {
  write(out, first);
  for (const piece of rest) {
    await turns.next();
    if (out.writableLength > writtenBytesMax) await timed(context.latency, 'response-write', () => drained(out, context.signal));
    if (gone()) return;
    write(out, piece);
  }
}

/** A failure leaves the memory to the garbage collector. */
function write(out: Writable, { bytes, release }: Piece): void {
  if (release === null) out.write(bytes);
  else
    out.write(bytes, (error) => {
      if (error == null) release();
    });
}

/** The library's threads compress piece by piece. */
async function sendCompressed(context: RequestContext, contentType: string, first: Piece, rest: Iterable<Piece>): Promise<void> {
  const { response } = context;
  response.setHeader('content-encoding', 'gzip');
  response.setHeader('vary', 'Accept-Encoding');
  writeHead(context, 200, contentType, null);
  const gzip = createGzip({ level: compressionLevel, chunkSize: pieceBytes });
  gzip.pipe(writableOf(response));
  context.onClose(() => {
    gzip.destroy();
  });
  await writePieces(context, gzip, { first, rest, gone: () => gzip.destroyed });
  if (!gzip.destroyed) gzip.end();
}

function drained(out: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    out.on('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
