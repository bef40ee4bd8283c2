import { amountsOf, noAmounts, sameAmounts, sumOf as together, type Amounts } from '../../api/amounts.js';
import type { KubeObject } from '../../api/meta/object.js';
import { formatQuantity, largerQuantity, zeroQuantity, type Quantity } from '../../api/quantity.js';
import type { ResourceQuota } from '../../api/types/core/v1.js';
import { inScopes } from '../../api/quota/scopes.js';
import { sourceOf, usageOf } from '../../api/quota/usage.js';

/** The objects of a quota's namespace by type; null for a type that cannot be counted now. */
export type Observed = ReadonlyMap<string, readonly KubeObject[] | null>;

/** The types that a quota counts, as `deployments.apps`. Pure. */
export const sourcesOf = ({ spec }: ResourceQuota): ReadonlySet<string> =>
  new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => sourceOf(name) ?? []));

/** Whether its status does not speak yet of all that it limits: then nobody has counted what was there when it was made. Pure. */
export const begins = ({ spec, status }: ResourceQuota): boolean =>
  Object.keys(spec?.hard ?? {}).some((name) => status?.hard?.[name] === undefined);

/** Whether a type's objects matter to the amounts that a quota's status tells. Pure. */
export const counts = ({ status }: ResourceQuota, source: string): boolean =>
  Object.keys(status?.hard ?? {}).some((name) => sourceOf(name) === source);

/**
 * The quota with its use counted anew, or null when it says so already. What cannot be counted keeps its last count; what nobody counts has
 * none. `raisesOnly`: something appeared and nothing went, so what the status says above the count was counted by admission, of objects that are on their
 * way here. Pure.
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
