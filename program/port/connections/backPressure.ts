import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/*
 * Pauses the client of an HTTP/1.1 connection by Node's own means. At each head that it reads, Node checks for waiting responses: bytes that the socket has not
 * taken, or that are queued behind the response on the socket. It then pauses the socket, and the parser once it has come to the end of its input; it resumes
 * both when neither is the case any more.
 */

/** More than any bound on bytes queued in responses. */
const heldBytes = 2 ** 40;

interface Queueing {
  /**
   * Adds to Node's count of bytes queued in responses of the connection, or subtracts from it. It has no public name; a response on a socket of its own has no
   * such count.
   */
  readonly _onPendingData?: (bytes: number) => void;
}

/** Stops reading the response's connection after the next head that Node reads. */
export function holdBack(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(heldBytes);
}

/** Takes back one `holdBack`; after the last one, and when the socket has taken all written bytes, Node reads on. */
export function letGo(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(-heldBytes);
}

interface Paused {
  /** True when Node has paused the socket and its parser: without a public name. Resuming the socket alone would end the process. */
  readonly _paused?: boolean;
}

/** Reads on up to the next head, unless other responses wait. The socket may also be paused for an unread body. */
export function readOn(socket: Socket, response: ServerResponse): void {
  letGo(response);
  if ((socket as Paused)._paused !== true) socket.resume();
  holdBack(response);
}

/**
 * Makes Node's parser read a connection of HTTP/1.1 as a stream. By default it reads from the handle below the stream, which hands over up to four TLS records
 * with each read, one after the other, whether or not it was paused between them: the parser takes data that arrives while it is paused for an error, and the
 * connection of a correct client is cut. A paused stream keeps its data. A data listener switches Node over.
 */
export function readAsStream(socket: TLSSocket): void {
  socket.on('data', ignore).off('data', ignore);
}

const ignore = (): void => {};
