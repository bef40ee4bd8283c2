import { dayText } from '../../api/time.js';
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

/** Merges the ConfigMap; other servers' authorities stay until they expire. Pure. `now` is in milliseconds since 1970. */
export function mergedTrust(current: PublishedTrust, own: PublishedTrust, now: number): PublishedTrust {
  const merged = Object.entries(own).map(
    ([name, value]) =>
      [name, name.endsWith('-file') ? joinBundles(current[name] ?? '', value, now) : joinLists(current[name] ?? '[]', value)] as const,
  );
  return { ...current, ...Object.fromEntries(merged) };
}

function joinBundles(current: string, own: string, now: number): string {
  const blocks = (text: string): string[] => certificateBlocks(text).map((block) => `${block}\n`);
  return [...new Set([...blocks(current).filter((block) => counts(block, now)), ...blocks(own)])].join('');
}

function counts(block: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(block).validTo) > now;
  } catch {
    return false;
  }
}

/** An unreadable list is replaced. */
function joinLists(current: string, own: string): string {
  let before: unknown = [];
  try {
    before = JSON.parse(current);
  } catch {
    /* replaced */
  }
  const texts = Array.isArray(before) ? before.filter((value) => typeof value === 'string') : [];
  return JSON.stringify([...new Set([...texts, ...(JSON.parse(own) as string[])])]);
}

export interface Publishing extends StartTaskOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
}

/** Writes the ConfigMap. A refusal is retried in the background (`startTask.ts`). */
export const publishTrust = (where: Publishing, own: PublishedTrust): Promise<void> =>
  ensure(where, trustName, (data) => mergedTrust(data, own, Date.now()));

/** Records the first day of tracking secret tokens, once per cluster. */
export const publishTrackingStart = (where: Publishing): Promise<void> =>
  ensure(where, trackingName, (data) => ({ since: dayText(Date.now()), ...data }));

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
