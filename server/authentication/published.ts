import { dayText, isDay } from '../../api/time.js';
import { X509Certificate } from 'node:crypto';
import type { ApiObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import { certificateBlocks } from '../../program/files/pem.js';
import type { Registry } from '../registry/contract.js';
import { ownWrites } from '../registry/ownWrites.js';
import { membersOf } from '../../api/json/members.js';
import type { Catalogue } from '../registry/resources.js';
import { startTask, type StartTaskOptions } from '../registry/startTask.js';
import type { Storage } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import type { Anchors } from '../../program/authentication/peer.js';

/** The data of the ConfigMap by which extension servers trust clients and front proxies of this server. */
export type PublishedTrust = Readonly<Record<string, string>>;

export interface TrustFacts {
  readonly client: Anchors | null;
  /** Null without front proxies. */
  readonly proxy: {
    readonly anchors: Anchors;
    readonly lists: Readonly<
      Record<'allowed-names' | 'username-headers' | 'uid-headers' | 'group-headers' | 'extra-headers-prefix', readonly string[]>
    >;
  } | null;
}

const namespace = 'kube-system';
const trustName = 'extension-apiserver-authentication';
const trackingName = 'kube-apiserver-legacy-service-account-token-tracking';

export function publishedTrust({ client, proxy }: TrustFacts): PublishedTrust {
  const lists =
    proxy === null ? [] : Object.entries(proxy.lists).map(([name, values]) => [`requestheader-${name}`, JSON.stringify(values)] as const);
  return {
    ...(client === null ? {} : { 'client-ca-file': bundle(client) }),
    ...(proxy === null ? {} : { 'requestheader-client-ca-file': bundle(proxy.anchors), ...Object.fromEntries(lists) }),
  };
}

const bundle = (anchors: Anchors): string => anchors.map((anchor) => anchor.toString()).join('');

const clientFile = 'client-ca-file';
const proxyFile = 'requestheader-client-ca-file';
/** The lists of front proxies; extension servers need all but that of uids. */
const proxyLists: Readonly<Record<string, 'always' | 'unlessEmpty'>> = {
  'requestheader-allowed-names': 'always',
  'requestheader-username-headers': 'always',
  'requestheader-uid-headers': 'unlessEmpty',
  'requestheader-group-headers': 'always',
  'requestheader-extra-headers-prefix': 'always',
};

/**
 * Merges the ConfigMap; authorities stay until they expire, and the lists as long as there is an authority of proxies. Other data goes
 * (controller/clusterauthenticationtrust). Pure. `now` is in milliseconds since 1970.
 */
export function mergedTrust(current: PublishedTrust, own: PublishedTrust, now: number): PublishedTrust {
  const [clients, proxies] = [clientFile, proxyFile].map((name) => joinBundles([current[name], own[name]], now));
  const lists = Object.entries(proxyLists)
    .map(([name, written]) => ({ name, written, values: [...new Set([...listIn(current[name]), ...listIn(own[name])])] }))
    .filter(({ written, values }) => written === 'always' || values.length > 0)
    .map(({ name, values }) => [name, JSON.stringify(values)] as const);
  return {
    ...(clients === '' ? {} : { [clientFile]: clients }),
    ...(proxies === '' ? {} : { [proxyFile]: proxies, ...Object.fromEntries(lists) }),
  };
}

/** Clocks of servers differ. */
const expiryLeewayMs = 5 * 60 * 1000;

function joinBundles(texts: readonly (string | undefined)[], now: number): string {
  const certificates = texts.flatMap((text) => certificateBlocks(text ?? '')).flatMap((block) => readable(block));
  const valid = certificates.filter(({ validTo }) => Date.parse(validTo) > now - expiryLeewayMs);
  return [...new Set(valid.map(String))].join('');
}

function readable(block: string): X509Certificate[] {
  try {
    return [new X509Certificate(block)];
  } catch {
    return [];
  }
}

/** Unreadable text is an empty list. */
function listIn(text: string | undefined): string[] {
  try {
    const values: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  } catch {
    return [];
  }
}

export interface Publishing extends StartTaskOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
}

/** Writes the ConfigMap. A refusal is retried in the background (`startTask.ts`). */
export const publishTrust = (where: Publishing, own: PublishedTrust): Promise<void> =>
  ensure(where, trustName, (data) => mergedTrust(data, own, Date.now()));

/** Records the first day of tracking secret tokens, once per cluster; replaces what is no day (controller/legacytokentracking). */
export const publishTrackingStart = (where: Publishing): Promise<void> =>
  ensure(where, trackingName, (data) => (isDay(data['since'] ?? '') ? data : { ...data, since: dayText(Date.now()) }));

/** Restores both ConfigMaps after changes and deletions (controller/clusterauthenticationtrust). */
export function keepPublished(storage: Pick<Storage, 'watch'>, where: Publishing, own: () => PublishedTrust): Following {
  const kept = [
    onEachChange(storage, trustName, () => publishTrust(where, own())),
    onEachChange(storage, trackingName, () => publishTrackingStart(where)),
  ];
  const stop = (): void => {
    for (const each of kept) each.stop();
  };
  return { synced: Promise.all(kept.map(({ synced }) => synced)).then(() => undefined), stop };
}

function onEachChange(storage: Pick<Storage, 'watch'>, name: string, publish: () => Promise<void>): Following {
  const again = (): void => void publish().catch(() => undefined);
  const follower = { put: again, remove: again, unreadable: () => undefined };
  return follow(storage, { group: '', resource: 'configmaps' }, follower, {
    namespace,
    fields: [{ field: 'metadata.name', value: name, equals: true }],
  });
}

const ensure = (where: Publishing, name: string, change: (data: PublishedTrust) => PublishedTrust): Promise<void> =>
  startTask(`configmaps ${name}`, () => write(where, name, change), where);

async function write({ registry, catalogue }: Publishing, name: string, change: (data: PublishedTrust) => PublishedTrust): Promise<void> {
  const resource = catalogue.resource('', 'v1', 'configmaps');
  if (resource === null) return;
  const target = { resource, namespace: namespace, name };
  const current = await registry.get(target, { at: 'any' }).then(
    (stored) => stored.decode(),
    (error: unknown) => {
      if (error instanceof StatusError && error.code === 404) return null;
      throw error;
    },
  );
  if (current === null) {
    await registry.create(
      { ...target, name: '' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: namespace }, data: { ...change({}) } },
      ownWrites,
    );
    return;
  }
  if (JSON.stringify(changed(current, change)['data']) === JSON.stringify(current['data'])) return;
  const apply = (latest: ApiObject | null): ApiObject => changed(latest ?? current, change);
  await registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, ownWrites);
}

const changed = (object: ApiObject, change: (data: PublishedTrust) => PublishedTrust): ApiObject => ({
  ...object,
  data: { ...change(membersOf(object['data']) as PublishedTrust) },
});
