import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/*
 * Node checks at each head of HTTP/1.1 that it reads for waiting responses: bytes that the socket has not taken, or queued behind the response. It then pauses
 * the socket, and the parser at the end of its input; it resumes both when neither remains.
 */

const heldBytes = 2 ** 40;

interface Queueing {
  /** Changes Node's count of queued response bytes of the connection. Not public; absent for a response on its own socket. */
  readonly _onPendingData?: (bytes: number) => void;
}

/** Stops reading after the next head. */
export function holdBack(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(heldBytes);
}

/** Reverts one `holdBack`; after the last, Node reads on once the socket is drained. */
export function letGo(response: ServerResponse): void {
  (response as Queueing)._onPendingData?.(-heldBytes);
}

interface Paused {
  /** Not public: Node has paused socket and parser. Resuming the socket alone would end the process. */
  readonly _paused?: boolean;
}

/** The socket may also be paused for an unread body. */
export function readOn(socket: Socket, response: ServerResponse): void {
  letGo(response);
  if ((socket as Paused)._paused !== true) socket.resume();
  holdBack(response);
}

/**
 * Node's parser reads directly from the handle, which delivers up to four TLS records even when paused between them: the parser then reports an error and cuts
 * a correct client. A paused stream keeps its data, and a data listener makes Node use the stream.
 */
export function readAsStream(socket: TLSSocket): void {
  socket.on('data', ignore).off('data', ignore);
}

const ignore = (): void => {};
