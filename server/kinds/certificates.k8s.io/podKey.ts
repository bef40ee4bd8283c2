import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type * as v1beta1 from '../../../api/types/certificates/v1beta1.js';
import { invalid, invalidUnquoted, Path, tooLong, type FieldError, type Writable } from '../language.js';
import { element, sequence } from '../../../api/der.js';
import { requestKey } from './request.js';

const specPath = Path.of('spec');
const keyPath = specPath.child('pkixPublicKey');
const proofPath = specPath.child('proofOfPossession');
const stubPath = specPath.child('stubPKCS10Request');
const bytesMax = 10 * 1024;
const bitsPerByte = 8;
const rsaBits = [3072, 4096];
/** Curve names in Node and in messages; others cannot be read. */
const curves: Readonly<Record<string, string>> = { secp224r1: 'P-224', prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
const weakCurve = 'P-224';

type Spec = Writable<v1beta1.PodCertificateRequestSpec>;

const bytesOf = (base64: string | null | undefined): Buffer => Buffer.from(base64 ?? '', 'base64');

/** Checks either form of a request's key: plain with a signature, or in a PKCS #10 request. */
export function validateKey(given: Spec | undefined): FieldError[] {
  const spec = given ?? {};
  const [key, proof, stub] = [bytesOf(spec.pkixPublicKey), bytesOf(spec.proofOfPossession), bytesOf(spec.stubPKCS10Request)];
  if (key.length > bytesMax) return [tooLong(keyPath, bytesMax)];
  if (proof.length > bytesMax) return [tooLong(proofPath, bytesMax)];
  if (stub.length > bytesMax) return [tooLong(stubPath, bytesMax)];
  if (stub.length === 0) return validateBareKey(spec, key, proof);
  if (key.length + proof.length > 0)
    return [invalidUnquoted(specPath, 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set')];
  return validateStub(stub);
}

function validateBareKey({ pkixPublicKey = '', podUID = '' }: Spec, bytes: Buffer, proof: Buffer): FieldError[] {
  const key = publicKeyIn(bytes);
  if (key === null) return [invalid(keyPath, pkixPublicKey, 'must be a valid PKIX-serialized public key')];
  const unfit = keyFindings(key, keyPath, pkixPublicKey);
  if (unfit.length > 0) return unfit;
  return provesPossession(key, Buffer.from(podUID), proof)
    ? []
    : [invalidUnquoted(proofPath, 'could not verify proof-of-possession signature')];
}

function validateStub(stub: Buffer): FieldError[] {
  const key = requestKey(stub);
  if (key === null) return [invalidUnquoted(stubPath, 'must be a valid PKCS#10 request with a valid signature')];
  return keyFindings(key, stubPath, stub.toString('base64'));
}

function publicKeyIn(bytes: Buffer): KeyObject | null {
  try {
    if (element(bytes, 0, sequence).end !== bytes.length) return null;
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' && curveOf(key) === undefined ? null : key;
  } catch {
    return null;
  }
}

const curveOf = (key: KeyObject): string | undefined => curves[key.asymmetricKeyDetails?.namedCurve ?? ''];

function keyFindings(key: KeyObject, path: Path, quoted: string): FieldError[] {
  if (key.asymmetricKeyType === 'ed25519') return [];
  if (key.asymmetricKeyType === 'ec') {
    const curve = curveOf(key) ?? weakCurve;
    return curve === weakCurve ? [invalid(path, `curve ${curve}`, 'elliptic public keys must use curve P256 or P384')] : [];
  }
  if (key.asymmetricKeyType !== 'rsa')
    return [invalid(path, quoted, 'unknown public key type; supported types are Ed25519, ECDSA, and RSA')];
  const bits = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / bitsPerByte) * bitsPerByte;
  return rsaBits.includes(bits) ? [] : [invalid(path, `${bits}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')];
}

function provesPossession(key: KeyObject, signed: Buffer, proof: Buffer): boolean {
  if (key.asymmetricKeyType === 'ed25519') return verify(null, signed, key, proof);
  const padding =
    key.asymmetricKeyType === 'rsa'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
      : { dsaEncoding: 'der' as const };
  return verify('sha256', signed, { key, ...padding }, proof);
}

export const keyOf = ({ stubPKCS10Request: stub, pkixPublicKey }: Spec): KeyObject | null =>
  (stub ?? '') === '' ? publicKeyIn(bytesOf(pkixPublicKey)) : requestKey(bytesOf(stub));
