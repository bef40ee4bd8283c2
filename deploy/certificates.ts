import 'reflect-metadata';
import { generateKeyPair, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';
import type { CertificateRequest, KeyAndCertificate } from './certificateRequest.js';

/**
 * Makes keys and certificates: ECDSA on P-256 through WebCrypto, no external program. What certificates a cluster needs, and
 * where they are kept, is `pki.ts`; this module is loaded only when one must be made.
 */

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are valid from a little before they were made, for machines whose clocks differ. */
const clockSkewMsDefault = 5 * 60 * 1000;
const authorityDays = 3650;
const leafDays = 365;
/** Tokens are signed with RSA, which every library that verifies them knows. */
const tokenKeyBits = 2048;

/** A new self-signed authority. */
export async function createAuthority(commonName: string, clockSkewMs = clockSkewMsDefault): Promise<KeyAndCertificate> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    ...validity(authorityDays, clockSkewMs),
    serialNumber: serialNumber(),
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

/** A new key with a certificate signed by `authority`. */
export async function issueCertificate(
  authority: KeyAndCertificate,
  request: CertificateRequest,
  clockSkewMs = clockSkewMsDefault,
): Promise<KeyAndCertificate> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [...[request.organization ?? []].flat().map((group) => ({ O: [group] })), { CN: [request.commonName] }],
    issuer: issuer.subjectName.toJSON(),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    ...validity(leafDays, clockSkewMs, issuer.notAfter),
    serialNumber: serialNumber(),
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(request.usages.map((usage) => x509.ExtendedKeyUsage[usage])),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...subjectAlternativeNames(request),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

/** A key pair for signing tokens; PEM texts, PKCS#8 and SubjectPublicKeyInfo. */
export async function createKeyPair(kind: 'rsa' | 'ec' = 'rsa'): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  if (kind === 'ec')
    return promisify(generateKeyPair)('ec', { namedCurve: keyAlgorithm.namedCurve, privateKeyEncoding, publicKeyEncoding });
  return promisify(generateKeyPair)('rsa', { modulusLength: tokenKeyBits, privateKeyEncoding, publicKeyEncoding });
}

function subjectAlternativeNames({ dnsNames = [], ipAddresses = [] }: CertificateRequest): x509.Extension[] {
  if (dnsNames.length + ipAddresses.length === 0) return [];
  const dns = dnsNames.map((value) => ({ type: 'dns' as const, value }));
  const ip = ipAddresses.map((value) => ({ type: 'ip' as const, value }));
  return [new x509.SubjectAlternativeNameExtension([...dns, ...ip])];
}

function validity(days: number, clockSkewMs: number, latest?: Date): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  const notAfter = Math.min(now + days * dayMs, latest?.getTime() ?? Infinity);
  return { notBefore: new Date(now - clockSkewMs), notAfter: new Date(notAfter) };
}

/** 127 random bits: positive, and never the same twice (RFC 5280, 4.1.2.2). */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY') + '\n';
}

function importKey(text: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(text), keyAlgorithm, false, ['sign']);
}

function pem(certificate: x509.X509Certificate): string {
  return certificate.toString('pem') + '\n';
}
