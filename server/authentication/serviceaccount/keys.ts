import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Each kind of key has one algorithm. Tokens never choose it. */
export type SignatureAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

export interface VerificationKey {
  readonly key: KeyObject;
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** Verifies older tokens and is not published. */
  readonly excluded?: boolean;
}

export interface VerificationKeys {
  /** Replaced when the keys change. */
  readonly current: readonly VerificationKey[];
  readonly maxAgeSeconds?: number;
  /** Fetches unknown keys, where there may be some. */
  renew?(): Promise<readonly VerificationKey[]>;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

/** Verification tries each key; more than this is a mistake. */
const keysMax = 64;
const rsaBitsMin = 2048;
const curves: Readonly<Record<string, SignatureAlgorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;
const keyBlocks: ReadonlySet<string> = new Set([
  'PUBLIC KEY',
  'RSA PUBLIC KEY',
  'PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'CERTIFICATE',
]);

/** Reads public keys from PEM files, including private keys and certificates. Throws with option and file. */
export function readVerificationKeys(files: readonly string[], option: string): VerificationKey[] {
  const keys = new Map<string, VerificationKey>();
  for (const file of files) {
    const blocks = [...readPem(file, option).matchAll(block)].filter((match) => keyBlocks.has(match[1] ?? ''));
    if (blocks.length === 0) throw new Error(`${option}: ${file} holds no PEM key`);
    for (const [pem] of blocks) {
      const key = explain(`${option}: ${file} holds a key that cannot be read`, () => verificationKey(createPublicKey(pem)));
      keys.set(key.id, key);
    }
  }
  if (keys.size > keysMax) throw new Error(`${option} names ${keys.size} keys; at most ${keysMax} are possible`);
  return [...keys.values()];
}

export function readSigningKey(file: string, option: string): SigningKey {
  const pem = readPem(file, option);
  return explain(`${option}: ${file} does not hold an unencrypted PEM private key`, () => {
    const privateKey = createPrivateKey(pem);
    return { ...verificationKey(createPublicKey(pem)), privateKey };
  });
}

export function verificationKey(key: KeyObject, id = keyId(key)): VerificationKey {
  return { key, id, algorithm: algorithmOf(key) };
}

/** The reference's key id: a hash of the key, which cannot be chosen. */
const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

function algorithmOf(key: KeyObject): SignatureAlgorithm {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= rsaBitsMin) return 'RS256';
  const ofCurve = key.asymmetricKeyType === 'ec' ? curves[namedCurve] : undefined;
  if (ofCurve !== undefined) return ofCurve;
  throw new Error(`neither RSA with at least ${rsaBitsMin} bits nor ECDSA on P-256, P-384 or P-521`);
}

const readPem = (file: string, option: string): string => explain(`${option}: cannot read ${file}`, () => readFileSync(file, 'utf8'));

function explain<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new Error(`${what}: ${(cause as Error).message}`, { cause });
  }
}
