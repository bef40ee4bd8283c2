import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { aesGcm } from '../ciphers.js';
import type { KmsFacts } from '../configuration.js';
import { madeKey, noEncryptionCounts, type EncryptionCounts } from '../counts.js';
import { KeyServiceError, UndecryptableError, type Transformer } from '../transformer.js';
import { KmsConnection } from './connection.js';
import { KeyCache } from './keyCache.js';
import { v2, type Annotations, type EncryptedObject } from './messages.js';
import type { KeyService } from './service.js';

const service = '/v2.KeyManagementService';
const seedBytes = 32;
const infoBytes = 32;
const keysRemembered = 1_000;
/** Checks for a changed key. */
const pollMs = 60_000;
const pollInTroubleMs = 10_000;
/** Time that a seed may write after its key was confirmed. */
const seedLifeMs = 180_000;
const seedType = 1;
const keyIdBytesMax = 1_024;
const ciphertextBytesMax = 1_024;
const annotationBytesMax = 32 * 1_024;
const domainName = /^(?=.{1,254}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+\.?$/;

interface WriteSeed {
  readonly seed: Buffer;
  readonly encrypted: Buffer;
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** Derives each value's key from one seed: calls the service only when its key changes, and for other servers' seeds. */
class KmsV2 implements KeyService {
  readonly #counts: EncryptionCounts;
  readonly name: string;
  readonly version = 'v2';
  readonly transformer: Transformer;
  readonly #connection: KmsConnection;
  readonly #seeds = new KeyCache(keysRemembered, { keyMissed: () => this.#counts.keyMissed(), keysFill: () => {} });
  #current: WriteSeed | null = null;
  #renewing: Promise<WriteSeed> | null = null;
  #goodUntil = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor({ name, endpoint, timeoutMs }: KmsFacts, counts: EncryptionCounts) {
    this.#counts = counts;
    this.name = name;
    this.#connection = new KmsConnection(name, endpoint, timeoutMs, counts);
    this.transformer = {
      prefix: `k8s:enc:kms:v2:${name}:`,
      encrypt: (plain, context) => {
        const current = this.#current !== null && performance.now() < this.#goodUntil ? this.#current : null;
        return current === null ? this.#renew().then((seed) => this.#seal(seed, plain, context)) : this.#seal(current, plain, context);
      },
      decrypt: (sealed, context) => this.#decrypt(sealed, context),
      isCurrent: (sealed) => {
        const { keyId, encryptedDekSourceType } = parse(sealed, this.name);
        return this.#current === null || (keyId === this.#current.keyId && encryptedDekSourceType === seedType);
      },
    };
  }

  start(): void {
    void this.#poll();
  }

  async check(): Promise<void> {
    const { healthz, version, keyId } = await this.#status();
    if (healthz !== 'ok') throw new KeyServiceError(`key service ${JSON.stringify(this.name)} says it is not well: ${healthz}`);
    if (version !== 'v2' && version !== 'v2beta1')
      throw new KeyServiceError(`key service ${JSON.stringify(this.name)} speaks ${JSON.stringify(version)}, not v2`);
    this.#refuse(keyIdFlaw(keyId));
  }

  async prove(): Promise<void> {
    await this.check();
    await this.#refresh();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#connection.close();
  }

  async #poll(): Promise<void> {
    const well = await this.#refresh().then(
      () => true,
      () => false,
    );
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => {
        void this.#poll();
      },
      well ? pollMs : pollInTroubleMs,
    ).unref();
  }

  /** Renews the seed when the service has another key. */
  async #refresh(): Promise<void> {
    const { keyId, healthz } = await this.#status();
    if (healthz !== 'ok') throw new KeyServiceError(`key service ${JSON.stringify(this.name)} says it is not well: ${healthz}`);
    this.#countReported(keyId);
    this.#refuse(keyIdFlaw(keyId));
    if (this.#current?.keyId !== keyId) await this.#renew();
    else this.#goodUntil = performance.now() + seedLifeMs;
  }

  #status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }> {
    return this.#connection.call(`${service}/Status`, v2.statusRequest, v2.statusResponse, {});
  }

  #countReported(keyId: string): void {
    if (keyId === '') this.#counts.keyIdRefused(this.name, 'empty');
    else if (Buffer.byteLength(keyId) > keyIdBytesMax) this.#counts.keyIdRefused(this.name, 'too_long');
    else this.#counts.keyReported({ service: this.name, keyId });
  }

  #seal(seed: WriteSeed, plain: Buffer, context: string): Buffer {
    this.#counts.keyUsed('to_storage', { service: this.name, keyId: seed.keyId });
    return seal(seed, plain, context);
  }

  /** Concurrent writers share one new seed. */
  #renew(): Promise<WriteSeed> {
    return (this.#renewing ??= this.#newSeed().finally(() => {
      this.#renewing = null;
    }));
  }

  async #newSeed(): Promise<WriteSeed> {
    const seed = madeKey(() => randomBytes(seedBytes), this.#counts);
    const answer = await this.#connection.call(`${service}/Encrypt`, v2.encryptRequest, v2.encryptResponse, {
      plaintext: seed,
      uid: randomUUID(),
    });
    this.#refuse(keyIdFlaw(answer.keyId) ?? seedFlaw(answer));
    const { ciphertext, keyId, annotations } = answer;
    this.#current = { seed, encrypted: Buffer.from(ciphertext), keyId, annotations };
    this.#goodUntil = performance.now() + seedLifeMs;
    this.#seeds.put(this.#current.encrypted, seed);
    return this.#current;
  }

  #refuse(flaw: string | null): void {
    if (flaw !== null) throw new KeyServiceError(`key service ${JSON.stringify(this.name)} ${flaw}`);
  }

  #decrypt(sealed: Buffer, context: string): Buffer | Promise<Buffer> {
    const object = parse(sealed, this.name);
    this.#counts.keyUsed('from_storage', { service: this.name, keyId: object.keyId });
    const seed = this.#seeds.get(object.encryptedDekSource, () => this.#decryptSeed(object));
    const open = (known: Buffer): Buffer => openWith(known, object, context, this.name);
    return seed instanceof Promise ? seed.then(open) : open(seed);
  }

  async #decryptSeed({ encryptedDekSource, keyId, annotations }: EncryptedObject): Promise<Buffer> {
    const question = { ciphertext: encryptedDekSource, uid: randomUUID(), keyId, annotations };
    return Buffer.from((await this.#connection.call(`${service}/Decrypt`, v2.decryptRequest, v2.decryptResponse, question)).plaintext);
  }
}

