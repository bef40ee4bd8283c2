import type { Authenticator } from '../../../program/authentication/authenticator.js';
import { check, type TokenAuthenticator } from './token.js';

/** Browsers can only set protocols on WebSockets: this prefix precedes a token in base64url. */
const prefix = 'base64url.bearer.authorization.k8s.io.';

/** Authenticates by the token among a WebSocket's protocols, and removes it. Another protocol must be offered, too. */
export function webSocketAuthenticator(authenticate: TokenAuthenticator, audiences: readonly string[]): Authenticator {
  return async (request) => {
    const named = request.headers['sec-websocket-protocol'];
    if (typeof named !== 'string' || !named.includes(prefix)) return { outcome: 'absent' };
    const protocols = named.split(',').map((protocol) => protocol.trim());
    const [carrier, ...more] = protocols.filter((protocol) => protocol.startsWith(prefix));
    if (carrier === undefined) return { outcome: 'absent' };
    const others = protocols.filter((protocol) => !protocol.startsWith(prefix));
    if (more.length > 0) return { outcome: 'invalid', reason: 'several tokens among the protocols of a WebSocket' };
    if (others.length === 0) return { outcome: 'invalid', reason: 'a WebSocket names no protocol beside its token' };
    const result = await check(authenticate, Buffer.from(carrier.slice(prefix.length), 'base64url').toString('utf8'), audiences);
    if (result.outcome === 'user') request.headers['sec-websocket-protocol'] = others.join(', ');
    return result;
  };
}
