import { keyOf, keyTextOf, nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { type StorageVersion, type StorageVersionStatus, storageVersions } from '../../api/types/apiserverinternal/v1alpha1.js';
import { type Lease, leases } from '../../api/types/coordination/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, messageOf, unless } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';

const namespace = 'kube-system';
const identity = 'apiserver.kubernetes.io/identity=kube-apiserver';

/** Returns a storage version without the servers that are gone: null if unchanged, `empty` if all are gone. Pure. */
export function withoutGone(
  { status }: StorageVersion,
  isAlive: (server: string) => boolean,
  now: number,
): StorageVersionStatus | 'empty' | null {
  const all = status?.storageVersions ?? [];
  const kept = all.filter(({ apiServerID = '' }) => isAlive(apiServerID));
  if (kept.length === all.length) return null;
  if (kept.length === 0) return 'empty';
  const encodings = new Set(kept.map(({ encodingVersion }) => encodingVersion));
  const [common] = encodings.size === 1 ? encodings : [];
  const agreed = common !== undefined;
  const condition = {
    type: 'AllEncodingVersionsEqual',
    status: agreed ? 'True' : 'False',
    reason: agreed ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: agreed ? 'Common encoding version set' : 'Common encoding version unset',
    lastTransitionTime: timeText(now),
  };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { storageVersions: kept, ...(agreed ? { commonEncodingVersion: common } : {}), conditions: [...others, condition] };
}

export function storageVersionCollector(environment: ManagerEnvironment): Controller {
  const name = 'storage_version_garbage_collector';
  return whereServed(environment, name, [storageVersions], (type) => {
    const { api, watchApi, clock, random, informers, log } = environment;
    const onError = (error: unknown): void => log('error', `watch of servers: ${messageOf(error)}`);
    const servers = new Informer<Lease>({ api: watchApi, clock, random, type: leases, namespace, labelSelector: identity, onError });
    const { cache } = informers.of(type);
    const sync = async (key: string): Promise<void> => {
      const version = cache.get(key);
      const status = version && withoutGone(version, (server) => servers.cache.get(`${namespace}/${server}`) !== undefined, clock.now());
      if (!version || status === null) return;
      if (status === 'empty') await unless(isNotFound, api.delete(type, keyOf(version)));
      else if (status) await unless(isNotFound, api.update(type, { ...version, status }, { subresource: 'status' }));
    };
    const controller: QueueController = new QueueController(environment, { name, sync });
    controller.owns(servers).addHandlers({
      removed: (lease) => {
        for (const version of cache.list())
          if (version.status?.storageVersions?.some(({ apiServerID }) => apiServerID === nameOf(lease)))
            controller.queue.add(keyTextOf(version));
      },
    });
    return controller.watch(type);
  });
}
