import type { JsonObject } from '../../../../../api/object.js';
import type { Path } from '../../../../registry/validation/field.js';
import { isWhole } from '../../../../registry/validation/quantities.js';

/** Half a byte is accepted for old clients only. */
export function fractionalBytes(amounts: JsonObject, resource: string, path: Path): string[] {
  const amount = amounts[resource];
  if (amount === undefined || amount === null || isWhole(amount)) return [];
  return [`${path.key(resource)}: fractional byte value ${JSON.stringify(String(amount))} is invalid, must be an integer`];
}
