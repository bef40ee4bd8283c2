/**
 * Whether two JSON values are equal; the order of members does not matter, nor does an absent member differ from an undefined one, or an empty
 * list from none.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (isNone(a) && isNone(b) && (Array.isArray(a) || Array.isArray(b)))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(left)) if (!sameValue(left[name], right[name])) return false;
  for (const name of Object.keys(right)) if (!Object.hasOwn(left, name) && !sameValue(left[name], right[name])) return false;
  return true;
}

/**
 * The same for a program that tells an empty list or map from none. What has been stored has none that are empty, so that only those count that a client has just sent.
 */
export function sameInMemory(a: unknown, b: unknown): boolean {
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b)) return false;
    return a.length === b.length && a.every((item, index) => sameInMemory(item, b[index]));
  }
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null || Array.isArray(b)) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => sameInMemory(left[name], right[name]));
}

/**
 * A text that values have in common which are the same (`sameValue`): with it, equal ones among many are found without comparing each with each. Values that differ
 * only in a null and an absent member share it too.
 */
export const likeness = (value: unknown): string => JSON.stringify(value, inOrder);

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !isNone(member))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const isNone = (value: unknown): boolean => value === null || value === undefined || (Array.isArray(value) && value.length === 0);
