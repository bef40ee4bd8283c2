import type { JsonObject } from '../../../api/object.js';
import { addQuantities, compareQuantities, formatQuantity, type Quantity } from '../../../../api/quantity.js';
import { ensureObject, objectAt, objectsIn } from '../../../registry/defaulting.js';
import { quantityOf } from '../../../registry/validation/quantities.js';
import { isHugePages, isOvercommitAllowed } from '../../../registry/validation/resourcenames.js';

/** Resources that a pod may ask for as a whole, besides or instead of its containers. */
export const isPodResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

const requestsOf = (container: JsonObject): JsonObject => objectAt(objectAt(container, 'resources') ?? {}, 'requests') ?? {};

const larger = (a: Quantity | undefined, b: Quantity): Quantity => (a === undefined || compareQuantities(a, b) < 0 ? b : a);

/**
 * What the containers of a pod need together at any time: the sum of those that run on, or what one init container needs beside the sidecars
 * that have started before it, whichever is more.
 */
export function aggregateRequests(spec: JsonObject): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  const sidecars = new Map<string, Quantity>();
  const add = (totals: Map<string, Quantity>, name: string, amount: Quantity): void => {
    const before = totals.get(name);
    totals.set(name, before === undefined ? amount : addQuantities(before, amount));
  };
  for (const container of objectsIn(spec, 'containers'))
    for (const [name, amount] of Object.entries(requestsOf(container))) add(sum, name, quantityOf(amount));
  for (const container of objectsIn(spec, 'initContainers')) {
    const sidecar = container['restartPolicy'] === 'Always';
    for (const [name, amount] of Object.entries(requestsOf(container))) {
      const beside = sidecars.get(name);
      const needed = beside === undefined ? quantityOf(amount) : addQuantities(beside, quantityOf(amount));
      peak.set(name, larger(peak.get(name), needed));
      if (!sidecar) continue;
      add(sidecars, name, quantityOf(amount));
      add(sum, name, quantityOf(amount));
    }
  }
  for (const [name, amount] of peak) sum.set(name, larger(sum.get(name), amount));
  return sum;
}

/** A pod with limits of its own requests what its containers do, or as much as its limits where they request nothing. */
export function setPodResourceDefaults(spec: JsonObject): void {
  const resources = objectAt(spec, 'resources');
  const limits = objectAt(resources ?? {}, 'limits') ?? {};
  if (resources === null || Object.keys(limits).length === 0) return;
  const requests = ensureObject(resources, 'requests');
  for (const [name, amount] of aggregateRequests(spec))
    if (isPodResource(name) && isOvercommitAllowed(name)) requests[name] ??= formatQuantity(amount);
  for (const [name, amount] of Object.entries(limits)) if (isPodResource(name)) requests[name] ??= amount;
  if (Object.keys(requests).length === 0) delete resources['requests'];
}
