import type { JsonObject } from '../../../api/object.js';
import { membersOf } from '../../../api/json/members.js';
import { duplicate, tooMany, type FieldError, type Path } from '../../registry/validation/field.js';
import { repeats } from '../../registry/validation/repeats.js';

/** This group checks no items of a list that is too long. */

export function validateList<T>(
  items: readonly T[],
  max: number | null,
  path: Path,
  check: (item: T, path: Path) => FieldError[],
): FieldError[] {
  if (max !== null && items.length > max) return [tooMany(path, items.length, max)];
  return items.flatMap((item, position) => check(item, path.index(position)));
}

/** A list without duplicates, which are reported last. */
export function validateSet<T>(
  items: readonly T[],
  max: number | null,
  path: Path,
  rules: { readonly key: (item: T) => string; readonly check: (item: T, path: Path) => FieldError[] },
): FieldError[] {
  if (max !== null && items.length > max) return [tooMany(path, items.length, max)];
  const keys = items.map(rules.key);
  const isRepeated = repeats(keys);
  return [
    ...validateList(items, null, path, rules.check),
    ...keys.flatMap((key, position) => (isRepeated(position) ? [duplicate(path.index(position), key)] : [])),
  ];
}

const ellipsis = '...';

interface MapRules {
  readonly max?: number | null;
  readonly keyMax: number;
  readonly key: (key: string, path: Path) => FieldError[];
  readonly check: (value: JsonObject, path: Path) => FieldError[];
}

/** A map of objects. Keys are reported at the map, values at their key, which messages shorten in the middle. */
export function validateMap(map: unknown, path: Path, { max = null, keyMax, key: checkKey, check }: MapRules): FieldError[] {
  const entries = Object.entries(membersOf(map as JsonObject));
  if (max !== null && entries.length > max) return [tooMany(path, entries.length, max)];
  return entries.flatMap(([key, value]) => [...checkKey(key, path), ...check(membersOf(value), path.key(shortened(key, keyMax)))]);
}

function shortened(key: string, max: number): string {
  if (key.length <= max) return key;
  const rest = max - ellipsis.length;
  return `${key.slice(0, Math.ceil(rest / 2))}${ellipsis}${key.slice(key.length - Math.floor(rest / 2))}`;
}
