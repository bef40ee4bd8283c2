import { noAmounts, sameAmounts, sumOf as together, type Amounts } from '../../api/amounts.js';
import type { KubeObject } from '../../api/meta/object.js';
import { formatQuantity, zeroQuantity } from '../../api/quantity.js';
import type { ResourceQuota } from '../../api/types/core/v1.js';
import { inScopes } from './scopes.js';
import { sourceOf, usageOf } from './usage.js';

/** The objects of a quota's namespace by type; null for a type that cannot be counted now. */
export type Observed = ReadonlyMap<string, readonly KubeObject[] | null>;

/** The types that a quota counts, as `deployments.apps`. Pure. */
export const sourcesOf = ({ spec }: ResourceQuota): ReadonlySet<string> => new Set(Object.keys(spec?.hard ?? {}).flatMap(name => sourceOf(name) ?? []));

/** Whether a type's objects matter to the amounts that a quota's status tells. Pure. */
export const counts = ({ status }: ResourceQuota, source: string): boolean => Object.keys(status?.hard ?? {}).some(name => sourceOf(name) === source);

/**
 * The quota with its use counted anew, or null when it says so already. What cannot be counted keeps its last count; what nobody counts has
 * none. Pure.
 */
export function recounted(quota: ResourceQuota, observed: Observed, now: number): ResourceQuota | null {
  const hard = quota.spec?.hard ?? {};
  const used: Record<string, string> = {};
  for (const source of new Set(Object.keys(hard).map(sourceOf))) {
    const objects = source === null ? null : observed.get(source) ?? null;
    const sum = source === null || objects === null ? null : sumOf(quota, source, objects, now);
    for (const name of Object.keys(hard).filter(each => sourceOf(each) === source)) {
      const text = sum ? formatQuantity(sum.get(name) ?? zeroQuantity) : quota.status?.used?.[name];
      if (text !== undefined) used[name] = text;
    }
  }
  const { status } = quota;
  if (status?.hard && status.used && sameAmounts(hard, status.hard) && sameAmounts(used, status.used)) return null;
  return { ...quota, status: { hard, used } };
}

const sumOf = (quota: ResourceQuota, source: string, objects: readonly KubeObject[], now: number): Amounts =>
  objects.filter(object => inScopes(quota, source, object)).map(object => usageOf(source, object, now)).reduce(together, noAmounts);
