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
export function kmsV1({ name, endpoint, timeoutMs, cacheSize }: KmsFacts, counts: EncryptionCounts = noEncryptionCounts): KeyService {
  const connection = new KmsConnection(name, endpoint, timeoutMs, counts);
  // A negative size disables the cache (`NewEnvelopeTransformer` of k8s.io/apiserver).
  const keys = new KeyCache(Math.max(0, cacheSize ?? cacheSizeDefault), counts);
  const decryptKey = async (cipher: Buffer): Promise<Buffer> =>
    Buffer.from((await connection.call(`${service}/Decrypt`, v1.decryptRequest, v1.decryptResponse, { version: protocol, cipher })).plain);
  const openValue = (sealed: Buffer, context: string): OpenedValue | Promise<OpenedValue> => {
    const end = lengthBytes + (sealed.length < lengthBytes ? 0 : sealed.readUInt16BE());
    if (sealed.length <= end) throw new UndecryptableError(`the value of key service ${JSON.stringify(name)} is cut off`);
    const encrypted = sealed.subarray(lengthBytes, end);
    const key = keys.get(encrypted, () => decryptKey(encrypted));
    const open = (known: Buffer): OpenedValue => openWith(known, { sealed: sealed.subarray(end), context, name });
    return key instanceof Promise ? key.then(open) : open(key);
  };
  const transformer: Transformer = {
    prefix: `k8s:enc:kms:v1:${name}:`,
    async encrypt(plain, context) {
      const key = madeKey(() => randomBytes(keyBytes), counts);
      const encrypted = await encryptKey(key);
      keys.put(encrypted, key);
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt16BE(encrypted.length);
      return Buffer.concat([length, encrypted, aesGcm.encrypt(plain, { key }, context)]);
    },
    decrypt(sealed, context) {
      const open = openValue(sealed, context);
      return open instanceof Promise ? open.then(({ plain }) => plain) : open.plain;
    },
    isCurrent: async (sealed, context) => (await openValue(sealed, context)).form === 'present',
  };
  const version = async (): Promise<void> => {
    await connection.call(`${service}/Version`, v1.versionRequest, v1.versionResponse, { version: protocol });
  };
  const encryptKey = async (plain: Buffer): Promise<Buffer> =>
    Buffer.from((await connection.call(`${service}/Encrypt`, v1.encryptRequest, v1.encryptResponse, { version: protocol, plain })).cipher);
  return {
    name,
    transformer,
    start: () => {},
    close: () => {
      connection.close();
    },
    async check() {
      await decryptKey(await encryptKey(Buffer.from('ping')));
    },
    async prove() {
      await version();
      await encryptKey(Buffer.from('probe'));
    },
  };
}

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
