import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { badRequest } from '../../../api/status.js';
import type { RequestContext } from '../context.js';

/** RFC 9110, section 7.6.1. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
/** The proxy frames the body anew and needs no permission to send. */
const ofFraming: ReadonlySet<string> = new Set(['content-length', 'expect']);
/** Only this server grants pages of other sites access. */
const ofOrigins: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);
/** Backends must not act as the user, nor clients name a user to them. Some servers read underscores as dashes. */
function isSecret(header: string): boolean {
  const name = header.replaceAll('_', '-');
  return name === 'authorization' || name.startsWith('impersonate-') || name.startsWith('x-remote-');
}
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

/** Throws 400 where the new one is HTTP. */
export function forwardedHeaders({ request }: Pick<RequestContext, 'request'>, upgrade: boolean): OutgoingHttpHeaders {
  const named = connectionOptions(request.headers);
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (
      value === undefined ||
      name.startsWith(':') ||
      name === 'host' ||
      ofConnection.has(name) ||
      ofFraming.has(name) ||
      named.has(name) ||
      isSecret(name)
    )
      continue;
    headers[name] = value;
  }
  const from = request.socket?.remoteAddress;
  if (from !== undefined)
    headers['x-forwarded-for'] = [request.headers['x-forwarded-for'], from]
      .flat()
      .filter((each) => each !== undefined)
      .join(', ');
  return upgrade
    ? { ...headers, ...protocolsWithoutToken(headers), connection: 'Upgrade', upgrade: otherProtocol(request.headers) }
    : headers;
}

/** Upgraded connections are not inspected, so clients could claim any identity to the backend. */
function otherProtocol({ upgrade = '' }: IncomingHttpHeaders): string {
  if (upgrade.split(',').some((each) => /^(h2c?|http|tls)(\/|$)/i.test(each.trim())))
    throw badRequest(`connections do not change to ${JSON.stringify(upgrade)}`);
  return upgrade;
}

/** Browsers send their token as a protocol of WebSockets. */
function protocolsWithoutToken(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const offered = headers['sec-websocket-protocol'];
  if (offered === undefined) return {};
  const left = String(offered)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => !each.startsWith(tokenProtocol));
  delete headers['sec-websocket-protocol'];
  return left.length === 0 ? {} : { 'sec-websocket-protocol': left.join(', ') };
}

const connectionOptions = (headers: IncomingHttpHeaders): ReadonlySet<string> =>
  new Set(
    String(headers.connection ?? '')
      .split(',')
      .map((each) => each.trim().toLowerCase()),
  );

export function answeredHeaders(response: IncomingMessage): OutgoingHttpHeaders {
  const named = connectionOptions(response.headers);
  return Object.fromEntries(
    Object.entries(response.headers).filter(
      ([name, value]) => value !== undefined && !ofConnection.has(name) && !ofOrigins.has(name) && !named.has(name),
    ),
  );
}

/** Names and values stay as the backend wrote them. */
export function upgradeHead({ rawHeaders, statusMessage }: IncomingMessage): string {
  const lines = [`HTTP/1.1 101 ${statusMessage ?? 'Switching Protocols'}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
