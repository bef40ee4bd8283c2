import { formatQuantity, parseQuantity, scaledQuantity, zeroQuantity, type Quantity } from './quantity.js';
import type { JsonObject, JsonValue } from './object.js';
import { objectAt } from './json/defaulting.js';

/** The amount that a member holds. The structural check has accepted its spelling; anything else counts as zero. */
export function quantityOf(value: JsonValue | undefined): Quantity {
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : null;
  return parsed?.ok === true ? parsed.quantity : zeroQuantity;
}

const milliPlaces = 3;

/** In thousandths, rounded up: how the reference counts what must be whole. */
export const milliValue = (value: JsonValue | undefined): bigint => scaledQuantity(quantityOf(value), milliPlaces);

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
