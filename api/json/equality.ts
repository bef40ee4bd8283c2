import { isObject } from './json.js';

/** Ignores the order of members and equates absent with undefined, and an empty list with an absent one. */
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

/** Like `sameValue`, but distinguishes an empty list or map from an absent one. Only bodies that clients just sent have empty ones; stored objects never do. */
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

/** Like `sameValue`, and equates an empty map with an absent one too. */
export function sameMeaning(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => sameMeaning(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => sameMeaning(a[name], b[name]));
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Returns the same string for equal values (`sameValue`). Values that differ only in a null and an absent member share it too. */
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
