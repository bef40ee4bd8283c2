import { amountsOf, noAmounts, sameAmounts, sumOf as together, type Amounts } from '../../api/amounts.js';
import type { KubeObject } from '../../api/meta/object.js';
import { formatQuantity, largerQuantity, zeroQuantity, type Quantity } from '../../api/quantity.js';
import type { ResourceQuota } from '../../api/types/core/v1.js';
import { inScopes } from '../../api/quota/scopes.js';
import { sourceOf, usageOf } from '../../api/quota/usage.js';

/** Keyed by type; null for a type that cannot be counted now. */
export type Observed = ReadonlyMap<string, readonly KubeObject[] | null>;

/** Returns the types that a quota counts, as `deployments.apps`. Pure. */
export const sourcesOf = ({ spec }: ResourceQuota): ReadonlySet<string> =>
  new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => sourceOf(name) ?? []));

/** Returns whether the status does not cover all limits yet, so existing objects have not been counted since the creation. Pure. */
export const begins = ({ spec, status }: ResourceQuota): boolean =>
  Object.keys(spec?.hard ?? {}).some((name) => status?.hard?.[name] === undefined);

/** Returns whether a type's objects affect a quota's status. Pure. */
export const counts = ({ status }: ResourceQuota, source: string): boolean =>
  Object.keys(status?.hard ?? {}).some((name) => sourceOf(name) === source);

/**
 * Returns the quota with a new count, or null if unchanged. A type that cannot be counted now keeps its last count; an uncounted one has none. `raisesOnly`:
 * there were creations and no deletions, so the status may exceed the count by admitted objects not seen here yet. Pure.
 */
export function recounted(quota: ResourceQuota, observed: Observed, now: number, raisesOnly = false): ResourceQuota | null {
  const hard = quota.spec?.hard ?? {};
  const used: Record<string, string> = {};
  for (const source of new Set(Object.keys(hard).map(sourceOf))) {
    const objects = source === null ? null : (observed.get(source) ?? null);
    const sum = source === null || objects === null ? null : sumOf(quota, source, objects, now);
    for (const name of Object.keys(hard).filter((each) => sourceOf(each) === source)) {
      const said = quota.status?.used?.[name];
      const counted = sum?.get(name) ?? zeroQuantity;
      const text = sum ? formatQuantity(raisesOnly ? largerQuantity(saidAmount(said) ?? counted, counted) : counted) : said;
      if (text !== undefined) used[name] = text;
    }
  }
  const { status } = quota;
  if (status?.hard && status.used && sameAmounts(hard, status.hard) && sameAmounts(used, status.used)) return null;
  return { ...quota, status: { hard, used } };
}

const saidAmount = (text: string | undefined): Quantity | undefined =>
  text === undefined ? undefined : amountsOf({ said: text }).get('said');

const sumOf = (quota: ResourceQuota, source: string, objects: readonly KubeObject[], now: number): Amounts =>
  objects
    .filter((object) => inScopes(quota, source, object))
    .map((object) => usageOf(source, object, now))
    .reduce(together, noAmounts);
