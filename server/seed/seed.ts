import { groupVersionOf } from '../../api/meta/resource.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../../api/object.js';
import { readSeed } from '../../api/catalogue/data.js';
import type { Catalogue } from '../registry/resources.js';
import type { KeyedObject, RaftStorage } from '../storage/raft.js';

/** `nowMark` stands for the creation time; there is no uid. */
export interface SeedEntry {
  readonly group: string;
  readonly resource: string;
  readonly object: ApiObject;
}

export const nowMark = '@now';

export interface SeedOptions {
  readonly storage: Pick<RaftStorage, 'get' | 'putAll'>;
  readonly catalogue: Catalogue;
  /** Reports whether this server writes. */
  readonly leads: () => Promise<boolean>;
  /** RFC 3339 with seconds. */
  readonly now: () => string;
  readonly signal: AbortSignal;
}

const defaultNamespace = { resource: { group: '', resource: 'namespaces' }, namespace: '', name: 'default' };
const writeTimeoutMs = 10_000;
/** Time that followers wait for the leader, and their polling interval. */
const waitMsMax = 1_000;
const lookMs = 5;

/**
 * Writes the objects of every cluster into an empty one in one transaction: otherwise each of three hundred would pass admission and validation on every new
 * server. Returns whether they have just been written, here or by another server. Failures do not count, since the hooks create missing objects.
 */
export async function seed({ storage, catalogue, leads, now, signal }: SeedOptions): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    signal.throwIfAborted();
    if (await isThere(storage)) return waitedMs > 0;
    if (waitedMs >= waitMsMax || (await leads())) break;
    await delay(lookMs, undefined, { signal });
  }
  const served = entriesAt(now()).filter(
    ({ group, resource, object }) => catalogue.resource(group, groupVersionOf(object.apiVersion ?? '').version, resource) !== null,
  );
  const { outcome } = await storage.putAll(served.map(keyed), { timeoutMs: writeTimeoutMs, unless: defaultNamespace });
  return outcome === 'applied';
}

/** An unreadable object exists. */
const isThere = (storage: SeedOptions['storage']): Promise<boolean> =>
  storage.get(defaultNamespace, { at: 'any' }).then(
    ({ outcome }) => outcome === 'found',
    () => true,
  );

const entriesAt = (now: string): SeedEntry[] =>
  JSON.parse(readSeed().replaceAll(JSON.stringify(nowMark), JSON.stringify(now))) as SeedEntry[];

function keyed({ group, resource, object }: SeedEntry): KeyedObject {
  const { name = '', namespace = '' } = object.metadata;
  return {
    key: { resource: { group, resource }, namespace, name },
    object: { ...object, metadata: { ...object.metadata, uid: randomUUID() } },
  };
}
