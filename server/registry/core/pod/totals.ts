import type { JsonObject } from '../../../api/object.js';
import { addQuantities, compareQuantities, formatQuantity, type Quantity } from '../../../../workers/schema/quantity.js';
import { objectAt, objectsIn } from '../../defaulting.js';
import { quantityOf } from '../../validation/quantities.js';

/** Amounts by resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const amountsOf = (list: JsonObject | null): Amounts => new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, quantityOf(amount)]));

/** Both together; what only one names counts as it is. */
export function sumOf(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
  return sum;
}

export function maxOf(a: Amounts, b: Amounts): Amounts {
  const max = new Map(a);
  for (const [name, amount] of b) {
    const known = max.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) max.set(name, amount);
  }
  return max;
}

export const textOf = (amount: Quantity | undefined): string => (amount === undefined ? '0' : formatQuantity(amount));

const NONE: Amounts = new Map();
/** Resources that a pod may set for all its containers together; they then count instead of the sum. */
const podLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/**
 * What a pod requests, or may use at most: its containers together, or the largest of its init containers, which run one after another
 * beside those that keep running; and what running the pod itself costs.
 */
export function podTotals(spec: JsonObject, list: 'requests' | 'limits'): Amounts {
  const ofContainer = (container: JsonObject): Amounts => amountsOf(objectAt(objectAt(container, 'resources') ?? {}, list));
  const running = objectsIn(spec, 'containers').map(ofContainer).reduce(sumOf, NONE);
  let [staying, starting] = [NONE, NONE];
  for (const container of objectsIn(spec, 'initContainers')) {
    const own = ofContainer(container);
    const stays = container['restartPolicy'] === 'Always';
    starting = maxOf(starting, sumOf(own, staying));
    if (stays) staying = sumOf(staying, own);
  }
  const total = new Map(maxOf(sumOf(running, staying), starting));
  for (const [name, amount] of amountsOf(objectAt(objectAt(spec, 'resources') ?? {}, list))) if (podLevel(name)) total.set(name, amount);
  const overhead = amountsOf(objectAt(spec, 'overhead'));
  // Without a limit there is nothing that the overhead could raise.
  return list === 'requests' ? sumOf(total, overhead) : sumOf(total, new Map([...overhead].filter(([name]) => total.has(name))));
}
