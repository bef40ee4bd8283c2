import { randomBytes } from 'node:crypto';
import { aesCbc, aesGcm } from '../ciphers.js';
import type { KmsFacts } from '../configuration.js';
import { madeKey, noEncryptionCounts, type EncryptionCounts } from '../counts.js';
import { UndecryptableError, type Transformer } from '../transformer.js';
import { KmsConnection } from './connection.js';
import { KeyCache } from './keyCache.js';
import { v1 } from './messages.js';
import type { KeyService } from './service.js';

const protocol = 'v1beta1';
const service = '/v1beta1.KeyManagementService';
const keyBytes = 32;
const lengthBytes = 2;
const cacheSizeDefault = 1_000;

/** The encrypted key precedes each value. Each write, and each read with an uncached key, calls the service. */
class KmsV1 implements KeyService {
  readonly name: string;
  readonly version = 'v1';
  readonly transformer: Transformer;
  readonly #counts: EncryptionCounts;
  readonly #connection: KmsConnection;
  readonly #keys: KeyCache;

  constructor({ name, endpoint, timeoutMs, cacheSize }: KmsFacts, counts: EncryptionCounts) {
    this.name = name;
    this.#counts = counts;
    this.#connection = new KmsConnection(name, endpoint, timeoutMs, counts);
    // A negative size disables the cache (`NewEnvelopeTransformer` of k8s.io/apiserver).
    this.#keys = new KeyCache(Math.max(0, cacheSize ?? cacheSizeDefault), counts);
    this.transformer = {
      prefix: `k8s:enc:kms:v1:${name}:`,
      encrypt: (plain, context) => this.#seal(plain, context),
      decrypt: (sealed, context) => {
        const open = this.#open(sealed, context);
        return open instanceof Promise ? open.then(({ plain }) => plain) : open.plain;
      },
      isCurrent: async (sealed, context) => (await this.#open(sealed, context)).form === 'present',
    };
  }

  start(): void {}

  close(): void {
    this.#connection.close();
  }

  async check(): Promise<void> {
    await this.#decryptKey(await this.#encryptKey(Buffer.from('ping')));
  }

  async prove(): Promise<void> {
    await this.#connection.call(`${service}/Version`, v1.versionRequest, v1.versionResponse, { version: protocol });
    await this.#encryptKey(Buffer.from('probe'));
  }

  async #seal(plain: Buffer, context: string): Promise<Buffer> {
    const key = madeKey(() => randomBytes(keyBytes), this.#counts);
    const encrypted = await this.#encryptKey(key);
    this.#keys.put(encrypted, key);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt16BE(encrypted.length);
    return Buffer.concat([length, encrypted, aesGcm.encrypt(plain, { key }, context)]);
  }

  #open(sealed: Buffer, context: string): OpenedValue | Promise<OpenedValue> {
    const end = lengthBytes + (sealed.length < lengthBytes ? 0 : sealed.readUInt16BE());
    if (sealed.length <= end) throw new UndecryptableError(`the value of key service ${JSON.stringify(this.name)} is cut off`);
    const encrypted = sealed.subarray(lengthBytes, end);
    const key = this.#keys.get(encrypted, () => this.#decryptKey(encrypted));
    const open = (known: Buffer): OpenedValue => openWith(known, { sealed: sealed.subarray(end), context, name: this.name });
    return key instanceof Promise ? key.then(open) : open(key);
  }

  async #encryptKey(plain: Buffer): Promise<Buffer> {
    const request = { version: protocol, plain };
    const { cipher } = await this.#connection.call(`${service}/Encrypt`, v1.encryptRequest, v1.encryptResponse, request);
    return Buffer.from(cipher);
  }

  async #decryptKey(cipher: Buffer): Promise<Buffer> {
    const request = { version: protocol, cipher };
    const { plain } = await this.#connection.call(`${service}/Decrypt`, v1.decryptRequest, v1.decryptResponse, request);
    return Buffer.from(plain);
  }
}

export const kmsV1 = (facts: KmsFacts, counts: EncryptionCounts = noEncryptionCounts): KeyService => new KmsV1(facts, counts);

interface OpenedValue {
  readonly plain: Buffer;
  /** Servers before 1.25 used AES-CBC. */
  readonly form: 'present' | 'chainedBlocks';
}

function openWith(
  key: Buffer,
  { sealed, context, name }: { readonly sealed: Buffer; readonly context: string; readonly name: string },
): OpenedValue {
  try {
    return { plain: aesGcm.decrypt(sealed, { key }, context), form: 'present' };
  } catch {
    try {
      return { plain: aesCbc.decrypt(sealed, { key }, context), form: 'chainedBlocks' };
    } catch (cause) {
      throw new UndecryptableError(`its key from key service ${JSON.stringify(name)} does not decrypt it`, { cause });
    }
  }
}
