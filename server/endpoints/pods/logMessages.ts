import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import { plainError } from '../../../api/status.js';
import { pass, type LogWay } from '../backends/relay.js';
import type { RequestContext } from '../context.js';
import type { Upgrade } from '../../../program/port/message.js';
import { acceptWebSocket, normalClosure, offeredProtocols, webSocketUpgrade } from '../webSockets.js';

/**
 * Logs go to their clients as text, or as the messages of a WebSocket: an empty one, so that who follows a log that says nothing yet knows that it is being
 * followed, and then the log as it comes.
 */

/** How pieces of a log are written, by the protocols that clients can choose (the reference's `wsstream`). Without one they are bytes. */
const protocols: Readonly<Record<string, (piece: Buffer) => Buffer | string>> = {
  'binary.k8s.io': (piece) => piece,
  'base64.binary.k8s.io': (piece) => piece.toString('base64'),
};

/** The way of a log to the client. Throws 403 where it offers protocols of which none is known. */
export function logOf(context: RequestContext): LogWay {
  const upgrade = webSocketUpgrade(context);
  return upgrade === null ? asText(context) : asMessages(context, upgrade);
}

const asText =
  (context: RequestContext): LogWay =>
  async (log) => {
    context.response.writeHead(200, { 'content-type': 'text/plain' });
    // Who follows a log that says nothing yet should know that it is being followed.
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
    // A client that has gone is all that can go wrong here, and nobody is left who could be told.
    await pipeline(log, messagesTo(webSocket, written ?? ((piece) => piece))).catch(() => undefined);
  };
}

/** Each piece is a message, at the client's pace. */
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
