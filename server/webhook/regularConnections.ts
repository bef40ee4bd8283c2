import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Connections that this server keeps open to services carry one request after the other, of different users. What one of them leaves behind on the
 * connection would be taken for a part of the next one, so a connection is used again only when everything about the exchange before was regular.
 */

/** What Node calls when a connection becomes idle, and when it is used again. Its declarations do not know that the first one may refuse. */
interface Keeping {
  keepSocketAlive(socket: Duplex): boolean;
  reuseSocket(socket: Duplex, request: ClientRequest): void;
}

/** Ends idle connections on which something comes: whatever it is, it is no answer. */
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

/**
 * Ends the connection with the answer when something was odd: the answer began before the request had been sent, there were interim answers or
 * trailers, or bytes that are no part of it. To be called before the request is sent.
 */
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
/** The last chunk, with no trailers behind it (RFC 9112, section 7.1). */
const endOfChunks = `0${endOfHead}`;

/** Counts what comes on a connection. Node's parser takes the beginning of a next answer without a word. */
class AnswerBytes {
  #total = 0;
  /** Null until the end of the head has been seen. */
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

  /** Whether they are this answer and nothing else. Behind chunks, whatever ends like the last one has a whole head in it, at which Node stops. */
  areOne({ headers, statusCode = 0 }: IncomingMessage, method: string): boolean {
    if (this.#head === null) return false;
    const length = method === 'HEAD' || bodiless.has(statusCode) ? '0' : headers['content-length'];
    return length === undefined ? this.#tail === endOfChunks : this.#total === this.#head + Number(length);
  }
}

const bodiless: ReadonlySet<number> = new Set([204, 304]);
