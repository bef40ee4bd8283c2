import { expect } from 'chai';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { createMetrics } from '../../../../../server/http/metrics.js';
import { createEncryptionMetrics } from '../../../../../server/storage/encryption/metrics.js';
import type { ChangeBatch } from '../../../../../raft/replicaApi.js';
import type { Change, KeyValue, Operation } from '../../../../../raft/store/contract.js';
import { revision } from '../../../../../raft/types.js';
import { aesCbc, aesGcm, identity, keyed } from '../../../../../server/storage/encryption/ciphers.js';
import { madeKey, noEncryptionCounts } from '../../../../../server/storage/encryption/counts.js';
import { EncryptedReplica } from '../../../../../server/storage/encryption/encryptedReplica.js';
import type { StoreEngine } from '../../../../../server/storage/engine.js';
import type { Encryption } from '../../../../../server/storage/encryption/encryption.js';
import { kmsV1 } from '../../../../../server/storage/encryption/kms/v1.js';
import { kmsV2 } from '../../../../../server/storage/encryption/kms/v2.js';
import { KeyServiceError, opened, sealed, type Transformer } from '../../../../../server/storage/encryption/transformer.js';
import { KeySpace } from '../../../../../server/storage/keys.js';
import { KeyPlugin } from '../../../../fixtures/keyPlugin.js';
import { shownSeries } from '../../../../fixtures/shownSeries.js';

const secretKey = '/registry/core/secrets/shop/till';
const mapKey = '/registry/core/configmaps/shop/menu';
const plain = Buffer.from('a stored value');

/** Keeps values unchanged, and reports them. */
class PlainReplica implements StoreEngine {
  readonly values = new Map<string, Uint8Array>();
  listener: (batch: ChangeBatch) => void = () => {};
  #revision = 1;

