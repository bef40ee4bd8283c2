import { isUtf8 } from 'node:buffer';
import type { Request } from '../../../program/port/message.js';
import type { Authenticator } from '../../../program/authentication/authenticator.js';
import { check, type TokenAuthenticator } from './token.js';

/** Browsers can only set protocols on WebSockets: this prefix precedes a token in base64url. */
const prefix = 'base64url.bearer.authorization.k8s.io.';

/** Authenticates by the token among a WebSocket's protocols, and removes it. Another protocol must be offered, too. */
export function webSocketAuthenticator(authenticate: TokenAuthenticator, audiences: readonly string[]): Authenticator {
  return async (request) => {
    if (!isWebSocket(request)) return { outcome: 'absent' };
    const named = request.headers['sec-websocket-protocol'];
    if (typeof named !== 'string' || !named.includes(prefix)) return { outcome: 'absent' };
    const protocols = named.split(',').map((protocol) => protocol.trim());
    const [carrier, ...more] = protocols.filter((protocol) => protocol.startsWith(prefix));
    if (carrier === undefined) return { outcome: 'absent' };
    const others = protocols.filter((protocol) => !protocol.startsWith(prefix));
    if (more.length > 0) return { outcome: 'invalid', reason: 'several tokens among the protocols of a WebSocket' };
    const token = tokenIn(carrier.slice(prefix.length));
    if (token === null) return { outcome: 'invalid', reason: "a WebSocket's token is not in base64url without padding" };
    if (token === '') return { outcome: 'absent' };
    if (others.length === 0) return { outcome: 'invalid', reason: 'a WebSocket names no protocol beside its token' };
    const result = await check(authenticate, token, audiences);
    if (result.outcome === 'user') request.headers['sec-websocket-protocol'] = others.join(', ');
    return result;
  };
}

/** Other requests may carry these headers through a proxy, and mean nothing by them (request/websocket/protocol.go). */
const isWebSocket = ({ headers }: Request): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /(^|.*,\s*)upgrade($|\s*,)/i.test(headers.connection ?? '');

/** Null for what is not the encoding of a text. */
function tokenIn(encoded: string): string | null {
  const bytes = Buffer.from(encoded, 'base64url');
  return /^[\w-]*$/.test(encoded) && encoded.length % 4 !== 1 && isUtf8(bytes) ? bytes.toString('utf8') : null;
}
