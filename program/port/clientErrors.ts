import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { methodNotAllowed } from '../../api/status.js';

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Unreadable bytes are never authenticated, so the response contains nothing else. */
function answerToUnreadable(error: ParserError): string {
  switch (error.code) {
    case 'HPE_INVALID_METHOD':
      return isMethod(error)
        ? written('405 Method Not Allowed', { contentType: 'application/json', body: `${JSON.stringify(methodNotAllowed().toStatus())}\n` })
        : plain('400 Bad Request');
    case 'HPE_HEADER_OVERFLOW':
      return plain('431 Request Header Fields Too Large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return plain('413 Content Too Large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return plain('408 Request Timeout');
    default:
      return plain('400 Bad Request');
  }
}

const isMethod = ({ rawPacket }: ParserError): boolean =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64} \S+ HTTP\/1\.[01]\r\n/.test(rawPacket?.subarray(0, requestLineBytesMax).toString('latin1') ?? '');

const requestLineBytesMax = 8_192;

const plain = (status: string): string => written(status, { contentType: 'text/plain; charset=utf-8', body: status });

function written(status: string, { contentType, body }: { readonly contentType: string; readonly body: string }): string {
  return [
    `HTTP/1.1 ${status}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/**
 * Node reports failed and late handshakes as unreadable requests. An answer would wait for the client to finish its handshake; the HTTP/2 session that then
 * begins meets a foreign write, and Node aborts the process (`!current_write_` in `TLSWrap::DoWrite`).
 */
const isInHandshake = (socket: Socket): boolean => (socket as Partial<TLSSocket>).alpnProtocol === null;

/** `underWay` is the response to the previous request, or to the one with a broken body: an answer would become part of it. */
export function answerUnreadable(error: ParserError, socket: Socket, underWay: ServerResponse | null): void {
  const inTheWay = underWay !== null && (underWay.headersSent || underWay.req.complete);
  if (inTheWay || isInHandshake(socket) || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else socket.end(answerToUnreadable(error));
}
