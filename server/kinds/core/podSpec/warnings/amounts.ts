import { isSet, isWhole, type Path } from '../../../language.js';

type Amounts = Readonly<Record<string, string | undefined>>;

/** Half a byte is accepted for old clients only. */
export function fractionalBytes(amounts: Amounts | undefined, resource: string, path: Path): string[] {
  const amount = amounts?.[resource];
  if (!isSet(amount) || isWhole(amount)) return [];
  return [`${path.key(resource)}: fractional byte value ${JSON.stringify(String(amount))} is invalid, must be an integer`];
}
