import { WebSocketServer, type WebSocket } from 'ws';
import { badRequest } from '../../api/status.js';
import type { RequestContext, Upgrade } from '../context.js';
import type { Encoder } from '../encoders/encoder.js';
import { writeTogether, type Framing, type Transport } from './transport.js';

/** Clients of a watch have nothing to say but pings. */
const messageBytesMax = 4 * 1024;
const opcodes = { text: 1, binary: 2 } as const;
/** RFC 6455, section 7.4.1. */
const normalClosure = 1000;
/** Bearer tokens of browsers travel as a protocol; it must not be the one that is chosen. */
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

const server = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: messageBytesMax,
  clientTracking: false,
  handleProtocols: (protocols) => [...protocols].find((protocol) => !protocol.startsWith(tokenProtocol)) ?? false,
});

/** The connection, when the client wants to go on as a WebSocket. */
export const webSocketUpgrade = ({ upgrade = null, request }: RequestContext): Upgrade | null =>
  request.headers.upgrade?.toLowerCase() === 'websocket' ? upgrade : null;

/** Every event is a message, of text or of bytes. It has a length of its own, so the encoding's is left out. */
export const messagesOf = ({ messages, lengthBytes }: Encoder): Framing => ({
  name: ' messages',
  frame: (event) => message(opcodes[messages], event.subarray(lengthBytes)),
});

/** Completes the handshake. Rejects what is no handshake; the client has been told then. */
export async function openWebSocket(context: RequestContext, { socket, head }: Upgrade): Promise<Transport> {
  const { request } = context;
  const webSocket = await new Promise<WebSocket>((resolve, reject) => {
    context.onClose(() => {
      reject(badRequest('the WebSocket handshake failed'));
    });
    server.handleUpgrade(request as Parameters<typeof server.handleUpgrade>[0], socket, head, resolve);
  });
  webSocket.on('error', () => {
    webSocket.terminate();
  });
  return {
    // Past the library: what is sent is the same for all clients, so it is framed once for all of them.
    write: (parts, writer) => {
      if (webSocket.readyState === webSocket.OPEN) writeTogether(socket, parts, writer);
    },
    whenClosed: (action) => {
      context.onClose(action);
    },
    end: (last) => {
      if (last.length > 0 && webSocket.readyState === webSocket.OPEN) writeTogether(socket, last, null);
      webSocket.close(normalClosure);
    },
    destroy: () => {
      webSocket.terminate();
    },
  };
}

/** A whole message in one frame, not masked, as servers send it (RFC 6455, section 5.2). */
function message(opcode: number, payload: Buffer): Buffer {
  const extended = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const bytes = Buffer.allocUnsafe(2 + extended + payload.length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = extended === 0 ? payload.length : extended === 2 ? 126 : 127;
  if (extended === 2) bytes.writeUInt16BE(payload.length, 2);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(payload.length), 2);
  payload.copy(bytes, 2 + extended);
  return bytes;
}
