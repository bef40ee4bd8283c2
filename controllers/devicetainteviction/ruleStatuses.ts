import { keyOf, namespaceOf, nameOf, uidOf } from '../../api/meta/object.js';
import { apiVersionOf, type Resource } from '../../api/meta/resource.js';
import { timeOf } from '../../api/time.js';
import { pods, type Pod } from '../../api/types/core/v1.js';
import { resourceClaims, resourceSlices, type ResourceClaim } from '../../api/types/resource/v1.js';
import type { DeviceTaintRule } from '../../api/types/resource/v1beta2.js';
import { applyPatch } from '../client/api.js';
import type { Lister } from '../client/cache.js';
import { QueueController } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { evicting, ruleTaint, selects, usableUntil, type DeviceName } from './deviceTaints.js';
import { differs, inProgress, ruleCondition, type RuleCounts } from './ruleStatus.js';

const fieldManager = 'device-taint-eviction';
/** Minimum life of a condition, unless the rule changes. */
const periodMs = 10_000;

/** Reports the progress of evictions in each rule's status. */
export class RuleStatuses {
  readonly #environment: ManagerEnvironment;
  readonly #type: Resource<DeviceTaintRule>;
  readonly #rules: Lister<DeviceTaintRule>;
  readonly #claimsOf: (pod: Pod) => readonly ResourceClaim[];
  readonly controller: QueueController;
  /** Keys are uids of rules. */
  readonly #evicted = new Map<string, number>();

  constructor(environment: ManagerEnvironment, type: Resource<DeviceTaintRule>, claimsOf: (pod: Pod) => readonly ResourceClaim[]) {
    this.#environment = environment;
    this.#type = type;
    this.#claimsOf = claimsOf;
    this.controller = new QueueController(environment, { name: 'device_taint_rule_status', sync: (key) => this.#sync(key) });
    const informer = this.controller.needs(type);
    this.#rules = informer.cache;
    informer.addHandlers({
      added: (rule) => this.controller.queue.add(nameOf(rule)),
      removed: (rule) => void this.#evicted.delete(uidOf(rule)),
    });
  }

  /** The rules that evict a pod are looked at. */
  awaits(pod: Pod): void {
    for (const rule of this.#rulesAgainst(pod)) this.controller.queue.add(nameOf(rule));
  }

  /** Counts an eviction. The caches know it a moment later. */
  counts(pod: Pod): void {
    for (const rule of this.#rulesAgainst(pod)) {
      this.#evicted.set(uidOf(rule), (this.#evicted.get(uidOf(rule)) ?? 0) + 1);
      this.controller.queue.addAfter(nameOf(rule), periodMs);
    }
  }

  #rulesAgainst(pod: Pod): readonly DeviceTaintRule[] {
    return this.#rules.list().filter((rule) => this.#evicts(rule, pod));
  }

  #evicts(rule: DeviceTaintRule, pod: Pod): boolean {
    const taintsOf = (device: DeviceName) => [ruleTaint(rule, device)].filter((taint) => taint !== null);
    const now = this.#environment.clock.now();
    return this.#claimsOf(pod).some((claim) => (usableUntil(claim, taintsOf, now) ?? Infinity) < Infinity);
  }

  async #sync(name: string): Promise<void | { readonly againAfterMs: number }> {
    const { api, clock } = this.#environment;
    const rule = this.#rules.get(name);
    if (rule === undefined) return;
    const before = rule.status?.conditions?.find(({ type }) => type === inProgress);
    const since = clock.now() - timeOf(before?.lastTransitionTime ?? undefined);
    if (before?.observedGeneration === rule.metadata.generation && since < periodMs) return { againAfterMs: periodMs - since };
    const condition = ruleCondition(rule, this.#countsOf(rule), clock.now());
    if (!differs(before, condition)) return;
    const body = {
      apiVersion: apiVersionOf(this.#type),
      kind: this.#type.kind,
      metadata: { name, uid: uidOf(rule) },
      status: { conditions: [condition] },
    };
    const patch = applyPatch(body, { fieldManager, force: true });
    await unless(isNotFound, api.patch(this.#type, keyOf(rule), patch, { subresource: 'status' }));
  }

  #countsOf(rule: DeviceTaintRule): RuleCounts {
    const evicted = this.#evicted.get(uidOf(rule)) ?? 0;
    const { effect } = rule.spec.taint;
    if (effect !== 'NoExecute' && effect !== 'None') return { pods: 0, namespaces: 0, published: 0, allocated: 0, evicted };
    const simulated = evicting(rule);
    const pending = this.#environment.informers
      .of(pods)
      .cache.list()
      .filter((pod) => pod.metadata.deletionTimestamp === undefined && pod.spec?.nodeName && this.#evicts(simulated, pod));
    return { pods: pending.length, namespaces: new Set(pending.map(namespaceOf)).size, ...this.#devicesOf(rule), evicted };
  }

  #devicesOf(rule: DeviceTaintRule): { readonly published: number; readonly allocated: number } {
    const { informers } = this.#environment;
    const slices = informers.of(resourceSlices).cache.list();
    const poolOf = ({ spec: { driver, pool } }: (typeof slices)[number]): string => `${driver}/${pool.name}`;
    const newest = new Map<string, number>();
    for (const slice of slices) newest.set(poolOf(slice), Math.max(newest.get(poolOf(slice)) ?? 0, slice.spec.pool.generation));
    const published = slices
      .filter((slice) => slice.spec.pool.generation === newest.get(poolOf(slice)))
      .flatMap(({ spec: { driver, pool, devices = [] } }) => devices.map(({ name }) => ({ driver, pool: pool.name, device: name })));
    const allocated = informers
      .of(resourceClaims)
      .cache.list()
      .flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
    const count = (devices: readonly DeviceName[]): number => devices.filter((device) => selects(rule, device)).length;
    return { published: count(published), allocated: count(allocated) };
  }
}