export const kmsV2 = (facts: KmsFacts, counts: EncryptionCounts = noEncryptionCounts): KeyService => new KmsV2(facts, counts);

const keyIdFlaw = (keyId: string): string | null =>
  keyId === '' || Buffer.byteLength(keyId) > keyIdBytesMax ? `names its key with ${Buffer.byteLength(keyId)} bytes` : null;

/** Follows `ValidateEncryptedObject` (kmsv2/envelope.go). */
function seedFlaw({ ciphertext, annotations }: { readonly ciphertext: Uint8Array; readonly annotations: Annotations }): string | null {
  if (ciphertext.length === 0 || ciphertext.length > ciphertextBytesMax) return `encrypts a key in ${ciphertext.length} bytes`;
  const entries = Object.entries(annotations);
  const wrong = entries.find(([name]) => !domainName.test(name));
  if (wrong !== undefined) return `annotates with ${JSON.stringify(wrong[0])}, which is no domain name`;
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + value.length, 0);
  return bytes > annotationBytesMax ? `annotates with ${bytes} bytes` : null;
}

function seal({ seed, encrypted, keyId, annotations }: WriteSeed, plain: Buffer, context: string): Buffer {
  const info = randomBytes(infoBytes);
  const encryptedData = Buffer.concat([info, aesGcm.encrypt(plain, { key: derivedKey(seed, info) }, context)]);
  return v2.encryptedObject.encode({ encryptedData, keyId, encryptedDekSource: encrypted, annotations, encryptedDekSourceType: seedType });
}

function parse(sealed: Buffer, name: string): EncryptedObject {
  try {
    return v2.encryptedObject.decode(sealed);
  } catch (cause) {
    throw new UndecryptableError(`the value of key service ${JSON.stringify(name)} is damaged`, { cause });
  }
}

function openWith(seed: Buffer, { encryptedData, encryptedDekSourceType }: EncryptedObject, context: string, name: string): Buffer {
  const data = Buffer.from(encryptedData.buffer, encryptedData.byteOffset, encryptedData.byteLength);
  try {
    return encryptedDekSourceType === seedType
      ? aesGcm.decrypt(data.subarray(infoBytes), { key: derivedKey(seed, data.subarray(0, infoBytes)) }, context)
      : aesGcm.decrypt(data, { key: seed }, context);
  } catch (cause) {
    throw new UndecryptableError(`its key from key service ${JSON.stringify(name)} does not decrypt it`, { cause });
  }
}

/** The first block of HKDF-Expand with SHA-256 (RFC 5869, section 2.3) has the length of an AES-256 key. */
const derivedKey = (seed: Buffer, info: Buffer): Buffer => createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest();
