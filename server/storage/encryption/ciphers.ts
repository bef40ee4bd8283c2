import { createCipheriv, createDecipheriv, randomBytes, type CipherGCMTypes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { UndecryptableError, type Transformer } from './transformer.js';

/** Each call draws a nonce, which precedes the output. */
export interface Cipher {
  readonly keyBytes: readonly number[];
  encrypt(plain: Buffer, by: { readonly key: Buffer }, context: string): Buffer;
  /** Throws any error for invalid bytes. */
  decrypt(sealed: Buffer, by: { readonly key: Buffer }, context: string): Buffer;
  /** The reference's error for bytes of another key. */
  readonly refusal: string;
}

const aesKeyBytes = [16, 24, 32];
const blockBytes = 16;
const gcmNonceBytes = 12;
const gcmTagBytes = 16;
const secretboxNonceBytes = 24;

const cbcName = (key: Buffer): string => `aes-${key.length * 8}-cbc`;
const gcmName = (key: Buffer): CipherGCMTypes => `aes-${(key.length * 8) as 128 | 192 | 256}-gcm`;

/** AES-GCM authenticates the value and its store key, so moved values do not decrypt. */
export const aesGcm: Cipher = {
  refusal: 'cipher: message authentication failed',
  keyBytes: aesKeyBytes,
  encrypt(plain, { key }, context) {
    const nonce = randomBytes(gcmNonceBytes);
    const cipher = createCipheriv(gcmName(key), key, nonce).setAAD(Buffer.from(context));
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  },
  decrypt(sealed, { key }, context) {
    if (sealed.length < gcmNonceBytes + gcmTagBytes) throw new RangeError('the value is too short');
    const decipher = createDecipheriv(gcmName(key), key, sealed.subarray(0, gcmNonceBytes), { authTagLength: gcmTagBytes }).setAAD(
      Buffer.from(context),
    );
    decipher.setAuthTag(sealed.subarray(sealed.length - gcmTagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(gcmNonceBytes, sealed.length - gcmTagBytes)), decipher.final()]);
  },
};

/** AES-CBC does not detect changes or moves. Values have their own checksum. */
export const aesCbc: Cipher = {
  refusal: 'invalid padding on input',
  keyBytes: aesKeyBytes,
  encrypt(plain, { key }) {
    const start = randomBytes(blockBytes);
    const cipher = createCipheriv(cbcName(key), key, start);
    return Buffer.concat([start, cipher.update(plain), cipher.final()]);
  },
  decrypt(sealed, { key }) {
    if (sealed.length < 2 * blockBytes) throw new RangeError('the value is too short');
    const decipher = createDecipheriv(cbcName(key), key, sealed.subarray(0, blockBytes));
    return Buffer.concat([decipher.update(sealed.subarray(blockBytes)), decipher.final()]);
  },
};

export const secretbox: Cipher = {
  refusal: 'output array was not large enough for encryption',
  keyBytes: [32],
  encrypt(plain, { key }) {
    const nonce = randomBytes(secretboxNonceBytes);
    return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(plain)]);
  },
  decrypt: (sealed, { key }) =>
    Buffer.from(xsalsa20poly1305(key, sealed.subarray(0, secretboxNonceBytes)).decrypt(sealed.subarray(secretboxNonceBytes))),
};

export const identity: Transformer = { prefix: '', encrypt: (plain) => plain, decrypt: (value) => value, isCurrent: () => true };

export function keyed(scheme: string, cipher: Cipher, name: string, key: Buffer): Transformer {
  return {
    prefix: `k8s:enc:${scheme}:v1:${name}:`,
    encrypt: (plain, context) => cipher.encrypt(plain, { key }, context),
    decrypt: (sealed, context) => {
      try {
        return cipher.decrypt(sealed, { key }, context);
      } catch (cause) {
        throw new UndecryptableError(`${cipher.refusal}: key ${JSON.stringify(name)} of ${scheme} does not decrypt it`, { cause });
      }
    },
    isCurrent: () => true,
  };
}
