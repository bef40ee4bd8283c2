import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/*
 * How Node makes the client of an HTTP/1.1 connection wait, and how a connection is made to wait in the same way. Node looks, at each head that it reads,
 * whether answers wait: bytes that the socket has not taken, or that are queued in answers behind the one on the socket. When they do, it pauses the socket, and the
 * parser once it has come to the end of what was read; it resumes both when neither is so any more.
 */

/** More than any bound on what may be queued in answers. */
const heldBytes = 2 ** 40;

interface Queueing {
  /** Tells Node that so many more bytes are queued in answers of the connection, or fewer. Without a public name; a response on a socket of its own has nobody to tell. */
  readonly _onPendingData?: (bytes: number) => void;
}

/** From the next head that Node reads on, it reads nothing more of the response's connection. */
export function holdBack(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(heldBytes);
}

/** Takes back one `holdBack`; where that was the only one, and the socket has taken what was written, Node reads on. */
export function letGo(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(-heldBytes);
}

interface Paused {
  /** Whether Node has paused the socket and its parser: without a public name. Whatever resumed the socket alone would end the process. */
  readonly _paused?: boolean;
}

/** Reads on up to the next head, unless answers wait of themselves. The socket may be paused for a body as well, which nobody has asked for yet. */
export function readOn(socket: Socket, response: ServerResponse): void {
  letGo(response);
  if ((socket as Paused)._paused !== true) socket.resume();
  holdBack(response);
}

/**
 * Has Node's parser read a connection of HTTP/1.1 as a stream. By itself it reads from the handle below the stream, which hands over up to four records of TLS with
 * each read, one after the other, whether or not anybody has paused it between them: the parser takes what comes while it is paused for an error, and the
 * connection of a client that did nothing wrong is cut. A stream that is paused keeps what comes. A listener for its data is what tells Node.
 */
export function readAsStream(socket: TLSSocket): void {
  socket.on('data', ignore).off('data', ignore);
}

const ignore = (): void => {};
