import type { KubeObject } from '../../../api/meta/object.js';
import type { Amounts } from '../../../api/amounts.js';
import { addQuantities, type Quantity } from '../../../api/quantity.js';
import { usageOf as usageAt } from '../../../api/quota/usage.js';
import type { ApiObject } from '../../../api/object.js';
import { qualifiedName, type GroupResource } from '../../../api/resource.js';

/** The future object has outlived no deadline. */
const beforeAllDeadlines = -Infinity;

export const usageOf = (object: ApiObject, resource: GroupResource): Amounts =>
  usageAt(qualifiedName(resource), object as KubeObject, beforeAllDeadlines);

const subtract = (a: Quantity, b: Quantity): Quantity => addQuantities(a, { ...b, digits: -b.digits });

/** Returns increases only; a controller recounts decreases. */
export function growth(now: Amounts, before: Amounts | null): Amounts {
  const grown = [...now].map(([name, value]) => {
    const old = before?.get(name);
    return [name, old === undefined ? value : subtract(value, old)] as const;
  });
  return new Map(grown.filter(([, value]) => value.digits > 0n));
}
