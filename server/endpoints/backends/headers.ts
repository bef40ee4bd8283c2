import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { RequestContext } from '../context.js';

/** They speak of one connection only (RFC 9110, section 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings']);
/** They prove to this server who asks; the backend must not be able to act as that user. */
const secret = (name: string): boolean => name === 'authorization' || name.startsWith('impersonate-') || name.startsWith('x-remote-');
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

/** The headers of a request as they go on to a backend. `upgrade`: the connection is to become one of another protocol. */
export function forwardedHeaders({ request }: Pick<RequestContext, 'request'>, upgrade: boolean): OutgoingHttpHeaders {
  const named = connectionOptions(request.headers);
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(':') || name === 'host' || ofConnection.has(name) || named.has(name) || secret(name)) continue;
    headers[name] = value;
  }
  const from = request.socket?.remoteAddress;
  if (from !== undefined) headers['x-forwarded-for'] = [request.headers['x-forwarded-for'], from].flat().filter(each => each !== undefined).join(', ');
  return upgrade ? { ...headers, ...protocolsWithoutToken(headers), connection: 'Upgrade', upgrade: request.headers.upgrade } : headers;
}

/** Browsers cannot set headers on WebSockets: their token travels as a protocol, and stays here. */
function protocolsWithoutToken(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const offered = headers['sec-websocket-protocol'];
  if (offered === undefined) return {};
  const left = String(offered).split(',').map(each => each.trim()).filter(each => !each.startsWith(tokenProtocol));
  delete headers['sec-websocket-protocol'];
  return left.length === 0 ? {} : { 'sec-websocket-protocol': left.join(', ') };
}

const connectionOptions = (headers: IncomingHttpHeaders): ReadonlySet<string> => new Set(String(headers.connection ?? '').split(',').map(each => each.trim().toLowerCase()));

/** The headers of a backend's answer as the client gets them. */
export function answeredHeaders(response: IncomingMessage): OutgoingHttpHeaders {
  const named = connectionOptions(response.headers);
  return Object.fromEntries(Object.entries(response.headers).filter(([name, value]) => value !== undefined && !ofConnection.has(name) && !named.has(name)));
}

/** The head of an answer that changes the protocol, as bytes: names and values stay as the backend wrote them. */
export function upgradeHead({ rawHeaders, statusMessage }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${statusMessage ?? 'Switching Protocols'}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
