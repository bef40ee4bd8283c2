import { expect } from 'chai';
import { unauthorized } from '../../../../api/status.js';
import type { Auditor } from '../../../../server/audit/auditor.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { auditFilter } from '../../../../server/http/filters/audit.js';

interface Seen {
  attempted: string | null;
  readonly notes: [string, string][];
}

/** Lets a filter refuse a request, and returns what its audit event tells. */
async function refused(headers: Record<string, string>, search = '', certificate = {}): Promise<Seen> {
  const seen: Seen = { attempted: null, notes: [] };
  const auditor = {
    beginRefused: (_: unknown, { attempted }: { readonly attempted: string | null }) => {
      seen.attempted = attempted;
      return { annotate: (key: string, text: string) => seen.notes.push([key, text]) };
    },
  } as unknown as Auditor;
  const exchange = {
    request: { headers, socket: { getPeerCertificate: () => certificate } },
    query: new URLSearchParams(search),
    audit: null,
    credentialNotes: [],
  } as unknown as Exchange;
  const refuse = (asked: Exchange): void => {
    asked.credentialNotes = [{ key: 'k', text: 't' }];
    throw unauthorized();
  };
  const outcome = await Promise.resolve(auditFilter(auditor, refuse)(exchange)).catch((error: Error) => error.message);
  expect(outcome).to.equal('Unauthorized');
  return seen;
}

describe('audit events of refused credentials', () => {
  // getAuthMethods of endpoints/filters/authn_audit.go.
  const basic = `basic ${Buffer.from('ann:secret').toString('base64')}`;
  const cases: readonly (readonly [string, Parameters<typeof refused>, string])[] = [
    ['a token', [{ authorization: ' BEARER t' }], 'attempted: bearer'],
    ['a password', [{ authorization: basic }], 'attempted: basic'],
    ['no password', [{ authorization: 'Basic t' }], 'no credentials provided'],
    ['no token', [{ authorization: 'Bearer' }], 'no credentials provided'],
    ['another scheme', [{ authorization: 'Digest t' }], 'no credentials provided'],
    ['a token in the query', [{}, 'access_token=t'], 'attempted: access_token'],
    ['blanks in the query', [{}, 'access_token=+'], 'no credentials provided'],
    ['several', [{ authorization: 'Bearer t' }, 'access_token=t', { subject: 'x' }], 'attempted: bearer, access_token, x509'],
  ];
  for (const [what, given, expected] of cases)
    it(`name the ways that were tried: ${what}`, async () => {
      expect((await refused(...given)).attempted).to.equal(`Authentication failed, ${expected}`);
    });
  it('have the notes about the credentials', async () => {
    expect((await refused({})).notes).to.deep.equal([['k', 't']]);
  });
});
