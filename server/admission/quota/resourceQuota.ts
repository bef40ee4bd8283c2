import type { KubeObject } from '../../../api/meta/object.js';
import { inScopes, scopeFacts } from '../../../api/quota/scopes.js';
import { countedFor } from '../../../api/quota/usage.js';
import type { ResourceQuota } from '../../../api/types/core/v1.js';
import type { ApiObject } from '../../../api/object.js';
import { qualifiedName, type GroupResource } from '../../../api/resource.js';
import { forbidden, internalError, plainError, timeout, unavailable } from '../../../api/status.js';
import { writeFailure } from '../../registry/failures.js';
import { readFailure } from '../../registry/failures.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { inOneGo } from '../../../api/steps.js';
import { capManagers, managersProblem, readManagers, writeManagers } from '../../patch/apply/managers.js';
import { ownUpdate, type Versions } from '../../patch/apply/ownership.js';
import { schemaOfKind } from '../../patch/apply/typeSchema.js';
import { storedForm } from '../../registry/metadata.js';
import { amountsOf, sumOf, textOf, type Amounts } from '../../kinds/core/pod/totals.js';
import type { Storage, StoredObject } from '../../storage/contract.js';
import { compareQuantities, formatQuantity, type Quantity } from '../../../api/quantity.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { LimitedResource } from './configuration.js';
import { uncovered } from './coverage.js';
import { unnamedResources } from './unnamed.js';
import { growth, usageOf } from './usage.js';

const quotas = { group: '', resource: 'resourcequotas' };
/** One of a quota's concurrent writers succeeds in each round. */
const attemptsMax = 100;
const writeTimeoutMs = 10_000;

/** Updates can increase the use of these types; for others only the number counts. */
const growing: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims']);

export interface QuotaParts {
  readonly storage: Storage;
  readonly now: () => string;
  readonly limited: readonly LimitedResource[];
}

/**
 * Charges quotas for a write and refuses an excess. The charge precedes the write, so concurrent servers cannot exceed a quota; a controller returns charges
 * of failed writes. A quota is enforced after a controller's first count. `limited` use requires a covering quota.
 */
export const resourceQuota = ({ storage, now, limited }: QuotaParts): AdmissionPlugin => ({
  name: 'ResourceQuota',
  resources: null,
  async validate(request) {
    const { object, old, namespace, resource, operation } = request;
    if (object === null || namespace === '' || !isCharged(request)) return;
    let use: Use | null = null;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const quotas = await quotasIn(storage, namespace, attempt > 0);
      if (quotas.length === 0 && limited.length === 0) return;
      use ??= useOf(object, operation === 'UPDATE' ? old : null, resource.storage);
      const matching = matchingQuotas(quotas, use, request);
      if (!consumes(use, matching)) return;
      demandCover(limited, quotas, use, request);
      const charges = matching.flatMap((each) => charge(each, request));
      if (charges.length === 0 || request.dryRun || (await write(storage, charges, now()))) return;
    }
    throw internalError(new Error(`too many writers compete for the quotas of namespace ${namespace}`));
  },
});

function isCharged({ operation, subresource, resource, object, old }: AdmissionRequest): boolean {
  const name = qualifiedName(resource.storage);
  if (subresource !== '') return name === 'pods' && subresource === 'resize' && operation === 'UPDATE';
  if (operation === 'CREATE') return true;
  return operation === 'UPDATE' && (growing.has(name) || changesScopes(name, object, old));
}

const changesScopes = (name: string, object: ApiObject | null, old: ApiObject | null): boolean =>
  object !== null && old !== null && !sameValue(scopeFacts(name, object as KubeObject), scopeFacts(name, old as KubeObject));

interface Use {
  readonly object: ApiObject;
  readonly old: ApiObject | null;
  readonly whole: Amounts;
  readonly grown: Amounts;
}

function useOf(object: ApiObject, old: ApiObject | null, resource: GroupResource): Use {
  const now = usageOf(object, resource);
  return { object, old, whole: growth(now, null), grown: growth(now, old === null ? null : usageOf(old, resource)) };
}

async function quotasIn(storage: Storage, namespace: string, latest: boolean): Promise<readonly StoredObject[]> {
  const result = await storage.list({
    resource: quotas,
    namespace,
    labels: [],
    fields: [],
    consistency: { at: latest ? 'mostRecent' : 'any' },
    limit: null,
    after: null,
  });
  if (result.outcome === 'found') return result.items;
  throw readFailure(result);
}

interface Charge {
  readonly stored: StoredObject;
  readonly before: ApiObject;
  readonly quota: ApiObject;
}

interface Matching {
  readonly stored: StoredObject;
  readonly quota: ApiObject;
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly counted: readonly string[];
  readonly added: Amounts;
}

