import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/*
 * Node checks at each head of HTTP/1.1 that it reads for waiting responses: bytes that the socket has not taken, or queued behind the response. It then pauses
 * the socket, and the parser at the end of its input; it resumes both when neither remains.
 */

const heldBytes = 2 ** 40;

interface Queueing {
  /** Changes Node's count of bytes queued in responses of the connection. Not public; absent for a response on a socket of its own. */
  readonly _onPendingData?: (bytes: number) => void;
}

/** Stops reading after the next head. */
export function holdBack(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(heldBytes);
}

/** Takes back one `holdBack`; after the last, Node reads on once the socket is drained. */
export function letGo(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(-heldBytes);
}

interface Paused {
  /** Not public: Node has paused the socket and its parser. Resuming the socket alone would end the process. */
  readonly _paused?: boolean;
}

/** The socket may also be paused for an unread body. */
export function readOn(socket: Socket, response: ServerResponse): void {
  letGo(response);
  if ((socket as Paused)._paused !== true) socket.resume();
  holdBack(response);
}

/**
 * Node's parser reads by default from the handle below the stream, which hands over up to four TLS records even when paused between them: the parser takes
 * these for an error, and cuts a correct client. A paused stream keeps its data; a data listener switches Node over.
 */
export function readAsStream(socket: TLSSocket): void {
  socket.on('data', ignore).off('data', ignore);
}

const ignore = (): void => {};
