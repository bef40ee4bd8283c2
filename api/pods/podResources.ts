import type { JsonObject } from '../object.js';
import { addQuantities, compareQuantities, formatQuantity, type Quantity } from '../quantity.js';
import { ensureObject, objectAt, objectsIn } from '../json/defaulting.js';
import { quantityOf } from '../resourceLists.js';
import { isHugePages, isOvercommitAllowed } from '../resourceNames.js';

/** Whether a pod may set its own amount of a resource. */
export const isPodResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

type AmountsOf = 'requests' | 'limits';

const amountsOf = (container: JsonObject, of: AmountsOf): JsonObject => objectAt(objectAt(container, 'resources') ?? {}, of) ?? {};

const larger = (a: Quantity | undefined, b: Quantity): Quantity => (a === undefined || compareQuantities(a, b) < 0 ? b : a);

/** The peak of a pod's containers: the sum of those that keep running, or one init container plus the sidecars started before it. */
export function aggregateAmounts(spec: JsonObject, of: AmountsOf): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  const sidecars = new Map<string, Quantity>();
  const add = (totals: Map<string, Quantity>, name: string, amount: Quantity): void => {
    const before = totals.get(name);
    totals.set(name, before === undefined ? amount : addQuantities(before, amount));
  };
  for (const container of objectsIn(spec, 'containers'))
    for (const [name, amount] of Object.entries(amountsOf(container, of))) add(sum, name, quantityOf(amount));
  for (const container of objectsIn(spec, 'initContainers')) {
    const sidecar = container['restartPolicy'] === 'Always';
    for (const [name, amount] of Object.entries(amountsOf(container, of))) {
      const ofSidecars = sidecars.get(name);
      const needed = ofSidecars === undefined ? quantityOf(amount) : addQuantities(ofSidecars, quantityOf(amount));
      peak.set(name, larger(peak.get(name), needed));
      if (!sidecar) continue;
      add(sidecars, name, quantityOf(amount));
      add(sum, name, quantityOf(amount));
    }
  }
  for (const [name, amount] of peak) sum.set(name, larger(sum.get(name), amount));
  return sum;
}

/** Applies to pods with their own amounts: limits huge pages to the containers' amount, and with limits requests what the containers do, or else the limits. */
export function setPodResourceDefaults(spec: JsonObject): void {
  const resources = objectAt(spec, 'resources');
  if (resources === null) return;
  limitHugePages(spec, resources);
  const limits = objectAt(resources, 'limits') ?? {};
  if (Object.keys(limits).length === 0) return;
  const requests = ensureObject(resources, 'requests');
  for (const [name, amount] of aggregateAmounts(spec, 'requests'))
    if (isPodResource(name) && isOvercommitAllowed(name)) requests[name] ??= formatQuantity(amount);
  for (const [name, amount] of Object.entries(limits)) if (isPodResource(name)) requests[name] ??= amount;
  if (Object.keys(requests).length === 0) delete resources['requests'];
}

function limitHugePages(spec: JsonObject, resources: JsonObject): void {
  if (['limits', 'requests'].every((of) => Object.keys(objectAt(resources, of) ?? {}).length === 0)) return;
  for (const [name, amount] of aggregateAmounts(spec, 'limits'))
    if (isHugePages(name)) ensureObject(resources, 'limits')[name] ??= formatQuantity(amount);
}
