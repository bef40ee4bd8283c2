import { type ConfigMap, configMaps } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, messageOf, unless } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import type { ManagerEnvironment } from '../environment.js';
import { tokenSecrets } from './secrets.js';
import { remainingMs, signedData } from './tokens.js';

const namespace = 'kube-public';
const name = 'cluster-info';
const key = `${namespace}/${name}`;

/** Signs the public `cluster-info` with each bootstrap token, for verification by new nodes. */
export function bootstrapSigner(environment: ManagerEnvironment): Controller {
  const { api, watchApi, clock, random, log } = environment;
  const onError = (error: unknown): void => log('error', `watch of ${key}: ${messageOf(error)}`);
  const info = new Informer<ConfigMap>({
    api: watchApi,
    clock,
    random,
    type: configMaps,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    onError,
  });
  const tokens = tokenSecrets(environment);
  const sync = async (): Promise<void | { againAfterMs: number }> => {
    const map = info.cache.get(key);
    if (!map) return;
    const now = clock.now();
    const secrets = tokens.cache.list();
    const data = signedData(map, secrets, now);
    if (data) await unless(isNotFound, api.update(configMaps, { ...map, data }));
    // A token that expires without being deleted signs no more.
    const ends = secrets.flatMap((secret) => remainingMs(secret, now) || []);
    if (ends.length > 0) return { againAfterMs: Math.min(...ends) + 1 };
  };
  const controller: QueueController = new QueueController(environment, { name: 'bootstrap_signer_queue', sync });
  const queue = (): void => controller.queue.add(key);
  for (const informer of [controller.owns(info), controller.owns(tokens)])
    informer.addHandlers({ added: queue, changed: queue, removed: queue });
  return controller;
}
