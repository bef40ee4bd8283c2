import { isSet } from '../../../../../api/json/members.js';
import type { Path } from '../../../../registry/validation/field.js';
import { isWhole } from '../../../../registry/validation/quantities.js';

type Amounts = Readonly<Record<string, string | undefined>>;

/** Half a byte is accepted for old clients only. */
export function fractionalBytes(amounts: Amounts | undefined, resource: string, path: Path): string[] {
  const amount = amounts?.[resource];
  if (!isSet(amount) || isWhole(amount)) return [];
  return [`${path.key(resource)}: fractional byte value ${JSON.stringify(String(amount))} is invalid, must be an integer`];
}
