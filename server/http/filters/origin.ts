import { plainError } from '../../../api/status.js';
import { isByCertificate } from '../../../program/authentication/certificate.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/**
 * Refuses to change the protocol for pages of other sites. What a browser lets a page read of other answers does not hold for WebSockets: the page of any
 * site can open one, and the browser shows its client certificate. A token is not shown by itself, and programs that are no browsers send no origin.
 * Origins that `--cors-allowed-origins` lets read everything else are let in here as well.
 */
export function originFilter(allowed: readonly RegExp[]): Filter {
  return (exchange) => {
    if (exchange.upgrade === null) return;
    const { origin } = exchange.request.headers;
    if (origin === undefined || !isByCertificate(exchange.user) || isOwn(origin, exchange)) return;
    if (!allowed.some((pattern) => pattern.test(origin))) throw plainError(403, `origin ${JSON.stringify(origin)} is not allowed`);
  };
}

/** Whether the page comes from where this request goes. */
function isOwn(origin: string, { request }: Exchange): boolean {
  try {
    return new URL(origin).host === new URL(`https://${request.headers.host ?? ''}`).host;
  } catch {
    return false;
  }
}
