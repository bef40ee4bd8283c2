import { keyOf } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import { clusterTrustBundles as alpha } from '../../api/types/certificates/v1alpha1.js';
import { type ClusterTrustBundle, clusterTrustBundles as beta } from '../../api/types/certificates/v1beta1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNotFound, messageOf, unless } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import type { ManagerEnvironment } from '../environment.js';
import { measuredByCode } from '../measuredByCode.js';
import { whereServed } from '../servedTypes.js';
import { bundlePlan, signerName } from './bundle.js';

const name = 'ca_cert_publisher_cluster_trust_bundles';

export function trustBundlePublisher(environment: ManagerEnvironment): Controller | null {
  const { rootCa } = environment;
  return rootCa === null ? null : whereServed(environment, name, [beta, alpha], (type) => publisher(environment, type, rootCa));
}

function publisher(environment: ManagerEnvironment, type: Resource<ClusterTrustBundle>, authorities: string): Controller {
  const { api, watchApi, clock, random, log } = environment;
  const onError = (error: unknown): void => log('error', `watch of ${type.resource}: ${messageOf(error)}`);
  const informer = new Informer({ api: watchApi, clock, random, type, fieldSelector: `spec.signerName=${signerName}`, onError });
  const publish = async (): Promise<void> => {
    const { create, update, remove } = bundlePlan(authorities, informer.cache.list());
    if (create) await unless(isAlreadyExists, api.create(type, create));
    if (update) await api.update(type, update);
    for (const bundle of remove) await unless(isNotFound, api.delete(type, keyOf(bundle)));
  };
  const sync = (): Promise<void> => measuredByCode(environment, 'clustertrustbundle_publisher', publish);
  const controller: QueueController = new QueueController(environment, { name, sync });
  const queue = (): void => controller.queue.add(signerName);
  controller.owns(informer).addHandlers({ added: queue, changed: queue, removed: queue });
  queue();
  return controller;
}
