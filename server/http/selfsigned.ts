import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** Makes certificates; loaded only by a server that was given none. */

const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A key and a certificate that signs itself, good for serving under the names given. PEM texts. */
export async function makeSelfSigned(names: {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}): Promise<{ readonly cert: string; readonly key: string }> {
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const keys = (await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`${names.dns[0] ?? 'localhost'}@${Math.floor(Date.now() / 1000)}`] }],
    keys,
    serialNumber: `00${randomBytes(15).toString('hex')}`,
    // Clocks of other machines may be behind.
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + validDays * dayMs),
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: 'dns' as const, value })),
        ...names.ip.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd();
  return { cert: `${certificate.toString('pem')}\n`, key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` };
}
