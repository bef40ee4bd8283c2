import { QueueController, type Controller } from '../client/controller.js';
import type { Lister } from '../client/cache.js';
import { isAlreadyExists, isNamespaceTerminating, messageOf, unless } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import { namespaceOf } from '../../api/meta/object.js';
import { type ConfigMap, configMaps, namespaces } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { measuredByCode } from '../measuredByCode.js';

const mapName = 'kube-root-ca.crt';
const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
    'No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Publishes the API server's authorities in each namespace, where pods mount them with their tokens. */
export function rootCaPublisher(environment: ManagerEnvironment): Controller | null {
  const { rootCa } = environment;
  if (rootCa === null) return null;
  const { watchApi, clock, random, log } = environment;
  const onError = (error: unknown): void => log('error', `root_ca_cert_publisher: ${messageOf(error)}`);
  // Watches only these maps, since others are many and may be large.
  const maps = new Informer<ConfigMap>({
    api: watchApi,
    clock,
    random,
    type: configMaps,
    fieldSelector: `metadata.name=${mapName}`,
    onError,
  });
  const controller = new QueueController(environment, {
    name: 'root_ca_cert_publisher',
    workers: 1,
    sync: (namespace) => measuredByCode(environment, 'root_ca_cert_publisher', () => syncMap(environment, maps.cache, namespace, rootCa)),
  });
  controller.watch(namespaces);
  controller.owns(maps);
  const add = (map: ConfigMap): void => controller.queue.add(namespaceOf(map));
  maps.addHandlers({ changed: (_, after) => add(after), removed: add });
  return controller;
}

async function syncMap({ api, informers }: ManagerEnvironment, maps: Lister<ConfigMap>, namespace: string, rootCa: string): Promise<void> {
  if (informers.of(namespaces).cache.get(namespace)?.status?.phase !== 'Active') return;
  const data = { 'ca.crt': rootCa };
  const map = maps.get(`${namespace}/${mapName}`);
  if (!map) {
    await unless(
      (error) => isAlreadyExists(error) || isNamespaceTerminating(error),
      api.create(configMaps, { metadata: { name: mapName, namespace, annotations }, data }),
    );
    return;
  }
  const isRight =
    Object.keys(map.data ?? {}).length === 1 &&
    map.data?.['ca.crt'] === rootCa &&
    Object.entries(annotations).every(([name, value]) => map.metadata.annotations?.[name] === value);
  if (!isRight)
    await api.update(configMaps, {
      ...map,
      data,
      metadata: { ...map.metadata, annotations: { ...map.metadata.annotations, ...annotations } },
    });
}
