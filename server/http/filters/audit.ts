import type { Auditor } from '../../audit/auditor.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

/** Also records requests with invalid credentials, with the tried methods. */
export function auditFilter(auditor: Auditor | null, authenticate: Filter): Filter {
  if (auditor === null) return authenticate;
  return async (exchange) => {
    try {
      await authenticate(exchange);
    } catch (error) {
      exchange.audit = auditor.beginRefused(exchange, { attempted: attempted(exchange) });
      throw error;
    }
    exchange.audit = await auditor.begin(exchange);
    for (const { key, text } of exchange.credentialNotes) exchange.audit?.annotate(key, text);
  };
}

/** Audits requests that a filter refuses before authentication. */
export function auditedRefusals(auditor: Auditor | null, filter: Filter): Filter {
  if (auditor === null) return filter;
  return (exchange) => {
    try {
      return filter(exchange);
    } catch (error) {
      exchange.audit = auditor.beginRefused(exchange, { attempted: null });
      throw error;
    }
  };
}

function attempted({ request }: Exchange): string {
  const { authorization } = request.headers;
  const socket = request.socket as { getPeerCertificate?: () => object } | undefined;
  const certificate = Object.keys(socket?.getPeerCertificate?.() ?? {}).length > 0;
  const ways = [...(certificate ? ['x509'] : []), ...(authorization === undefined ? [] : [authorization.split(' ', 1)[0]!.toLowerCase()])];
  return `Authentication failed, ${ways.length === 0 ? 'no credentials provided' : `attempted: ${ways.join(', ')}`}`;
}