  write({ operations }: { readonly operations: readonly Operation[] }): ReturnType<StoreEngine['write']> {
    this.#revision++;
    for (const operation of operations) {
      if (operation.type === 'put') this.values.set(operation.key, operation.value);
      else this.values.delete(operation.key);
    }
    this.tell(operations.map(({ key }) => key));
    return Promise.resolve({ outcome: 'applied', revision: revision(this.#revision) });
  }

  tell(keys: readonly string[]): void {
    const changes = keys.map((key): Change => ({
      key,
      value: this.values.get(key) ?? null,
      revision: revision(this.#revision),
      createRevision: revision(1),
    }));
    this.listener({ changes, revision: revision(this.#revision), compacted: revision(0), gap: false });
  }

  barrier(): ReturnType<StoreEngine['barrier']> {
    return Promise.resolve({ outcome: 'reached', revision: revision(this.#revision) });
  }

  current(): ReturnType<StoreEngine['current']> {
    return revision(this.#revision);
  }

  range({ start, end }: { readonly start: string; readonly end: string | null }): ReturnType<StoreEngine['range']> {
    const items = [...this.values]
      .filter(([key]) => key >= start && (end === null || key < end))
      .map(([key, value]): KeyValue => ({ key, value, createRevision: revision(1), modRevision: revision(this.#revision), version: 1 }));
    return Promise.resolve({ outcome: 'found', revision: revision(this.#revision), items, remaining: 0 });
  }

  changesSince(): ReturnType<StoreEngine['changesSince']> {
    return Promise.resolve({ outcome: 'found', changes: [], through: revision(this.#revision) });
  }

  compact(): ReturnType<StoreEngine['compact']> {
    return Promise.resolve({ outcome: 'applied', revision: revision(this.#revision) });
  }

  onChanges(listener: (batch: ChangeBatch) => void): () => void {
    this.listener = listener;
    return () => {
      this.listener = () => {};
    };
  }
}

const secretsWith = (...transformers: readonly Transformer[]): Encryption => ({
  counts: noEncryptionCounts,
  transformersOf: ({ resource }) => (resource === 'secrets' ? transformers : null),
  keyServices: [],
  close: () => {},
});

function encrypting(
  inner: PlainReplica,
  encryption: () => Encryption,
  retryWaitsMs: readonly number[] = [],
): { replica: EncryptedReplica; reported: string[] } {
  const replica = new EncryptedReplica({ replica: inner, keys: new KeySpace('/registry'), encryption, retryWaitsMs });
  const reported: string[] = [];
  replica.onChanges(({ changes }) => {
    reported.push(
      ...changes.map(({ key, value }) => `${key.split('/').at(-1) ?? ''}=${value === null ? 'gone' : Buffer.from(value).toString()}`),
    );
  });
  return { replica, reported };
}

const put = (replica: EncryptedReplica, key: string, value = plain): ReturnType<EncryptedReplica['write']> =>
  replica.write({ comparisons: [], operations: [{ type: 'put', key, value }] }, { timeoutMs: 1_000 });

async function valueOf(replica: EncryptedReplica, key: string): Promise<string> {
  const result = await replica.range({ start: key, end: `${key}\0`, revision: null, limit: 1 });
  return result.outcome === 'found' && result.items[0] !== undefined ? Buffer.from(result.items[0].value).toString() : result.outcome;
}

describe('encryption, replica', () => {
  it('stores nothing in plain where a rule says so, and reads it all the same', async () => {
    const inner = new PlainReplica();
    const encryption = secretsWith(keyed('aesgcm', aesGcm, 'k', randomBytes(32)));
    const { replica, reported } = encrypting(inner, () => encryption);
    await put(replica, secretKey);
    await put(replica, mapKey);
    expect(Buffer.from(inner.values.get(secretKey) ?? []).includes('stored')).to.equal(false);
    expect(Buffer.from(inner.values.get(mapKey) ?? []).toString()).to.equal('a stored value');
    expect([await valueOf(replica, secretKey), await valueOf(replica, mapKey)]).to.deep.equal(['a stored value', 'a stored value']);
    expect(reported).to.deep.equal(['till=a stored value', 'menu=a stored value']);
    expect(replica.current()).to.equal(inner.current());
  });

  it('lets everything be read anew once a key service works again, or there is another configuration', async () => {
    const inner = new PlainReplica();
    let trouble: Error | null = null;
    const service: Transformer = {
      prefix: 'k8s:enc:test:',
      encrypt: (value) => value,
      decrypt: (value) => (trouble === null ? value : Promise.reject(trouble)),
      isCurrent: () => true,
    };
    let encryption = secretsWith(service);
    const replica = new EncryptedReplica({
      replica: inner,
      keys: new KeySpace('/registry'),
      encryption: () => encryption,
      retryWaitsMs: [],
      lookMs: 1,
    });
    let gaps = 0;
    let gapTold = (): void => undefined;
    const nextGap = (): Promise<void> =>
      new Promise((resolve) => {
        gapTold = resolve;
      });
    const stop = replica.onChanges(({ gap }) => {
      if (!gap) return;
      gaps++;
      gapTold();
    });
    await put(replica, secretKey);
    trouble = new KeyServiceError('away');
    expect(await valueOf(replica, secretKey)).to.include('away');
    expect(gaps).to.equal(0);
    const recovered = nextGap();
    trouble = null;
    await recovered;
    expect(await valueOf(replica, secretKey)).to.equal('a stored value');

    // Without a failure nothing must be read again.
    replica.reconfigured();
    expect(gaps).to.equal(1);
    encryption = secretsWith(keyed('aesgcm', aesGcm, 'other', randomBytes(32)));
    expect(await valueOf(replica, secretKey)).to.include('no matching prefix');
    encryption = secretsWith(service);
    replica.reconfigured();
    expect(gaps).to.equal(2);
    stop();
  });

  it('rotates: an old key reads until it is taken away, and values that it wrote are stale', async () => {
    const inner = new PlainReplica();
    const [old, young] = [keyed('aesgcm', aesGcm, 'old', randomBytes(32)), keyed('aesgcm', aesGcm, 'young', randomBytes(32))];
    let encryption = secretsWith(old);
    const { replica } = encrypting(inner, () => encryption);
    await put(replica, secretKey);
    expect(await replica.isStale(secretKey)).to.equal(false);
    encryption = secretsWith(young, old);
    expect(await valueOf(replica, secretKey)).to.equal('a stored value');
    expect(await replica.isStale(secretKey)).to.equal(true);
    await put(replica, secretKey);
    expect(await replica.isStale(secretKey)).to.equal(false);
    encryption = secretsWith(young);
    expect(await valueOf(replica, secretKey)).to.equal('a stored value');
  });

  it('begins: values from before are read where plain ones are allowed, and are stale', async () => {
    const inner = new PlainReplica();
    inner.values.set(secretKey, plain);
    const key = keyed('aesgcm', aesGcm, 'k', randomBytes(32));
    let encryption = secretsWith(key, identity);
    const { replica } = encrypting(inner, () => encryption);
    expect(await valueOf(replica, secretKey)).to.equal('a stored value');
    expect(await replica.isStale(secretKey)).to.equal(true);
    encryption = secretsWith(key);
    expect(await valueOf(replica, secretKey)).to.match(/no matching prefix/);
  });

  it('makes what cannot be decrypted an error of that object alone', async () => {
    const inner = new PlainReplica();
    const key = keyed('aesgcm', aesGcm, 'k', randomBytes(32));
    const { replica, reported } = encrypting(inner, () => secretsWith(key));
    await put(replica, secretKey);
    inner.values.set('/registry/core/secrets/shop/zz', await sealed(plain, keyed('aesgcm', aesGcm, 'k', randomBytes(32)), 'elsewhere'));
    const result = await replica.range({ start: '/registry/core/secrets/', end: null, revision: null, limit: null });
    expect(result.outcome === 'found' ? result.items.map(({ value }) => value[0]) : []).to.deep.equal([plain[0], 0xa0]);
    inner.tell(['/registry/core/secrets/shop/zz', secretKey]);
    expect(reported.at(-2)).to.match(/does not decrypt it/);
    expect(reported.at(-1)).to.equal('till=a stored value');
  });

  it('keeps changes in order, and barriers behind them, while a key is asked for', async () => {
    const inner = new PlainReplica();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: Transformer = {
      prefix: 'k8s:enc:slow:',
      encrypt: (value) => value,
      decrypt: (value) => gate.then(() => value),
      isCurrent: () => true,
    };
    const { replica, reported } = encrypting(inner, () => secretsWith(slow));
    inner.values.set(secretKey, await sealed(plain, slow, secretKey));
    inner.tell([secretKey]);
    inner.values.set(mapKey, plain);
    inner.tell([mapKey]);
    let reached = false;
    const barrier = replica.barrier(1_000).then(() => {
      reached = true;
    });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect([reported, reached]).to.deep.equal([[], false]);
    expect(replica.current(), 'while some of it has not been delivered').to.equal(null);
    release();
    await barrier;
    expect(reported).to.deep.equal(['till=a stored value', 'menu=a stored value']);
    inner.tell([mapKey]);
    expect(reported).to.have.length(3);
  });

  it('does not write while the key service fails, and says that it may be tried again', async () => {
    const inner = new PlainReplica();
    const failing: Transformer = {
      prefix: 'k8s:enc:x:',
      encrypt: () => Promise.reject(new KeyServiceError('no answer')),
      decrypt: (value) => value,
      isCurrent: () => true,
    };
    const { replica } = encrypting(inner, () => secretsWith(failing));
    expect(await put(replica, secretKey)).to.deep.equal({ outcome: 'unavailable', reason: 'no answer' });
    expect(inner.values.size).to.equal(0);
  });

  it('asks a key service again before it calls a value unreadable', async () => {
    const inner = new PlainReplica();
    let asked = 0;
    const shaky: Transformer = {
      prefix: 'k8s:enc:x:',
      encrypt: (value) => value,
      decrypt: (value) => (++asked < 3 ? Promise.reject(new KeyServiceError('no answer')) : Promise.resolve(value)),
      isCurrent: () => true,
    };
    const { replica } = encrypting(inner, () => secretsWith(shaky), [1, 1]);
    inner.values.set(secretKey, await sealed(plain, shaky, secretKey));
    expect(await valueOf(replica, secretKey)).to.equal('a stored value');
  });
});

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('encryption, key services', () => {
  let plugin: KeyPlugin;
  beforeEach(async () => {
    plugin = new KeyPlugin();
    await plugin.start();
  });
  afterEach(() => {
    plugin.stop();
  });

  const facts = (apiVersion: 'v1' | 'v2') =>
    ({ apiVersion, name: 'vault', endpoint: plugin.endpoint, cacheSize: null, timeoutMs: 3_000 }) as const;
  const makers = { v1: kmsV1, v2: kmsV2 };

  for (const version of ['v1', 'v2'] as const) {
    it(`${version}: another server reads what one has written, and asks for each key once`, async () => {
      const [writer, reader] = [makers[version](facts(version)), makers[version](facts(version))];
      const value = await sealed(plain, writer.transformer, secretKey);
      const open = async (): Promise<Buffer> => reader.transformer.decrypt(value.subarray(reader.transformer.prefix.length), secretKey);
      expect(await Promise.all([open(), open()])).to.deep.equal([plain, plain]);
      expect(await open()).to.deep.equal(plain);
      expect(plugin.calls['Decrypt']).to.equal(1);
      await writer.check();
      writer.close();
      reader.close();
    });

    it(`${version}: fails as the service does, and works again`, async () => {
      const service = makers[version](facts(version));
      plugin.broken = true;
      const failure = await sealed(plain, service.transformer, secretKey).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure)
        .to.be.instanceOf(KeyServiceError)
        .with.property('message')
        .that.matches(/vault.*out of order/);
      expect(
        await service.check().then(
          () => null,
          (error: unknown) => error,
        ),
      ).to.be.instanceOf(KeyServiceError);
      plugin.broken = false;
      expect((await sealed(plain, service.transformer, secretKey)).length).to.be.greaterThan(plain.length);
      service.close();
    });
  }

  it('is counted: values, their keys, and calls of the service', async () => {
    const metrics = createMetrics({}, false);
    const counts = createEncryptionMetrics(metrics.registry, 'server');
    const shown = (name: string): Promise<Readonly<Record<string, number>>> => shownSeries(metrics.registry, `apiserver_${name}`);
    const [writer, reader] = [kmsV1({ ...facts('v1'), cacheSize: 4 }, counts), kmsV2(facts('v2'), counts)];
    const old = await sealed(plain, writer.transformer, secretKey, counts);
    const value = await sealed(plain, reader.transformer, secretKey, counts);
    await opened(value, [writer.transformer, reader.transformer], secretKey, counts);
    await opened(old, [kmsV1(facts('v1'), counts).transformer], secretKey, counts);
    const prefix = (version: string): string => `transformer_prefix="k8s:enc:kms:${version}:vault:"`;
    expect(await shown('storage_transformation_operations_total')).to.deep.equal({
      [`status="OK",transformation_type="to_storage",${prefix('v1')}`]: 1,
      [`status="OK",transformation_type="to_storage",${prefix('v2')}`]: 1,
      [`status="OK",transformation_type="from_storage",${prefix('v1')}`]: 1,
      [`status="OK",transformation_type="from_storage",${prefix('v2')}`]: 1,
    });
    expect(Object.values(await shown('storage_transformation_duration_seconds'))).to.deep.equal([1, 1, 1, 1]);
    expect(await shown('storage_envelope_transformation_cache_misses_total')).to.deep.equal({ '': 1 });
    expect(await shown('storage_data_key_generation_duration_seconds')).to.deep.equal({ '': 2 });
    const [keyHash, serverHash] = ['key-1', 'server'].map((text) => `sha256:${hash('sha256', text, 'hex')}`);
    const key = `provider_name="vault",key_id_hash="${keyHash}",apiserver_id_hash="${serverHash}"`;
    expect(await shown('envelope_encryption_key_id_hash_total')).to.deep.equal({
      [`transformation_type="to_storage",${key}`]: 1,
      [`transformation_type="from_storage",${key}`]: 1,
    });

    plugin.broken = true;
    await sealed(plain, writer.transformer, secretKey, counts).catch(() => undefined);
    const latencies = await shown('envelope_encryption_kms_operations_latency_seconds');
    const call = 'provider_name="vault",method_name="/v1beta1.KeyManagementService';
    expect(latencies).to.deep.include({
      [`${call}/Encrypt",grpc_status_code="OK"`]: 1,
      [`${call}/Decrypt",grpc_status_code="OK"`]: 1,
      [`${call}/Encrypt",grpc_status_code="Internal"`]: 1,
    });
    expect(await shown('storage_transformation_operations_total')).to.deep.include({
      [`status="Internal",transformation_type="to_storage",${prefix('v1')}`]: 1,
    });
    expect(() =>
      madeKey(() => {
        throw new Error('no randomness');
      }, counts),
    ).to.throw('no randomness');
    expect(await shown('storage_data_key_generation_failures_total')).to.deep.equal({ '': 1 });
    writer.close();
    reader.close();
  });

  it('tells how full the room for keys is, and what the service says of its key', async () => {
    const metrics = createMetrics({}, false);
    const counts = createEncryptionMetrics(metrics.registry, 'server');
    const shown = (name: string): Promise<Readonly<Record<string, number>>> =>
      shownSeries(metrics.registry, `apiserver_envelope_encryption_${name}`);
    const writer = kmsV1({ ...facts('v1'), cacheSize: 4 }, counts);
    await sealed(plain, writer.transformer, secretKey, counts);
    expect(await shown('dek_cache_fill_percent')).to.deep.equal({ '': 0.25 });
    plugin.keyId = '';
    const reported = new Promise<void>((resolve) => {
      const service = kmsV2(facts('v2'), {
        ...counts,
        keyIdRefused: (name, why) => {
          counts.keyIdRefused(name, why);
          service.close();
          resolve();
        },
      });
      service.start();
    });
    await reported;
    expect(await shown('invalid_key_id_from_status_total')).to.deep.equal({ 'provider_name="vault",error="empty"': 1 });
    writer.close();
  });

  it('v1: a cache of negative size keeps no key: each read asks the service', async () => {
    const metrics = createMetrics({}, false);
    const counts = createEncryptionMetrics(metrics.registry, 'server');
    const service = kmsV1({ ...facts('v1'), cacheSize: -1 }, counts);
    const value = await sealed(plain, service.transformer, secretKey);
    for (const read of [1, 2, 3]) {
      expect(await opened(value, [service.transformer], secretKey)).to.deep.equal(plain);
      expect(await shownSeries(metrics.registry, 'apiserver_storage_envelope_transformation_cache_misses_total')).to.deep.equal({
        '': read,
      });
    }
    service.close();
  });

  it('v1: each value has a key of its own', async () => {
    const service = kmsV1(facts('v1'));
    await sealed(plain, service.transformer, secretKey);
    await sealed(plain, service.transformer, secretKey);
    expect(plugin.calls['Encrypt']).to.equal(2);
    service.close();
  });

  it('v1: a value of the old form is read, and wanted anew', async () => {
    const service = kmsV1(facts('v1'));
    const { transformer } = service;
    const present = (await sealed(plain, transformer, secretKey)).subarray(transformer.prefix.length);
    const ofKey = present.subarray(0, 2 + present.readUInt16BE());
    const key = plugin.open(ofKey.subarray(2));
    const old = Buffer.concat([ofKey, aesCbc.encrypt(plain, { key }, secretKey)]);
    expect(await transformer.decrypt(old, secretKey)).to.deep.equal(plain);
    expect(await transformer.isCurrent(old, secretKey)).to.equal(false);
    expect(await transformer.isCurrent(present, secretKey)).to.equal(true);
    service.close();
  });

  it('is reached by an abstract socket as well', async () => {
    const abstract = new KeyPlugin(`@raftplane-kms-${randomUUID()}`);
    await abstract.start();
    for (const version of ['v1', 'v2'] as const) {
      const service = (version === 'v1' ? kmsV1 : kmsV2)({ ...facts(version), endpoint: abstract.endpoint });
      await service.check();
      service.close();
    }
    abstract.stop();
  });

  for (const [what, wrong, why] of [
    ['an empty key', { ciphertext: Buffer.alloc(0) }, 'encrypts a key in 0 bytes'],
    ['a key beyond a kilobyte', { ciphertext: Buffer.alloc(1_025) }, 'encrypts a key in 1025 bytes'],
    ['no name of its key', { keyId: '' }, 'names its key with 0 bytes'],
    ['a long name of its key', { keyId: 'é'.repeat(513) }, 'names its key with 1026 bytes'],
    ['an annotation of one label', { annotations: { hint: Buffer.alloc(1) } }, 'annotates with "hint", which is no domain name'],
    [
      'a second annotation with capitals',
      { annotations: { 'a.b': Buffer.alloc(1), 'A.b': Buffer.alloc(1) } },
      'annotates with "A.b", which is no domain name',
    ],
    ['large annotations', { annotations: { 'a.b': Buffer.alloc(16_382), 'a.c': Buffer.alloc(16_381) } }, 'annotates with 32769 bytes'],
  ] as const) {
    it(`v2: writes nothing with ${what}, which nobody could read`, async () => {
      const service = kmsV2(facts('v2'));
      plugin.wrong = wrong;
      const failure = await failureOf(sealed(plain, service.transformer, secretKey));
      expect(failure).to.be.instanceOf(KeyServiceError).with.property('message', `key service "vault" ${why}`);
      plugin.wrong = {};
      expect(await sealed(plain, service.transformer, secretKey)).to.be.instanceOf(Buffer);
      service.close();
    });
  }

  it('v2: writes with what stays within the bounds', async () => {
    const service = kmsV2(facts('v2'));
    plugin.wrong = { keyId: 'k'.repeat(1_024), annotations: { 'a.b': Buffer.alloc(16_381), 'a.c.': Buffer.alloc(16_380) } };
    expect(await sealed(plain, service.transformer, secretKey)).to.be.instanceOf(Buffer);
    plugin.wrong = { ciphertext: Buffer.alloc(1_024) };
    const another = kmsV2(facts('v2'));
    expect(await sealed(plain, another.transformer, secretKey)).to.be.instanceOf(Buffer);
    service.close();
    another.close();
  });

  it('v2: is not well, and keeps its seed, while it names no key', async () => {
    const service = kmsV2(facts('v2'));
    await service.prove();
    expect(plugin.calls['Encrypt']).to.equal(1);
    plugin.keyId = '';
    expect(await failureOf(service.check())).to.have.property('message', 'key service "vault" names its key with 0 bytes');
    expect(await failureOf(service.prove())).to.have.property('message', 'key service "vault" names its key with 0 bytes');
    expect(plugin.calls['Encrypt']).to.equal(1);
    service.close();
  });

  it('v2: one call serves many writes, until the key of the service changes', async () => {
    const service = kmsV2(facts('v2'));
    const value = await sealed(plain, service.transformer, secretKey);
    await sealed(plain, service.transformer, mapKey);
    expect(plugin.calls['Encrypt']).to.equal(1);
    expect(service.transformer.isCurrent(value.subarray(service.transformer.prefix.length), secretKey)).to.equal(true);
    plugin.keyId = 'key-2';
    const later = kmsV2(facts('v2'));
    await sealed(plain, later.transformer, secretKey);
    expect(later.transformer.isCurrent(value.subarray(later.transformer.prefix.length), secretKey)).to.equal(false);
    expect(await later.transformer.decrypt(value.subarray(later.transformer.prefix.length), secretKey)).to.deep.equal(plain);
    service.close();
    later.close();
  });
});
