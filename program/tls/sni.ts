import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SecureContext, SecureContextOptions } from 'node:tls';
import { CredentialError, readPairOf, type KeyPair } from './credentials.js';

interface Candidate {
  readonly pattern: string;
  readonly context: SecureContext;
}

/**
 * Chooses certificates by the requested server name. Each text is `certFile,keyFile`, optionally with `:name,name`; otherwise the certificate's names count.
 * Exact names win over `*.` patterns, given names over a certificate's, earlier over later.
 */
export function sniChooser(
  texts: readonly string[],
  contextOptions: (pair: KeyPair) => SecureContextOptions,
): ((name: string) => SecureContext | null) | null {
  if (texts.length === 0) return null;
  const explicit: Candidate[] = [];
  const implied: Candidate[] = [];
  for (const text of texts) {
    const { certFile, keyFile, names } = splitSniPair(text);
    const pair = readPairOf(`--tls-sni-cert-key=${text}`, { certFile, keyFile });
    const context = createSecureContext(contextOptions(pair));
    const patterns = names.length > 0 ? names : namesOf(new X509Certificate(pair.cert));
    for (const pattern of patterns) (names.length > 0 ? explicit : implied).push({ pattern: pattern.toLowerCase(), context });
  }
  const candidates = [...explicit, ...implied];
  return (name) => choose(candidates, name.toLowerCase().replace(/\.$/, ''));
}

/** Parses a value of the option. Throws CredentialError. */
export function splitSniPair(text: string): { readonly certFile: string; readonly keyFile: string; readonly names: string[] } {
  const [, certFile, keyFile, names] = /^([^,]+),([^,:]+)(?::(.+))?$/.exec(text) ?? [];
  if (certFile === undefined || keyFile === undefined)
    throw new CredentialError(`--tls-sni-cert-key=${text}: want certFile,keyFile or certFile,keyFile:name,name`);
  return {
    certFile,
    keyFile,
    names:
      names === undefined
        ? []
        : names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== ''),
  };
}

const domain = /^(\*|(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/;

/** Returns the common name, if a host name, and the DNS alternative names. */
function namesOf(certificate: X509Certificate): string[] {
  const names = (certificate.subjectAltName ?? '')
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:'))
    .map((entry) => entry.slice(4));
  const common = /^CN=(.+)$/m.exec(certificate.subject)?.[1] ?? '';
  return domain.test(common) && isIP(common) === 0 ? [common, ...names] : names;
}

function choose(candidates: readonly Candidate[], name: string): SecureContext | null {
  const exact = candidates.find(({ pattern }) => pattern === name);
  if (exact !== undefined) return exact.context;
  const parent = `*${name.slice(name.indexOf('.'))}`;
  return candidates.find(({ pattern }) => name.includes('.') && pattern === parent)?.context ?? null;
}
