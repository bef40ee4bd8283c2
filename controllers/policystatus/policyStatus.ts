import { isDeepStrictEqual } from 'node:util';
import type { KindName } from '../../api/catalogue/types.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { groupVersionOf } from '../../api/meta/resource.js';
import { keyOf, nameOf } from '../../api/meta/object.js';
import { validatingAdmissionPolicies, type ValidatingAdmissionPolicy } from '../../api/types/admissionregistration/v1.js';
import { customResourceDefinitions, type CustomResourceDefinition } from '../../api/types/apiextensions/v1.js';
import { typeChecking, type ServedKind } from '../../cel/policies/typeCheck.js';
import { applyPatch, type Api } from '../client/api.js';
import type { Clock } from '../client/clock.js';
import { QueueController, type Controller } from '../client/controller.js';
import { discover, type DiscoveredType } from '../client/discovery.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { conditionOf } from '../workloads/podState.js';

/** The reference's name, so that the status keeps one owner in migrated clusters. */
const fieldManager = 'validatingadmissionpolicy-status';

/** Writes to each policy's status whether its expressions fit the types of its kinds; repeats it when a definition changes. */
export function policyStatusController(environment: ManagerEnvironment): Controller {
  const { options, informers } = environment;
  const discovered = new SharedDiscovery(environment);
  const controller = new QueueController(environment, {
    name: 'validatingadmissionpolicy-status',
    workers: options['concurrent-validating-admission-policy-status-syncs'],
    sync: (name) => observe(environment, discovered, name),
  }).watch(validatingAdmissionPolicies);
  const again = ({ spec }: CustomResourceDefinition): void => {
    for (const policy of informers.of(validatingAdmissionPolicies).cache.list())
      if (groupsOf(policy).has(spec.group)) controller.queue.add(nameOf(policy));
  };
  controller.needs(customResourceDefinitions).addHandlers({ added: again, changed: (_before, after) => again(after), removed: again });
  return controller;
}

async function observe({ api, informers }: ManagerEnvironment, discovered: SharedDiscovery, name: string): Promise<void> {
  const policy = informers.of(validatingAdmissionPolicies).cache.get(name);
  if (!policy) return;
  const definitions = informers.of(customResourceDefinitions).cache.list();
  const generation = policy.metadata.generation ?? 0;
  const isObserved = (policy.status?.observedGeneration ?? 0) >= generation;
  const groups = groupsOf(policy);
  if (isObserved && !definitions.some(({ spec }) => groups.has(spec.group))) return;
  const checked = typeChecking(policy as unknown as ApiObject, {
    served: served(await discovered.with(groups), definitions),
    schemaOf: (kind) => schemaOf(kind, definitions),
  });
  if (isObserved && isDeepStrictEqual(policy.status?.typeChecking ?? {}, checked)) return;
  const { group, version, kind } = validatingAdmissionPolicies;
  const status = { observedGeneration: generation, typeChecking: checked };
  const patch = applyPatch({ apiVersion: `${group}/${version}`, kind, metadata: { name }, status }, { fieldManager, force: true });
  await unless(isNotFound, api.patch(validatingAdmissionPolicies, keyOf(policy), patch, { subresource: 'status' }));
}

/** The reference's interval of new discovery (`cmd/kube-controller-manager/app/controllermanager.go`). */
const discoveredMs = 30_000;

/** Reads discovery once for all policies of a pass, and again early for a missing group. */
class SharedDiscovery {
  readonly #api: Api;
  readonly #clock: Clock;
  #known: { readonly types: Promise<readonly DiscoveredType[]>; readonly at: number } | null = null;

  constructor({ api, clock }: ManagerEnvironment) {
    this.#api = api;
    this.#clock = clock;
  }

  async with(groups: ReadonlySet<string>): Promise<readonly DiscoveredType[]> {
    const before = this.#known;
    if (before === null || this.#clock.elapsed() - before.at >= discoveredMs) return this.#read();
    const types = await before.types;
    const known = new Set(['', '*', ...types.map(({ group }) => group)]);
    if ([...groups].every((group) => known.has(group))) return types;
    return this.#known === before || this.#known === null ? this.#read() : this.#known.types;
  }

  #read(): Promise<readonly DiscoveredType[]> {
    const types = discover(this.#api).then(({ all }) => all);
    const reading = { types, at: this.#clock.elapsed() };
    this.#known = reading;
    types.catch(() => {
      if (this.#known === reading) this.#known = null;
    });
    return types;
  }
}

function groupsOf({ spec = {} }: ValidatingAdmissionPolicy): ReadonlySet<string> {
  const { group } = groupVersionOf(spec.paramKind?.apiVersion ?? '');
  return new Set([group, ...(spec.matchConstraints?.resourceRules ?? []).flatMap(({ apiGroups }) => apiGroups ?? [])]);
}

/** Replaces discovered custom resources by those of the definitions, which may be newer than another server's answer. */
function served(discovered: readonly ServedKind[], definitions: readonly CustomResourceDefinition[]): readonly ServedKind[] {
  const defined = definitions.filter(isEstablished).flatMap(({ spec: { group, names, versions } }) =>
    (versions ?? [])
      .filter((version) => version.served)
      .map((version) => ({
        group,
        version: version.name,
        kind: names.kind,
        resource: names.plural,
        singular: names.singular || names.kind.toLowerCase(),
      })),
  );
  const names = new Set(defined.map(({ group, resource }) => `${resource}.${group}`));
  return [...discovered.filter(({ group, resource }) => !names.has(`${resource}.${group}`)), ...defined];
}

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  conditionOf(status?.conditions ?? [], 'Established')?.status === 'True';

function schemaOf({ group, version, kind }: KindName, definitions: readonly CustomResourceDefinition[]): JsonObject | null {
  const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  const defined = found?.spec.versions?.find((each) => each.name === version && each.served);
  return (defined?.schema?.openAPIV3Schema as JsonObject | undefined) ?? null;
}
