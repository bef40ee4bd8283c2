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
      annotate(exchange);
      throw error;
    }
    exchange.audit = await auditor.begin(exchange);
    annotate(exchange);
  };
}

function annotate({ audit, credentialNotes }: Exchange): void {
  for (const { key, text } of credentialNotes) audit?.annotate(key, text);
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

/** Names ways that the client tried and this server knows, or once knew (endpoints/filters/authn_audit.go). */
function attempted({ request, query }: Exchange): string {
  const header = (request.headers.authorization ?? '').trim();
  const socket = request.socket as { getPeerCertificate?: () => object } | undefined;
  const tried = {
    basic: isBasic(header),
    bearer: /^bearer /i.test(header),
    access_token: (query.get('access_token') ?? '').trim() !== '',
    x509: Object.keys(socket?.getPeerCertificate?.() ?? {}).length > 0,
  };
  const ways = Object.entries(tried).flatMap(([way, was]) => (was ? [way] : []));
  return `Authentication failed, ${ways.length === 0 ? 'no credentials provided' : `attempted: ${ways.join(', ')}`}`;
}

function isBasic(header: string): boolean {
  const [, encoded = ''] = /^basic ([\w+/]+=*)$/i.exec(header) ?? [];
  return Buffer.from(encoded, 'base64').includes(':');
}
