import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Kept connections to services carry requests of different users. One is reused only after a completely regular exchange, since leftovers would become part of
 * the next.
 */

/** Node's hooks for a connection that becomes idle, and for its reuse. Node's declarations omit that the first may refuse. */
interface Keeping {
  keepSocketAlive(socket: Duplex): boolean;
  reuseSocket(socket: Duplex, request: ClientRequest): void;
}

/** Closes idle connections that receive data, which cannot be a response. */
export function silentWhileIdle<A extends Agent>(agent: A): A {
  const keeping = agent as unknown as Keeping;
  const [keep, reuse] = [keeping.keepSocketAlive.bind(agent), keeping.reuseSocket.bind(agent)];
  keeping.keepSocketAlive = (socket) => {
    if (socket.readableLength > 0 || !keep(socket)) return false;
    socket.on('data', endSocket);
    return true;
  };
  keeping.reuseSocket = (socket, request) => {
    socket.off('data', endSocket);
    reuse(socket, request);
  };
  return agent;
}

function endSocket(this: Duplex): void {
  this.destroy();
}

/** Closes the connection after an irregular exchange: an early response, interim responses or trailers, or extra bytes. Called before the request is sent. */
export function endUnlessRegular(outgoing: ClientRequest): void {
  const bytes = new AnswerBytes();
  const take = (chunk: Buffer): void => {
    bytes.take(chunk);
  };
  let regular = true;
  outgoing.once('socket', (socket) => {
    socket.on('data', take);
  });
  outgoing.once('information', () => {
    regular = false;
  });
  outgoing.prependOnceListener('response', (response: IncomingMessage) => {
    const { socket } = response;
    if (!outgoing.writableFinished) regular = false;
    response.once('end', () => {
      socket.off('data', take);
      if (!regular || !bytes.areOne(response, outgoing.method)) socket.destroy();
    });
  });
}

const endOfHead = '\r\n\r\n';
/** The last chunk without trailers (RFC 9112, section 7.1). */
const endOfChunks = `0${endOfHead}`;

/** Counts bytes: Node's parser silently accepts the beginning of another response. */
class AnswerBytes {
  #total = 0;
  /** Null until the end of the head. */
  #head: number | null = null;
  #begun = '';
  #tail = '';

  take(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#tail = `${this.#tail}${chunk.toString('latin1', Math.max(0, chunk.length - endOfChunks.length))}`.slice(-endOfChunks.length);
    if (this.#head !== null) return;
    this.#begun += chunk.toString('latin1');
    const at = this.#begun.indexOf(endOfHead);
    if (at < 0) return;
    this.#head = at + endOfHead.length;
    this.#begun = '';
  }

  /** Returns whether the bytes are exactly this response. Extra data after chunks that ends like the last one contains a whole head, at which Node stops. */
  areOne({ headers, statusCode = 0 }: IncomingMessage, method: string): boolean {
    if (this.#head === null) return false;
    const length = method === 'HEAD' || bodiless.has(statusCode) ? '0' : headers['content-length'];
    return length === undefined ? this.#tail === endOfChunks : this.#total === this.#head + Number(length);
  }
}

const bodiless: ReadonlySet<number> = new Set([204, 304]);
