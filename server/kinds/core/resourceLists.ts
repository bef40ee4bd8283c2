import { formatQuantity } from '../../../api/quantity.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { milliValue, quantityOf } from '../../registry/validation/quantities.js';

/** Amounts that may be finer than a thousandth: most are seen at once not to be. */
const maybeFiner = /[nu]$|\.\d{3,}|[eE]-/;

/** Amounts of resources are kept to the thousandth, rounded up (defaults of v1 `ResourceList`). */
export function roundAmounts(list: JsonObject | null): void {
  if (list === null) return;
  for (const [name, amount] of Object.entries(list)) {
    if (typeof amount !== 'string' || !maybeFiner.test(amount)) continue;
    list[name] = formatQuantity({ ...quantityOf(amount), digits: milliValue(amount), exponent: -3 });
  }
}

/** The same for what a container, a claim or a pod asks for. */
export function roundResources(resources: JsonObject | null): void {
  if (resources === null) return;
  roundAmounts(objectAt(resources, 'requests'));
  roundAmounts(objectAt(resources, 'limits'));
}