/** Throws if the object omits what a quota requires, or a quota is not counted yet. */
function matchingQuotas(quotas: readonly StoredObject[], { object, old, whole, grown }: Use, request: AdmissionRequest): Matching[] {
  const resource = request.resource.storage;
  const name = qualifiedName(resource);
  const isScoped = (quota: ApiObject, of: ApiObject): boolean => inScopes(quota as ResourceQuota, name, of as KubeObject);
  const matching = quotas
    .map((stored) => ({ stored, quota: stored.decode() }))
    .map((each) => ({ ...each, ...statusOf(each.quota) }))
    .map((each) => ({ ...each, counted: countedFor(name, [...each.hard.keys()]) }))
    .filter(({ counted, quota }) => counted.length > 0 && isScoped(quota, object))
    .map((each) => ({ ...each, added: old !== null && isScoped(each.quota, old) ? grown : whole }));
  for (const { stored, used, counted } of matching) {
    const unnamed = name === 'pods' ? unnamedResources(object, counted) : null;
    if (unnamed !== null) throw forbidden(resource, request.name, `failed quota: ${stored.name}: ${unnamed}`);
    if (counted.some((each) => !used.has(each)))
      throw forbidden(resource, request.name, `status unknown for quota: ${stored.name}, resources: ${[...counted].sort().join(',')}`);
  }
  return matching;
}

const consumes = ({ grown }: Use, matching: readonly Matching[]): boolean =>
  matching.length === 0 ? grown.size > 0 : matching.some(({ added }) => added.size > 0);

function demandCover(
  limited: readonly LimitedResource[],
  quotas: readonly StoredObject[],
  { object, whole }: Use,
  request: AdmissionRequest,
): void {
  const resource = request.resource.storage;
  const missing = limited.length === 0 ? null : uncovered({ limited, quotas, usage: whole, object: object as KubeObject, resource });
  if (missing === null) return;
  throw missing.isForbidden ? forbidden(resource, request.name, missing.message) : plainError(500, missing.message);
}

/** Returns a quota's new use, or nothing if unchanged. Throws when exceeded. */
function charge({ stored, quota, hard, used, counted, added }: Matching, request: AdmissionRequest): Charge[] {
  const requested = new Map([...added].filter(([name]) => counted.includes(name)));
  if (requested.size === 0) return [];
  const sum = sumOf(used, requested);
  const exceeded = [...requested.keys()].filter((name) => isMore(sum.get(name), hard.get(name))).sort();
  if (exceeded.length > 0)
    throw forbidden(
      request.resource.storage,
      request.name,
      `exceeded quota: ${stored.name}, requested: ${shown(requested, exceeded)}, used: ${shown(used, exceeded)}, limited: ${shown(hard, exceeded)}`,
    );
  const status = {
    ...(objectAt(quota, 'status') ?? {}),
    used: Object.fromEntries([...sum].map(([name, amount]) => [name, formatQuantity(amount)])),
  };
  return [{ stored, before: quota, quota: { ...quota, status } }];
}

const charger = { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'v1', subresource: 'status' } as const;
const versions: Versions = {
  schemaOf: (apiVersion) => (apiVersion === 'v1' ? schemaOfKind({ group: '', version: 'v1', kind: 'ResourceQuota' }) : null),
  convert: () => null,
};

function ownCharge({ quota, before }: Charge, now: string): ApiObject {
  const owners = before.metadata.managedFields;
  if (owners === undefined || managersProblem(owners) !== null) return quota;
  const [after, old] = [quota, before].map(({ metadata: { managedFields: _, ...metadata }, ...rest }) => ({ ...rest, metadata }));
  const written = inOneGo(
    ownUpdate({ before: old as ApiObject, after: after as ApiObject }, readManagers(owners), { id: charger, now }, versions),
  );
  return { ...quota, metadata: { ...quota.metadata, managedFields: writeManagers(capManagers(written)) } };
}

const statusOf = (quota: ApiObject): { readonly hard: Amounts; readonly used: Amounts } => {
  const status = objectAt(quota, 'status') ?? {};
  return { hard: amountsOf(objectAt(status, 'hard')), used: amountsOf(objectAt(status, 'used')) };
};

const isMore = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
const shown = (amounts: Amounts, names: readonly string[]): string => names.map((name) => `${name}=${textOf(amounts.get(name))}`).join(',');

/** Returns false when another writer changed a quota; earlier charges are recounted later. */
async function write(storage: Storage, charges: readonly Charge[], now: string): Promise<boolean> {
  for (const charge of charges) {
    const { stored } = charge;
    const key = { resource: quotas, namespace: stored.namespace, name: stored.name };
    const result = await storage.update(key, storedForm(ownCharge(charge, now), stored.apiVersion), stored.version, {
      timeoutMs: writeTimeoutMs,
    });
    switch (result.outcome) {
      case 'applied':
        break;
      case 'conflict':
      case 'taken':
        return false;
      case 'unavailable':
      case 'rejected':
        throw unavailable(result.reason);
      case 'noSpace':
        throw writeFailure(result);
      case 'unknown':
        throw timeout(`the quota ${stored.name} could not be charged in time: ${result.reason}`);
    }
  }
  return true;
}
