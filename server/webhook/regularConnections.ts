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

function endSocket(this: Duplex): void { this.destroy(); }

/**
 * Ends the connection with the answer when something was odd: the answer began before the request had been sent, there were interim answers or
 * trailers, or more bytes than the answer has. To be called before the request is sent.
 */
export function endUnlessRegular(outgoing: ClientRequest): void {
  let regular = true;
  outgoing.once('information', () => { regular = false; });
  outgoing.prependOnceListener('response', (response: IncomingMessage) => {
    const { socket } = response;
    if (!outgoing.writableFinished) regular = false;
    let complete = false;
    const noteEnd = (): void => { complete = response.complete; };
    const look = (): void => {
      if (complete) regular = false;
      noteEnd();
    };
    // The bytes that brought the head may have brought all the rest: that is known once they have been read to their end.
    process.nextTick(noteEnd);
    socket.on('data', look);
    response.once('end', () => {
      socket.off('data', look);
      if (!regular || response.rawTrailers.length > 0) socket.destroy();
    });
  });
}
