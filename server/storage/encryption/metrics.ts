import { Counter, exponentialBuckets, Gauge, type Registry } from 'prom-client';
import type { EncryptionCounts, Way } from './counts.js';
import { DurationHistogram, type DurationSeries } from '../../../program/metrics/durations.js';
import { total, totals, type Total } from '../../../program/metrics/totals.js';
import { hashLabel } from '../../../program/metrics/hashLabel.js';

/** Bounds memory for a service with a new name per value. */
const keyNamesMax = 10;

/** `server` distinguishes replicas. */
export function createEncryptionMetrics(registry: Registry, server: string): EncryptionCounts {
  return {
    ...transformationMetrics(registry),
    ...dataKeyMetrics(registry),
    ...keyServiceMetrics(registry),
    ...keyUseMetrics(registry, hashLabel(server)),
  };
}

const storage = 'apiserver_storage';
const envelope = 'apiserver_envelope_encryption';

function transformationMetrics(registry: Registry): Pick<EncryptionCounts, 'transformed'> {
  const operations = totals(registry, {
    name: `${storage}_transformation_operations_total`,
    help: 'Values that were encrypted or decrypted, by outcome.',
    labelNames: ['status', 'transformation_type', 'transformer_prefix'],
  });
  const durations = new DurationHistogram({
    name: `${storage}_transformation_duration_seconds`,
    help: 'Time that it took to encrypt or decrypt a value, in seconds.',
    labelNames: ['transformation_type', 'transformer_prefix'],
    buckets: exponentialBuckets(5e-6, 2, 25),
    registers: [registry],
  });
  /** A starting server reads every value. */
  const goodOnes: Readonly<Record<Way, Map<string, { readonly good: Total; readonly time: DurationSeries }>>> = {
    to_storage: new Map(),
    from_storage: new Map(),
  };
  const remember = (way: Way, prefix: string): { readonly good: Total; readonly time: DurationSeries } => {
    const labels = { transformation_type: way, transformer_prefix: prefix };
    const made = { good: operations({ status: 'OK', ...labels }), time: durations.of(labels) };
    goodOnes[way].set(prefix, made);
    return made;
  };
  return {
    transformed: (way, { prefix, status }, seconds) => {
      const { good, time } = goodOnes[way].get(prefix) ?? remember(way, prefix);
      if (seconds === null) operations({ status, transformation_type: way, transformer_prefix: prefix }).value++;
      else {
        good.value++;
        time.observe(seconds);
      }
    },
  };
}

function dataKeyMetrics(registry: Registry): Pick<EncryptionCounts, 'keyMade' | 'keyMissed' | 'keysFill'> {
  const misses = total(
    registry,
    `${storage}_envelope_transformation_cache_misses_total`,
    'Keys of values that were not remembered, and were asked for.',
  );
  const keyDurations = new DurationHistogram({
    name: `${storage}_data_key_generation_duration_seconds`,
    help: 'Time that it took to make a key for values, in seconds.',
    labelNames: [],
    buckets: exponentialBuckets(5e-6, 2, 14),
    registers: [registry],
  }).of({});
  const keyFailures = total(registry, `${storage}_data_key_generation_failures_total`, 'Keys for values that could not be made.');
  const fill = new Gauge({
    name: `${envelope}_dek_cache_fill_percent`,
    help: 'How much of the room for remembered keys of values is taken, from 0 to 1.',
    registers: [registry],
  });
  return {
    keyMade: (seconds) => {
      if (seconds === null) keyFailures.value++;
      else keyDurations.observe(seconds);
    },
    keyMissed: () => {
      misses.value++;
    },
    keysFill: (part) => {
      fill.set(part);
    },
  };
}

function keyServiceMetrics(registry: Registry): Pick<EncryptionCounts, 'called' | 'keyIdRefused'> {
  const calls = new DurationHistogram({
    name: `${envelope}_kms_operations_latency_seconds`,
    help: 'Time that calls of services that keep keys took, in seconds, by outcome.',
    labelNames: ['provider_name', 'method_name', 'grpc_status_code'],
    buckets: exponentialBuckets(0.0001, 2, 20),
    registers: [registry],
  });
  const refused = new Counter({
    name: `${envelope}_invalid_key_id_from_status_total`,
    help: 'Times that a service named its key in a way that cannot be.',
    labelNames: ['provider_name', 'error'],
    registers: [registry],
  });
  return {
    called: ({ service: provider_name, method: method_name, status: grpc_status_code }, seconds) => {
      calls.of({ provider_name, method_name, grpc_status_code }).observe(seconds);
    },
    keyIdRefused: (provider_name, error) => {
      refused.inc({ provider_name, error });
    },
  };
}

function keyUseMetrics(registry: Registry, apiserver_id_hash: string): Pick<EncryptionCounts, 'keyUsed' | 'keyReported'> {
  const used = new RecentKeys();
  const reported = new RecentKeys();
  new Counter({
    name: `${envelope}_key_id_hash_total`,
    help: "Values that went by with a service's key, by the hash of its name.",
    labelNames: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, count } of used.all()) this.inc({ ...labels, apiserver_id_hash }, count);
    },
  });
  for (const [name, help, keys, labelNames] of [
    ['key_id_hash_last_timestamp_seconds', 'When that was last, in seconds since 1970.', used, ['transformation_type']],
    ['key_id_hash_status_last_timestamp_seconds', 'When a service named this key as its own last, in seconds since 1970.', reported, []],
  ] as const)
    new Gauge({
      name: `${envelope}_${name}`,
      help,
      labelNames: [...labelNames, 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, lastMs } of keys.all()) this.set({ ...labels, apiserver_id_hash }, lastMs / 1000);
      },
    });
  return {
    keyUsed: (transformation_type, { service: provider_name, keyId }) => {
      used.note({ transformation_type, provider_name }, keyId);
    },
    keyReported: ({ service: provider_name, keyId }) => {
      reported.note({ provider_name }, keyId);
    },
  };
}

interface KeyUse {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  lastMs: number;
}

class RecentKeys {
  readonly #uses = new Map<string, KeyUse>();

  note(labels: Readonly<Record<string, string>>, keyId: string): void {
    const place = [...Object.values(labels), keyId].join('\0');
    const use = this.#uses.get(place) ?? { labels: { ...labels, key_id_hash: keyId === '' ? '' : hashLabel(keyId) }, count: 0, lastMs: 0 };
    this.#uses.delete(place);
    this.#uses.set(place, use);
    use.count++;
    use.lastMs = Date.now();
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= keyNamesMax) break;
      this.#uses.delete(oldest);
    }
  }

  all(): Iterable<Readonly<KeyUse>> {
    return this.#uses.values();
  }
}
