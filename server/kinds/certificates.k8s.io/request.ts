import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { bitString, contentOf, DerError, element, elementsIn, sequence, type Element } from '../../../api/der.js';
import { pemBlocks } from './pem.js';

/** PKCS #10 (RFC 2986): content, an algorithm, and a signature that proves possession of the key. */

const pemType = 'CERTIFICATE REQUEST';
const organization = '55040a';
const commonName = '550403';

/** Null: the algorithm includes its own (Ed25519). */
const hashes: Readonly<Record<string, string | null>> = {
  '2a864886f70d010105': 'sha1',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d0401': 'sha1',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
};

const requestIn = (base64: string): Buffer | null => {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  return block?.type === pemType ? block.bytes : null;
};

export function requestProblem(base64: string): string | null {
  const bytes = requestIn(base64);
  if (bytes === null) return `PEM block type must be ${pemType}`;
  try {
    return signatureProblem(bytes);
  } catch (error) {
    return error instanceof DerError ? error.message : 'x509: the public key cannot be read';
  }
}

/** The public key of a DER request with a valid signature, or null. */
export function requestKey(bytes: Buffer): KeyObject | null {
  try {
    if (signatureProblem(bytes) !== null) return null;
    return keyIn(bytes, element(bytes, element(bytes, 0, sequence).start, sequence));
  } catch {
    return null;
  }
}

function keyIn(bytes: Buffer, info: Element): KeyObject {
  const { publicKey } = membersOf(bytes, info);
  return createPublicKey({ key: bytes.subarray(publicKey.from, publicKey.end), format: 'der', type: 'spki' });
}

/** The organizations of a valid request's subject, which become a client's groups. */
export const organizationsOf = (base64: string): string[] => subjectParts(base64, organization);

/** The last common name of a valid request's subject; empty for none. */
export const commonNameOf = (base64: string): string => subjectParts(base64, commonName).at(-1) ?? '';

function subjectParts(base64: string, wanted: string): string[] {
  const bytes = requestIn(base64);
  if (bytes === null) return [];
  const { subject } = membersOf(bytes, element(bytes, element(bytes, 0, sequence).start, sequence));
  return elementsIn(bytes, subject)
    .flatMap((set) => elementsIn(bytes, set))
    .flatMap((attribute) => {
      const [type, value] = elementsIn(bytes, attribute);
      const isWanted = type !== undefined && contentOf(bytes, type).toString('hex') === wanted;
      return isWanted && value !== undefined ? [contentOf(bytes, value).toString('utf8')] : [];
    });
}

function signatureProblem(bytes: Buffer): string | null {
  const outer = element(bytes, 0, sequence);
  if (outer.end !== bytes.length) throw new DerError('asn1: syntax error: trailing data');
  const info = element(bytes, outer.start, sequence);
  const algorithm = element(bytes, info.end, sequence);
  const signature = contentOf(bytes, element(bytes, algorithm.end, bitString));
  const hash = hashes[contentOf(bytes, element(bytes, algorithm.start, null)).toString('hex')];
  if (hash === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const key = keyIn(bytes, info);
  // The first byte of a bit string counts unused bits.
  return verify(hash, bytes.subarray(info.from, info.end), key, signature.subarray(1)) ? null : 'x509: signature check failed';
}

function membersOf(bytes: Buffer, info: Element): { readonly subject: Element; readonly publicKey: Element } {
  const version = element(bytes, info.start, null);
  const subject = element(bytes, version.end, sequence);
  return { subject, publicKey: element(bytes, subject.end, sequence) };
}
