import { formatQuantity, parseQuantity, scaledQuantity, zeroQuantity, type Quantity } from './quantity.js';
import type { JsonObject, JsonValue } from './object.js';
import { objectAt } from './json/defaulting.js';

/** Invalid spellings, which the structural check refuses, count as zero. */
export function quantityOf(value: JsonValue | undefined): Quantity {
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : null;
  return parsed?.ok === true ? parsed.quantity : zeroQuantity;
}

const milliPlaces = 3;

/** Rounds up to thousandths, as the reference does. */
export const milliValue = (value: JsonValue | undefined): bigint => scaledQuantity(quantityOf(value), milliPlaces);

/** Skips most amounts cheaply. */
const maybeFiner = /[nu]$|\.\d{3,}|[eE]-/;

/** Rounds up to thousandths (defaults of v1 `ResourceList`). */
export function roundAmounts(list: JsonObject | null): void {
  if (list === null) return;
  for (const [name, amount] of Object.entries(list)) {
    if (typeof amount !== 'string' || !maybeFiner.test(amount)) continue;
    list[name] = formatQuantity({ ...quantityOf(amount), digits: milliValue(amount), exponent: -3 });
  }
}

export function roundResources(resources: JsonObject | null): void {
  if (resources === null) return;
  roundAmounts(objectAt(resources, 'requests'));
  roundAmounts(objectAt(resources, 'limits'));
}
