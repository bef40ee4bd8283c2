import { expect } from 'chai';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { aesCbc, aesGcm, identity, keyed, secretbox, type Cipher } from '../../../../../server/storage/encryption/ciphers.js';
import {
  isStale,
  KeyServiceError,
  opened,
  sealed,
  UndecryptableError,
  type Transformer,
} from '../../../../../server/storage/encryption/transformer.js';

const ciphers: Readonly<Record<string, Cipher>> = { aescbc: aesCbc, aesgcm: aesGcm, secretbox };
const plain = Buffer.from('a stored value');

for (const [scheme, cipher] of Object.entries(ciphers)) {
  describe(`encryption, ${scheme}`, () => {
    const first = keyed(scheme, cipher, 'first', randomBytes(32));
    const second = keyed(scheme, cipher, 'second', randomBytes(32));

    it('gives back whatever was encrypted', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
          const value = await sealed(Buffer.from(bytes), first, '/k');
          expect(await opened(value, [first], '/k')).to.deep.equal(Buffer.from(bytes));
        }),
        { numRuns: 50 },
      );
    });

    it('names scheme and key in front, and shows nothing of the value', async () => {
      const value = await sealed(plain, first, '/k');
      expect(value.toString('latin1').startsWith(`k8s:enc:${scheme}:v1:first:`)).to.equal(true);
      expect(value.includes('stored')).to.equal(false);
    });

    it('never encrypts twice to the same', async () => {
      expect(await sealed(plain, first, '/k')).to.not.deep.equal(await sealed(plain, first, '/k'));
    });

    it('reads with every key that is there, and wants anew what the first has not written', async () => {
      const value = await sealed(plain, second, '/k');
      expect(await opened(value, [first, second], '/k')).to.deep.equal(plain);
      expect(await isStale(value, [first, second], '/k')).to.equal(true);
      expect(await isStale(value, [second, first], '/k')).to.equal(false);
    });

    it('does not read without the key, or with another of its name', async () => {
      const value = await sealed(plain, second, '/k');
      expect(() => opened(value, [first], '/k')).to.throw(UndecryptableError, /no matching prefix/);
      const other = keyed(scheme, cipher, 'second', randomBytes(32));
      // Chained blocks cannot always detect a wrong key; the checksum of stored values does.
      try {
        expect(await opened(value, [other], '/k')).to.not.deep.equal(plain);
      } catch (error) {
        expect(error).to.be.instanceOf(UndecryptableError);
      }
    });

    it('refuses values that are cut off', async () => {
      const value = await sealed(plain, first, '/k');
      expect(() => opened(value.subarray(0, value.length - 17), [first], '/k')).to.throw(UndecryptableError);
      expect(() => opened(value.subarray(0, `k8s:enc:${scheme}:v1:first:`.length), [first], '/k')).to.throw(UndecryptableError);
    });
  });
}

describe('encryption, keys that share a name', () => {
  const fresh = keyed('aesgcm', aesGcm, 'key', randomBytes(32));
  const old = keyed('aesgcm', aesGcm, 'key', randomBytes(16));
  const trouble: Transformer = { ...fresh, decrypt: () => Promise.reject(new KeyServiceError('out of order')) };

  it('tries one after the other', async () => {
    const value = await sealed(plain, old, '/k');
    expect(await opened(value, [fresh, old], '/k')).to.deep.equal(plain);
    expect(await opened(value, [trouble, old], '/k')).to.deep.equal(plain);
    expect(() => opened(value, [fresh, fresh], '/k')).to.throw(UndecryptableError);
  });

  it('wants anew what only a later one opens', async () => {
    expect(await isStale(await sealed(plain, old, '/k'), [fresh, old], '/k')).to.equal(true);
    expect(await isStale(await sealed(plain, fresh, '/k'), [fresh, old], '/k')).to.equal(false);
  });

  it('tells of the trouble of a service before the keys that do not fit', async () => {
    const value = await sealed(plain, fresh, '/k');
    const error: unknown = await Promise.resolve(opened(value, [trouble, old], '/k')).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(KeyServiceError);
  });

  it('may have any letters in it', async () => {
    const named = keyed('aesgcm', aesGcm, 'clé-ключ', randomBytes(32));
    const value = await sealed(plain, named, '/k');
    expect(value.toString().startsWith('k8s:enc:aesgcm:v1:clé-ключ:')).to.equal(true);
    expect(await opened(value, [fresh, named], '/k')).to.deep.equal(plain);
  });
});

describe('encryption, what ciphers can tell', () => {
  for (const [scheme, cipher] of [
    ['aesgcm', aesGcm],
    ['secretbox', secretbox],
  ] as const) {
    it(`${scheme}: a changed bit`, async () => {
      const transformer = keyed(scheme, cipher, 'k', randomBytes(32));
      const value = await sealed(plain, transformer, '/k');
      value[value.length - 1]! ^= 1;
      expect(() => opened(value, [transformer], '/k')).to.throw(UndecryptableError, /does not decrypt/);
    });
  }

  it('aesgcm: a value that was moved to another place', async () => {
    const transformer = keyed('aesgcm', aesGcm, 'k', randomBytes(16));
    const value = await sealed(plain, transformer, '/registry/core/secrets/a/b');
    expect(() => opened(value, [transformer], '/registry/core/secrets/evil/b')).to.throw(UndecryptableError);
  });

  it('identity reads plain values and nothing else', async () => {
    const encrypted = await sealed(plain, keyed('aesgcm', aesGcm, 'k', randomBytes(32)), '/k');
    expect(opened(plain, [identity], '/k')).to.equal(plain);
    expect(() => opened(encrypted, [identity], '/k')).to.throw(UndecryptableError);
    expect(() => opened(plain, [keyed('aesgcm', aesGcm, 'k', randomBytes(32))], '/k')).to.throw(UndecryptableError);
    expect(await isStale(plain, [keyed('aesgcm', aesGcm, 'k', randomBytes(32)), identity], '/k')).to.equal(true);
  });
});
