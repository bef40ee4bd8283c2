import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import { plainError } from '../../../api/status.js';
import { pass, type LogWay } from '../backends/relay.js';
import type { RequestContext } from '../context.js';
import type { Upgrade } from '../../../program/port/message.js';
import { acceptWebSocket, normalClosure, offeredProtocols, webSocketUpgrade } from '../webSockets.js';

/** The first, empty message shows followers of a silent log that the connection works. */

/** The reference's `wsstream`. Without one the pieces are bytes. */
const protocols: Readonly<Record<string, (piece: Buffer) => Buffer | string>> = {
  'binary.k8s.io': (piece) => piece,
  'base64.binary.k8s.io': (piece) => piece.toString('base64'),
};

/** Throws 403 where the client offers only unknown protocols. */
export function logOf(context: RequestContext): LogWay {
  const upgrade = webSocketUpgrade(context);
  return upgrade === null ? asText(context) : asMessages(context, upgrade);
}

const asText =
  (context: RequestContext): LogWay =>
  async (log) => {
    context.response.writeHead(200, { 'content-type': 'text/plain' });
    // Shows followers of a silent log that the connection works.
    context.response.flushHeaders();
    await pass(log, context);
  };

function asMessages(context: RequestContext, upgrade: Upgrade): LogWay {
  const offered = offeredProtocols(context.request);
  const chosen = offered.find((protocol) => Object.hasOwn(protocols, protocol));
  if (chosen === undefined && offered.length > 0)
    throw plainError(403, `none of the protocols ${offered.join(', ')} is known: ${Object.keys(protocols).join(', ')} are`);
  return async (log) => {
    const webSocket = await acceptWebSocket(context, upgrade, chosen);
    const written = chosen === undefined ? undefined : protocols[chosen];
    // The only possible error is that the client has gone.
    await pipeline(log, messagesTo(webSocket, written ?? ((piece) => piece))).catch(() => undefined);
  };
}

function messagesTo(webSocket: WebSocket, written: (piece: Buffer) => Buffer | string): Writable {
  const send = (piece: Buffer, done: (error?: Error | null) => void): void => {
    const message = written(piece);
    webSocket.send(message, { binary: typeof message !== 'string' }, done);
  };
  const messages = new Writable({
    construct: (done) => {
      send(Buffer.alloc(0), done);
    },
    write: (piece: Buffer, _encoding, done) => {
      send(piece, done);
    },
    final: (done) => {
      webSocket.close(normalClosure);
      done();
    },
    destroy: (error, done) => {
      if (error !== null) webSocket.terminate();
      done(error);
    },
  });
  webSocket.on('close', () => {
    messages.destroy();
  });
  return messages;
}
