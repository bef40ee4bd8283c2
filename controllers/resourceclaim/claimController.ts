import { controllerOf, isControlledBy, isTerminating, keyOf, keyTextOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Pod, type PodResourceClaim, pods } from '../../api/types/core/v1.js';
import { type ResourceClaim, resourceClaims, resourceClaimTemplates } from '../../api/types/resource/v1.js';
import { strategicPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNamespaceTerminating, isNotFound, messageOf, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { claimFor, claimNameOf, claimNamesOf, claimStep, isDone, newClaim, reservedFor, unmet, unreserved } from './plan.js';

const byOwner = 'owner';
const byTemplate = 'template';
const byClaim = 'claim';
const byUser = 'user';
const podPrefix = 'pod:';
const claimPrefix = 'claim:';

/** Creates the device claims of pods, and removes finished pods from claims. */
export function resourceClaimController(environment: ManagerEnvironment): Controller {
  const { api, events, informers, measures, options } = environment;
  const claims = informers.of(resourceClaims);
  const podInformer = informers.of(pods);
  const templates = informers.of(resourceClaimTemplates).cache;
  claims.addIndex(byOwner, (claim) => [controllerOf(claim)?.uid ?? []].flat());
  podInformer.addIndex(byTemplate, (pod) =>
    (pod.spec?.resourceClaims ?? []).map(({ resourceClaimTemplateName = '' }) => `${namespaceOf(pod)}/${resourceClaimTemplateName}`),
  );
  podInformer.addIndex(byClaim, (pod) => claimNamesOf(pod).map((name) => `${namespaceOf(pod)}/${name}`));
  const claimsBeside =
    (pod: Pod) =>
    (name: string): ResourceClaim | undefined =>
      claims.cache.get(`${namespaceOf(pod)}/${name}`);
  claims.addIndex(byUser, ({ status }) => (status?.reservedFor ?? []).map(({ uid }) => uid));
  /** New claims that are not in the cache yet: their names are generated, and another would be one too many. */
  const made = new Map<string, ResourceClaim>();

  const syncPod = async (key: string): Promise<void> => {
    const pod = podInformer.cache.get(key);
    if (!pod || isTerminating(pod) || isDone(pod)) return;
    for (const entry of unmet(pod, claimsBeside(pod))) {
      try {
        if (await hasClaim(pod, entry)) continue;
        const known = [...claims.cache.by(byOwner, uidOf(pod)), ...made.values()];
        const claim = claimFor(pod, entry, known) ?? (await create(pod, entry));
        const statuses = [{ name: entry.name, resourceClaimName: nameOf(claim) }];
        const patch = strategicPatch({ metadata: { uid: uidOf(pod) }, status: { resourceClaimStatuses: statuses } });
        await unless(isNotFound, api.patch(pods, keyOf(pod), patch, { subresource: 'status' }));
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        events.warning(pod, 'FailedResourceClaimCreation', `PodResourceClaim ${entry.name}: ${messageOf(error)}`);
        throw error;
      }
    }
    for (const claim of unreserved(pod, claimsBeside(pod)))
      await unless(isNotFound, api.update(resourceClaims, reservedFor(claim, pod), { subresource: 'status' }));
  };
  const hasClaim = async (pod: Pod, entry: PodResourceClaim): Promise<boolean> => {
    const name = claimNameOf(pod, entry);
    if (!name) return false;
    const claim = await unless(isNotFound, api.get(resourceClaims, { namespace: namespaceOf(pod), name }));
    return claim !== null && isControlledBy(claim, { owner: pod });
  };
  const create = async (pod: Pod, entry: PodResourceClaim): Promise<ResourceClaim> => {
    const template = templates.get(`${namespaceOf(pod)}/${entry.resourceClaimTemplateName ?? ''}`);
    if (!template) throw new Error(`resource claim template ${JSON.stringify(entry.resourceClaimTemplateName)} not found`);
    const admin_access = String(template.spec.spec.devices?.requests?.some(({ exactly }) => exactly?.adminAccess) ?? false);
    try {
      const claim = await api.create(resourceClaims, newClaim(pod, entry, template));
      if (!claims.cache.get(keyTextOf(claim))) made.set(uidOf(claim), claim);
      measures.count('resourceclaim_controller_creates_total', { status: 'success', admin_access });
      return claim;
    } catch (error) {
      measures.count('resourceclaim_controller_creates_total', { status: 'failure', admin_access });
      throw error;
    }
  };

  /** Pods that are not in the cache are read from the server: a claim must not be taken from its user. */
  const aliveOf = async (claim: ResourceClaim): Promise<ReadonlySet<string>> => {
    const alive = new Set<string>();
    for (const { resource, name, uid } of claim.status?.reservedFor ?? []) {
      if (resource !== 'pods') continue;
      const key = { namespace: namespaceOf(claim), name };
      const cached = podInformer.cache.get(`${key.namespace}/${name}`);
      const pod = cached && uidOf(cached) === uid ? cached : await unless(isNotFound, api.get(pods, key));
      if (pod && uidOf(pod) === uid && !isDone(pod)) alive.add(uid);
    }
    return alive;
  };
  const ownerOf = (claim: ResourceClaim): Pod | null => {
    const owner = controllerOf(claim);
    const pod = owner?.kind === 'Pod' ? podInformer.cache.get(`${namespaceOf(claim)}/${owner.name}`) : undefined;
    return pod && uidOf(pod) === owner?.uid ? pod : null;
  };
  const syncClaim = async (key: string): Promise<void> => {
    const claim = claims.cache.get(key);
    if (!claim) return;
    const alive = await aliveOf(claim);
    const step = claimStep(claim, (uid) => alive.has(uid), ownerOf(claim));
    switch (step.do) {
      case 'nothing':
        return;
      case 'status': {
        const { status: _, ...rest } = claim;
        await unless(
          isNotFound,
          api.update(resourceClaims, { ...rest, ...(step.status ? { status: step.status } : {}) }, { subresource: 'status' }),
        );
        return;
      }
      case 'let go':
        await unless(isNotFound, api.update(resourceClaims, { ...claim, metadata: { ...claim.metadata, finalizers: step.finalizers } }));
        return;
      case 'delete':
        await unless(isNotFound, api.delete(resourceClaims, keyOf(claim), { preconditions: { uid: uidOf(claim) } }));
    }
  };

  const sync = (key: string): Promise<void> =>
    key.startsWith(podPrefix) ? syncPod(key.slice(podPrefix.length)) : syncClaim(key.slice(claimPrefix.length));
  const controller: QueueController = new QueueController(environment, {
    name: 'resource_claim',
    workers: options['concurrent-resourceclaim-syncs'],
    sync,
  });
  const queuePod = (pod: Pod): void => {
    const waits = unmet(pod, claimsBeside(pod)).length > 0 || unreserved(pod, claimsBeside(pod)).length > 0;
    if (!isTerminating(pod) && waits) controller.queue.add(`${podPrefix}${keyTextOf(pod)}`);
  };
  const queueClaim = (claim: ResourceClaim): void => controller.queue.add(`${claimPrefix}${keyTextOf(claim)}`);
  const queuePodsOf = (claim: ResourceClaim): void => podInformer.cache.by(byClaim, keyTextOf(claim)).forEach(queuePod);
  const queueClaimsOf = (pod: Pod): void => {
    for (const name of claimNamesOf(pod)) controller.queue.add(`${claimPrefix}${namespaceOf(pod)}/${name}`);
    for (const index of [byOwner, byUser]) claims.cache.by(index, uidOf(pod)).forEach(queueClaim);
  };
  controller.needs(pods).addHandlers({
    added: (pod) => {
      queuePod(pod);
      if (isDone(pod)) queueClaimsOf(pod);
    },
    changed: (_, pod) => {
      queuePod(pod);
      if (isDone(pod)) queueClaimsOf(pod);
    },
    removed: queueClaimsOf,
  });
  controller.needs(resourceClaims).addHandlers({
    added: (claim) => {
      made.delete(uidOf(claim));
      queueClaim(claim);
      queuePodsOf(claim);
    },
    changed: (_, claim) => {
      queueClaim(claim);
      queuePodsOf(claim);
    },
    removed: (claim) => {
      made.delete(uidOf(claim));
      const owner = ownerOf(claim);
      if (owner) queuePod(owner);
      queuePodsOf(claim);
    },
  });
  controller.needs(resourceClaimTemplates).addHandlers({
    added: (template) => podInformer.cache.by(byTemplate, keyTextOf(template)).forEach(queuePod),
  });
  return controller;
}
