import { plainError } from '../../../api/status.js';
import { isByCertificate } from '../../../program/authentication/certificate.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/** Browsers let any page open a WebSocket with the user's client certificate. Origins of `--cors-allowed-origins` are allowed, too. */
export function originFilter(allowed: readonly RegExp[]): Filter {
  return (exchange) => {
    if (exchange.upgrade === null) return;
    const { origin } = exchange.request.headers;
    if (origin === undefined || !isByCertificate(exchange.user) || isOwn(origin, exchange)) return;
    if (!allowed.some((pattern) => pattern.test(origin))) throw plainError(403, `origin ${JSON.stringify(origin)} is not allowed`);
  };
}

/** Reports whether the page's origin is this server. */
function isOwn(origin: string, { request }: Exchange): boolean {
  try {
    return new URL(origin).host === new URL(`https://${request.headers.host ?? ''}`).host;
  } catch {
    return false;
  }
}
