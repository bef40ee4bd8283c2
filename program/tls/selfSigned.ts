import { X509Certificate, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { basicConstraints, dnsName, extension, ipAddress, keyUsage } from './certificateParts.js';
import { bits, explicit, identifier, integer, sequence, setOf, text, time } from './der.js';

/** Written by hand, since a library would take 50 ms and 4 MiB for this one kind of certificate. */

const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'));
const commonName = identifier('2.5.4.3');
const serverAuth = identifier('1.3.6.1.5.5.7.3.1');

export interface ServedNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

/** Makes a key and a self-signed serving certificate for the given names. PEM texts. */
export function makeSelfSigned({ dns, ip }: ServedNames): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const name = sequence(setOf(sequence(commonName, text(`${dns[0] ?? 'localhost'}@${Math.floor(now / 1000)}`))));
  const extensions = sequence(
    basicConstraints(true),
    keyUsage(['digitalSignature', 'keyCertSign']),
    extension('2.5.29.37', sequence(serverAuth)),
    extension('2.5.29.17', sequence(...dns.map(dnsName), ...ip.map(ipAddress))),
  );
  const signed = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    // Clocks of other machines may be behind.
    sequence(time(new Date(now - dayMs)), time(new Date(now + validDays * dayMs))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, extensions),
  );
  const certificate = sequence(signed, ecdsaWithSha256, bits(sign('sha256', signed, privateKey)));
  return { cert: new X509Certificate(certificate).toString(), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
