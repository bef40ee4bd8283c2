import type { JsonObject, JsonValue } from '../../../api/object.js';
import { addQuantities, compareQuantities, type Quantity } from '../../../../api/quantity.js';
import { objectAt, objectsIn } from '../../../registry/defaulting.js';
import { quantityOf } from '../../../registry/validation/quantities.js';

/** What is promised to a pod when its node runs out of resources. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'] as const;
type Amounts = Map<string, Quantity>;

/** The quality-of-service class follows from requests and limits of cpu and memory; it never changes after creation. */
export function qosClass(pod: JsonObject): QosClass {
  const spec = objectAt(pod, 'spec') ?? {};
  const holders = objectAt(spec, 'resources') === null ? [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')] : [spec];
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  let allLimited = true;
  for (const holder of holders) {
    const resources = objectAt(holder, 'resources') ?? {};
    add(requests, objectAt(resources, 'requests') ?? {});
    if (add(limits, objectAt(resources, 'limits') ?? {}) < COUNTED.length) allLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return allLimited && requests.size === limits.size && [...requests].every(([name, amount]) => equals(amount, limits.get(name)))
    ? 'Guaranteed'
    : 'Burstable';
}

const equals = (a: Quantity, b: Quantity | undefined): boolean => b !== undefined && compareQuantities(a, b) === 0;

/** Adds what counts, and tells how many resources that were. */
function add(totals: Amounts, amounts: { readonly [name: string]: JsonValue | undefined }): number {
  let found = 0;
  for (const name of COUNTED) {
    const amount = quantityOf(amounts[name]);
    if (amount.digits <= 0n) continue;
    const sum = totals.get(name);
    totals.set(name, sum === undefined ? amount : addQuantities(sum, amount));
    found++;
  }
  return found;
}
