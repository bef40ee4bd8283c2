import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { bits, der, integer, moment, octets, oid, pem, sequence, set, text, truth } from './der.js';

/** Certificates for servers that were given none. A library for certificates of all kinds would take 50 ms and 4 MiB for the one kind that is made here. */

const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
const ids = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

export interface ServedNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

/** A key and a certificate (RFC 5280) that signs itself, good for serving under the names given. PEM texts. */
export function makeSelfSigned(names: ServedNames): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const name = sequence(set(sequence(oid(ids.commonName), text(`${names.dns[0] ?? 'localhost'}@${Math.floor(now / 1000)}`))));
  const algorithm = sequence(oid(ids.ecdsaWithSha256));
  const content = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(randomBytes(15)),
    algorithm,
    name,
    // Clocks of other machines may be behind.
    sequence(moment(now - dayMs), moment(now + validDays * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensionsFor(names)),
  );
  const certificate = sequence(content, algorithm, bits(sign('sha256', content, privateKey)));
  return { cert: pem('CERTIFICATE', certificate), key: pem('PRIVATE KEY', privateKey.export({ type: 'pkcs8', format: 'der' })) };
}

function extensionsFor({ dns, ip }: ServedNames): Buffer {
  const extension = (id: string, value: Buffer, critical = false): Buffer =>
    sequence(oid(id), ...(critical ? [truth()] : []), octets(value));
  return sequence(
    extension(ids.basicConstraints, sequence(truth()), true),
    // The first and the sixth bit: signs what it sends, and certificates.
    extension(ids.keyUsage, bits(Buffer.from([0b1000_0100]), 2), true),
    extension(ids.extendedUsage, sequence(oid(ids.serverAuth))),
    extension(
      ids.alternativeNames,
      sequence(...dns.map((each) => der(0x82, Buffer.from(each, 'latin1'))), ...ip.map((each) => der(0x87, addressBytes(each)))),
    ),
  );
}

/** 4 or 16 bytes. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The last four bytes may be written as in IPv4.
  const plain = address.replace(/[^:]+\.[^:]+$/, (four) => addressBytes(four).toString('hex').replace(/^.{4}/, '$&:'));
  const [head = '', tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - (tail?.length ?? 0))).fill('0'), ...(tail ?? [])];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
