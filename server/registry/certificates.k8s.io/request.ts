import { createPublicKey, verify } from 'node:crypto';
import { pemBlocks } from './pem.js';

/** Requests for certificates in the form of PKCS #10 (RFC 2986): what is asked for, an algorithm, and a signature that proves possession of the key. */

const PEM_TYPE = 'CERTIFICATE REQUEST';
const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const LONG_FORM = 0x80;
const LENGTH_BYTES_MAX = 4;

/** Hashes by the object identifier of the signature algorithm, in hexadecimal. Null: the algorithm includes its own (Ed25519). */
const HASHES: Readonly<Record<string, string | null>> = {
  '2a864886f70d010105': 'sha1', '2a864886f70d01010b': 'sha256', '2a864886f70d01010c': 'sha384', '2a864886f70d01010d': 'sha512',
  '2a8648ce3d0401': 'sha1', '2a8648ce3d040302': 'sha256', '2a8648ce3d040303': 'sha384', '2a8648ce3d040304': 'sha512',
  '2b6570': null,
};

/** What is wrong with the request, PEM in base64, or null. */
export function requestComplaint(base64: string): string | null {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  if (block?.type !== PEM_TYPE) return `PEM block type must be ${PEM_TYPE}`;
  try {
    return signatureComplaint(block.bytes);
  } catch (error) {
    return error instanceof DerError ? error.message : 'x509: the public key cannot be read';
  }
}

function signatureComplaint(bytes: Buffer): string | null {
  const outer = element(bytes, 0, SEQUENCE);
  if (outer.end !== bytes.length) throw new DerError('asn1: syntax error: trailing data');
  const info = element(bytes, outer.start, SEQUENCE);
  const identifier = element(bytes, info.end, SEQUENCE);
  const signature = element(bytes, identifier.end, BIT_STRING);
  const oid = element(bytes, identifier.start, null);
  const hash = HASHES[bytes.subarray(oid.start, oid.end).toString('hex')];
  if (hash === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const key = createPublicKey({ key: publicKeyOf(bytes, info), format: 'der', type: 'spki' });
  // The first byte of a bit string counts unused bits, of which a signature has none.
  const good = verify(hash, bytes.subarray(info.from, info.end), key, bytes.subarray(signature.start + 1, signature.end));
  return good ? null : 'x509: signature check failed';
}

/** Version, subject, public key: the third member of what is asked for. */
function publicKeyOf(bytes: Buffer, info: Element): Buffer {
  const version = element(bytes, info.start, null);
  const subject = element(bytes, version.end, SEQUENCE);
  const key = element(bytes, subject.end, SEQUENCE);
  return bytes.subarray(key.from, key.end);
}

/** An element of DER: all of it from `from` to `end`, its content from `start`. */
interface Element { readonly from: number; readonly start: number; readonly end: number }

class DerError extends Error {}

function element(bytes: Buffer, from: number, tag: number | null): Element {
  const [actual, first] = [bytes[from], bytes[from + 1]];
  if (actual === undefined || first === undefined) throw new DerError('asn1: syntax error: data truncated');
  if (tag !== null && actual !== tag) throw new DerError('asn1: structure error: tags don\'t match');
  const count = first < LONG_FORM ? 0 : first - LONG_FORM;
  if (count > LENGTH_BYTES_MAX || (first >= LONG_FORM && count === 0)) throw new DerError('asn1: structure error: length too large');
  const start = from + 2 + count;
  const length = count === 0 ? first : start <= bytes.length ? bytes.readUIntBE(from + 2, count) : Infinity;
  if (start + length > bytes.length) throw new DerError('asn1: syntax error: data truncated');
  return { from, start, end: start + length };
}
