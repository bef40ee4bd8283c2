import { X509Certificate, createHash, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { CertificateRequest, KeyAndCertificate } from './certificateRequest.js';
import { basicConstraints, dnsName, extension, ipAddress, keyUsage } from '../program/tls/certificateParts.js';
import { bits, explicit, implicit, identifier, integer, octets, partsOf, sequence, setOf, text, time } from '../program/tls/der.js';

/** Makes keys and certificates (RFC 5280), ECDSA on P-256, with Node alone: a library takes longer to load. `pki.ts` decides which ones a cluster needs. */

const curve = 'P-256';
const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are backdated, for machines whose clocks differ. */
const clockSkewMsDefault = 5 * 60 * 1000;
const authorityDays = 3650;
const leafDays = 365;
/** Every library that verifies tokens supports RSA. */
const tokenKeyBits = 2048;

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'));
const attributes = { commonName: '2.5.4.3', organization: '2.5.4.10' } as const;
const usageIdentifiers = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

export async function createAuthority(commonName: string, clockSkewMs = clockSkewMsDefault): Promise<KeyAndCertificate> {
  const keys = await generateKeys();
  const name = distinguishedName([], commonName);
  return finished(keys.privateKey, keys.privateKey, {
    subject: name,
    issuer: name,
    publicKey: publicKeyInfo(keys.publicKey),
    validity: validity(authorityDays, clockSkewMs),
    extensions: [
      basicConstraints(true),
      keyUsage(['keyCertSign', 'cRLSign', 'digitalSignature']),
      subjectKeyIdentifier(publicKeyInfo(keys.publicKey)),
    ],
  });
}

export async function issueCertificate(
  authority: KeyAndCertificate,
  { commonName, organization = [], usages, dnsNames = [], ipAddresses = [] }: CertificateRequest,
  clockSkewMs = clockSkewMsDefault,
): Promise<KeyAndCertificate> {
  const issuer = new X509Certificate(authority.certificate);
  const keys = await generateKeys();
  const names = [...dnsNames.map(dnsName), ...ipAddresses.map(ipAddress)];
  return finished(keys.privateKey, authority.key, {
    subject: distinguishedName([organization].flat(), commonName),
    issuer: subjectOf(issuer),
    publicKey: publicKeyInfo(keys.publicKey),
    validity: validity(leafDays, clockSkewMs, new Date(issuer.validTo)),
    extensions: [
      basicConstraints(false),
      keyUsage(['digitalSignature']),
      extension('2.5.29.37', sequence(...usages.map((usage) => identifier(usageIdentifiers[usage])))),
      extension('2.5.29.35', sequence(implicit(0, keyIdentifier(publicKeyInfo(issuer.publicKey))))),
      subjectKeyIdentifier(publicKeyInfo(keys.publicKey)),
      ...(names.length > 0 ? [extension('2.5.29.17', sequence(...names))] : []),
    ],
  });
}

/** Creates a key pair for signing tokens; PEM texts, PKCS#8 and SubjectPublicKeyInfo. */
export async function createKeyPair(kind: 'rsa' | 'ec' = 'rsa'): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
  if (kind === 'ec') return promisify(generateKeyPair)('ec', { namedCurve: curve, privateKeyEncoding, publicKeyEncoding });
  return promisify(generateKeyPair)('rsa', { modulusLength: tokenKeyBits, privateKeyEncoding, publicKeyEncoding });
}

const generateKeys = (): Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }> =>
  promisify(generateKeyPair)('ec', { namedCurve: curve });

/** The signed contents (4.1.2), each part in DER. */
interface Contents {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: Buffer;
  readonly validity: Buffer;
  readonly extensions: readonly Buffer[];
}

function finished(
  key: KeyObject,
  signingKey: KeyObject | string,
  { subject, issuer, publicKey, validity, extensions }: Contents,
): KeyAndCertificate {
  const versionThree = explicit(0, integer(Buffer.of(2)));
  const extended = explicit(3, sequence(...extensions));
  const signed = sequence(versionThree, serialNumber(), ecdsaWithSha256, issuer, validity, subject, publicKey, extended);
  const certificate = sequence(signed, ecdsaWithSha256, bits(sign('sha256', signed, signingKey)));
  return { certificate: new X509Certificate(certificate).toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const distinguishedName = (organizations: readonly string[], commonName: string): Buffer =>
  sequence(...organizations.map((group) => relativeName(attributes.organization, group)), relativeName(attributes.commonName, commonName));

const relativeName = (attribute: string, value: string): Buffer => setOf(sequence(identifier(attribute), text(value)));

/** The authority's name, byte for byte: some verifiers compare exactly. */
function subjectOf(issuer: X509Certificate): Buffer {
  const [signed] = partsOf(issuer.raw);
  // Version, serial number, algorithm, issuer, validity, subject.
  return partsOf(signed!)[5]!;
}

function validity(days: number, clockSkewMs: number, latest?: Date): Buffer {
  const now = Date.now();
  const notAfter = Math.min(now + days * dayMs, latest?.getTime() ?? Infinity);
  return sequence(time(new Date(now - clockSkewMs)), time(new Date(notAfter)));
}

/** 126 random bits (4.1.2.2). */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return integer(bytes);
}

const publicKeyInfo = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

/** SHA-1 over the key's bits (4.2.1.2, method 1). */
function keyIdentifier(publicKey: Buffer): Buffer {
  const uncompressedPointBytes = 65;
  return createHash('sha1').update(publicKey.subarray(-uncompressedPointBytes)).digest();
}

const subjectKeyIdentifier = (publicKey: Buffer): Buffer => extension('2.5.29.14', octets(keyIdentifier(publicKey)));
