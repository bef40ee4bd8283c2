import { WebSocketServer, type WebSocket } from 'ws';
import { badRequest } from '../../api/status.js';
import type { RequestContext } from './context.js';
import type { Upgrade } from '../../program/port/message.js';

/** Clients of watches and logs send nothing but pings. */
const messageBytesMax = 4 * 1024;
/** RFC 6455, section 7.4.1. */
export const normalClosure = 1000;
/** Browsers send bearer tokens as a protocol, never to be selected. */
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

const server = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: messageBytesMax,
  clientTracking: false,
  handleProtocols: (protocols) => [...protocols].find(isOffered) ?? false,
});

const isOffered = (protocol: string): boolean => !protocol.startsWith(tokenProtocol);

export const webSocketUpgrade = ({ upgrade = null, request }: RequestContext): Upgrade | null =>
  request.headers.upgrade?.toLowerCase() === 'websocket' ? upgrade : null;

export const offeredProtocols = ({ headers }: RequestContext['request']): readonly string[] =>
  String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && isOffered(protocol));

/** Falls back on the client's first protocol. Rejects an invalid handshake, after responding. */
export async function acceptWebSocket(context: RequestContext, { socket, head }: Upgrade, protocol?: string): Promise<WebSocket> {
  const { request } = context;
  if (protocol !== undefined) request.headers['sec-websocket-protocol'] = protocol;
  const webSocket = await new Promise<WebSocket>((resolve, reject) => {
    context.onClose(() => {
      reject(badRequest('the WebSocket handshake failed'));
    });
    server.handleUpgrade(request as Parameters<typeof server.handleUpgrade>[0], socket, head, resolve);
  });
  webSocket.on('error', () => {
    webSocket.terminate();
  });
  context.switchedProtocols?.();
  return webSocket;
}
