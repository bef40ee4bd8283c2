import { controllerOf, isControlledBy, isTerminating, keyOf, keyTextOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Pod, type PodResourceClaim, pods } from '../../api/types/core/v1.js';
import { type ResourceClaim, resourceClaims, resourceClaimTemplates } from '../../api/types/resource/v1.js';
import { applyPatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import type { Informer } from '../client/informer.js';
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
export const resourceClaimController = (environment: ManagerEnvironment): Controller => new ResourceClaims(environment).controller;

class ResourceClaims {
  readonly controller: QueueController;
  readonly #environment: ManagerEnvironment;
  readonly #claims: Informer<ResourceClaim>;
  readonly #pods: Informer<Pod>;
  /** New claims that are not in the cache yet: their names are generated, so another check would create duplicates. */
  readonly #made = new Map<string, ResourceClaim>();

  constructor(environment: ManagerEnvironment) {
    const { informers, options } = environment;
    this.#environment = environment;
    this.#claims = informers.of(resourceClaims);
    this.#pods = informers.of(pods);
    this.#index();
    this.controller = new QueueController(environment, {
      name: 'resource_claim',
      workers: options['concurrent-resourceclaim-syncs'],
      sync: (key) =>
        key.startsWith(podPrefix) ? this.#syncPod(key.slice(podPrefix.length)) : this.#syncClaim(key.slice(claimPrefix.length)),
    });
    this.#follow();
  }

  #index(): void {
    this.#claims.addIndex(byOwner, (claim) => [controllerOf(claim)?.uid ?? []].flat());
    this.#claims.addIndex(byUser, ({ status }) => (status?.reservedFor ?? []).map(({ uid }) => uid));
    this.#pods.addIndex(byTemplate, (pod) =>
      (pod.spec?.resourceClaims ?? []).map(({ resourceClaimTemplateName = '' }) => `${namespaceOf(pod)}/${resourceClaimTemplateName}`),
    );
    this.#pods.addIndex(byClaim, (pod) => claimNamesOf(pod).map((name) => `${namespaceOf(pod)}/${name}`));
  }

  #follow(): void {
    const seenPod = (pod: Pod): void => {
      this.#queuePod(pod);
      if (isDone(pod)) this.#queueClaimsOf(pod);
    };
    this.controller.needs(pods).addHandlers({
      added: seenPod,
      changed: (_, pod) => seenPod(pod),
      removed: (pod) => this.#queueClaimsOf(pod),
    });
    const seenClaim = (claim: ResourceClaim): void => {
      this.#queueClaim(claim);
      this.#queuePodsOf(claim);
    };
    this.controller.needs(resourceClaims).addHandlers({
      added: (claim) => {
        this.#made.delete(uidOf(claim));
        seenClaim(claim);
      },
      changed: (_, claim) => seenClaim(claim),
      removed: (claim) => {
        this.#made.delete(uidOf(claim));
        const owner = this.#ownerOf(claim);
        if (owner) this.#queuePod(owner);
        this.#queuePodsOf(claim);
      },
    });
    this.controller.needs(resourceClaimTemplates).addHandlers({
      added: (template) => this.#pods.cache.by(byTemplate, keyTextOf(template)).forEach((pod) => this.#queuePod(pod)),
    });
  }

  #queuePod(pod: Pod): void {
    const claimOf = this.#claimsNextTo(pod);
    const waits = unmet(pod, claimOf).length > 0 || unreserved(pod, claimOf).length > 0;
    if (!isTerminating(pod) && waits) this.controller.queue.add(`${podPrefix}${keyTextOf(pod)}`);
  }

  #queueClaim(claim: ResourceClaim): void {
    this.controller.queue.add(`${claimPrefix}${keyTextOf(claim)}`);
  }

  #queuePodsOf(claim: ResourceClaim): void {
    this.#pods.cache.by(byClaim, keyTextOf(claim)).forEach((pod) => this.#queuePod(pod));
  }

  #queueClaimsOf(pod: Pod): void {
    for (const name of claimNamesOf(pod)) this.controller.queue.add(`${claimPrefix}${namespaceOf(pod)}/${name}`);
    for (const index of [byOwner, byUser]) this.#claims.cache.by(index, uidOf(pod)).forEach((claim) => this.#queueClaim(claim));
  }

  #claimsNextTo(pod: Pod): (name: string) => ResourceClaim | undefined {
    return (name) => this.#claims.cache.get(`${namespaceOf(pod)}/${name}`);
  }

  async #syncPod(key: string): Promise<void> {
    const { api, events } = this.#environment;
    const pod = this.#pods.cache.get(key);
    if (!pod || isTerminating(pod) || isDone(pod)) return;
    const given: { readonly name: string; readonly resourceClaimName: string }[] = [];
    for (const entry of unmet(pod, this.#claimsNextTo(pod))) {
      try {
        const resourceClaimName = await this.#provide(pod, entry);
        if (resourceClaimName !== null) given.push({ name: entry.name, resourceClaimName });
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        events.warning(pod, 'FailedResourceClaimCreation', `PodResourceClaim ${entry.name}: ${messageOf(error)}`);
        throw error;
      }
    }
    if (given.length > 0) await this.#tellPod(pod, given);
    for (const claim of unreserved(pod, this.#claimsNextTo(pod)))
      await unless(isNotFound, api.update(resourceClaims, reservedFor(claim, pod), { subresource: 'status' }));
  }

  async #tellPod(pod: Pod, resourceClaimStatuses: readonly object[]): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid }, status: { resourceClaimStatuses } };
    const patch = applyPatch(body, { fieldManager: 'ResourceClaimController', force: true });
    await unless(isNotFound, this.#environment.api.patch(pods, keyOf(pod), patch, { subresource: 'status' }));
  }

  /** Returns the name of a pod entry's new claim; null where it has one. */
  async #provide(pod: Pod, entry: PodResourceClaim): Promise<string | null> {
    if (await this.#hasClaim(pod, entry)) return null;
    const known = [...this.#claims.cache.by(byOwner, uidOf(pod)), ...this.#made.values()];
    return nameOf(claimFor(pod, entry, known) ?? (await this.#create(pod, entry)));
  }

  async #hasClaim(pod: Pod, entry: PodResourceClaim): Promise<boolean> {
    const name = claimNameOf(pod, entry);
    if (!name) return false;
    const claim = await unless(isNotFound, this.#environment.api.get(resourceClaims, { namespace: namespaceOf(pod), name }));
    return claim !== null && isControlledBy(claim, pod);
  }

  async #create(pod: Pod, entry: PodResourceClaim): Promise<ResourceClaim> {
    const { api, informers, measures } = this.#environment;
    const template = informers.of(resourceClaimTemplates).cache.get(`${namespaceOf(pod)}/${entry.resourceClaimTemplateName ?? ''}`);
    if (!template) {
      const wanted = JSON.stringify(entry.resourceClaimTemplateName);
      throw new Error(`resource claim template ${wanted}: resourceclaimtemplate.resource.k8s.io ${wanted} not found`);
    }
    const admin_access = String(template.spec.spec.devices?.requests?.some(({ exactly }) => exactly?.adminAccess) ?? false);
    try {
      const claim = await api.create(resourceClaims, newClaim(pod, entry, template));
      if (!this.#claims.cache.get(keyTextOf(claim))) this.#made.set(uidOf(claim), claim);
      measures.count('resourceclaim_controller_creates_total', { status: 'success', admin_access });
      return claim;
    } catch (error) {
      measures.count('resourceclaim_controller_creates_total', { status: 'failure', admin_access });
      throw error;
    }
  }

  async #syncClaim(key: string): Promise<void> {
    const { api } = this.#environment;
    const claim = this.#claims.cache.get(key);
    if (!claim) return;
    const alive = await this.#aliveOf(claim);
    const step = claimStep(claim, (uid) => alive.has(uid), this.#ownerOf(claim));
    switch (step.do) {
      case 'nothing':
        return;
      case 'status': {
        const { status: _, ...rest } = claim;
        const updated = { ...rest, ...(step.status ? { status: step.status } : {}) };
        await unless(isNotFound, api.update(resourceClaims, updated, { subresource: 'status' }));
        return;
      }
      case 'let go':
        await unless(isNotFound, api.update(resourceClaims, { ...claim, metadata: { ...claim.metadata, finalizers: step.finalizers } }));
        return;
      case 'delete':
        await unless(isNotFound, api.delete(resourceClaims, keyOf(claim), { preconditions: { uid: uidOf(claim) } }));
    }
  }

  /** Pods missing in the cache are read from the server: a claim must not be taken from its user. */
  async #aliveOf(claim: ResourceClaim): Promise<ReadonlySet<string>> {
    const alive = new Set<string>();
    for (const { resource, name, uid } of claim.status?.reservedFor ?? []) {
      if (resource !== 'pods') continue;
      const key = { namespace: namespaceOf(claim), name };
      const cached = this.#pods.cache.get(`${key.namespace}/${name}`);
      const pod = cached && uidOf(cached) === uid ? cached : await unless(isNotFound, this.#environment.api.get(pods, key));
      if (pod && uidOf(pod) === uid && !isDone(pod)) alive.add(uid);
    }
    return alive;
  }

  #ownerOf(claim: ResourceClaim): Pod | null {
    const owner = controllerOf(claim);
    const pod = owner?.kind === 'Pod' ? this.#pods.cache.get(`${namespaceOf(claim)}/${owner.name}`) : undefined;
    return pod && uidOf(pod) === owner?.uid ? pod : null;
  }
}
