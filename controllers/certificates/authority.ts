import 'reflect-metadata';
import { createPrivateKey, webcrypto, type KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { useNodeCrypto, type RequestedCertificate } from './request.js';
import { validityOf } from './validity.js';

export interface Authority {
  sign(request: RequestedCertificate, terms: Terms): Promise<string>;
}

export interface Terms {
  readonly usages: readonly string[];
  readonly now: number;
  readonly livesMs: number;
}

interface Algorithm {
  readonly import: { readonly name: string; readonly hash?: string; readonly namedCurve?: string };
  readonly sign: { readonly name: string; readonly hash: string };
}

const curves: Readonly<Record<string, { readonly namedCurve: string; readonly hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
};

const { KeyUsageFlags: flags } = x509;
const keyUsages: Readonly<Record<string, x509.KeyUsageFlags>> = {
  signing: flags.digitalSignature,
  'digital signature': flags.digitalSignature,
  'content commitment': flags.nonRepudiation,
  'key encipherment': flags.keyEncipherment,
  'key agreement': flags.keyAgreement,
  'data encipherment': flags.dataEncipherment,
  'cert sign': flags.keyCertSign,
  'crl sign': flags.cRLSign,
  'encipher only': flags.encipherOnly,
  'decipher only': flags.decipherOnly,
};
const extendedUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** Throws when the texts are no certificate with its key. */
export async function authorityWith(certificatePem: string, keyPem: string): Promise<Authority> {
  useNodeCrypto();
  const issuer = new x509.X509Certificate(certificatePem);
  const key = createPrivateKey(keyPem);
  const algorithm = algorithmOf(key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm.import, false, [
    'sign',
  ]);
  return {
    async sign(request, { usages, now, livesMs }) {
      const { notBefore, notAfter } = validityOf(now, { livesMs, authorityEnds: issuer.notAfter.getTime() });
      const certificate = await x509.X509CertificateGenerator.create({
        subject: request.parsed.subjectName.toJSON(),
        issuer: issuer.subjectName.toJSON(),
        publicKey: request.parsed.publicKey,
        signingKey,
        signingAlgorithm: algorithm.sign,
        notBefore: new Date(notBefore),
        notAfter: new Date(notAfter),
        serialNumber: serialNumber(),
        extensions: [
          ...usageExtensions(usages),
          new x509.BasicConstraintsExtension(false, undefined, true),
          await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
          ...nameExtension(request),
        ],
      });
      return `${certificate.toString('pem')}\n`;
    },
  };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'rsa') {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    return { import: rsa, sign: rsa };
  }
  const curve = asymmetricKeyType === 'ec' ? curves[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  if (!curve) throw new Error(`certificates are not signed with a key of type ${asymmetricKeyType ?? 'unknown'}`);
  return { import: { name: 'ECDSA', namedCurve: curve.namedCurve }, sign: { name: 'ECDSA', hash: curve.hash } };
}

function usageExtensions(usages: readonly string[]): x509.Extension[] {
  const unknown = usages.filter((usage) => !Object.hasOwn(keyUsages, usage) && !Object.hasOwn(extendedUsages, usage));
  if (unknown.length > 0) throw new Error(`unrecognized usages: ${unknown.join(', ')}`);
  const bits = usages.reduce((all, usage) => all | (keyUsages[usage] ?? 0), 0);
  const extended = [...new Set(usages.flatMap((usage) => extendedUsages[usage] ?? []))].sort();
  return [
    ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, true)]),
    ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
  ];
}

function nameExtension({ dnsNames, ipAddresses, emails, uris }: RequestedCertificate): x509.Extension[] {
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  return names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)];
}

/** 127 random bits: positive, and never the same twice. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
