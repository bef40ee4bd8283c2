import { createPrivateKey, X509Certificate } from 'node:crypto';
import { pemTexts } from '../pemTexts.js';

const isKey = (type: string): boolean => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');

/** Returns the error of the reference's TLS library, or null. */
export function keyPairProblem(certificatePem: string, keyPem: string): string | null {
  const certificates = pemTexts(certificatePem);
  const certificate = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (certificate === undefined) return withoutCertificate(certificates.map(({ type }) => type));
  const keys = pemTexts(keyPem);
  const key = keys.find(({ type }) => isKey(type));
  if (key === undefined) return withoutKey(keys.map(({ type }) => type));
  return pairProblem(certificate.whole, key.whole);
}

function withoutCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (skipped.length === 1 && isKey(skipped[0] ?? ''))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

function withoutKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input';
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

function pairProblem(certificate: string, key: string): string | null {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    return parsed.checkPrivateKey(createPrivateKey(key)) ? null : 'tls: private key does not match public key';
  } catch {
    return 'tls: failed to parse private key';
  }
}
