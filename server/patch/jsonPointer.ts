import { setMember } from '../../api/json/setMember.js';
import type { JsonObject, JsonValue } from '../../api/object.js';

/** JSON pointers (RFC 6901) with the reference's rules. Finds own members only. Negative indices count from the end; `-` is after the last item. */
export type Container = JsonObject | JsonValue[];

/** Returns null if the container does not exist, or the pointer has no key. Adds the containers on its way to `opened`. */
export function containerAt(
  root: JsonValue,
  pointer: string,
  opened?: Set<Container>,
): { readonly container: Container; readonly key: string } | null {
  const parts = pointerParts(pointer);
  const key = parts.pop();
  if (key === undefined) return null;
  let value: JsonValue | undefined = root;
  for (const part of parts) {
    if (!isContainer(value)) return null;
    opened?.add(value);
    value = memberOf(value, part);
  }
  if (!isContainer(value)) return null;
  opened?.add(value);
  return { container: value, key };
}

export const pointerParts = (pointer: string): string[] => pointer.split('/').slice(1).map(unescaped);

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
const isContainer = (value: JsonValue | undefined): value is Container => typeof value === 'object' && value !== null;

/** Returns null for an absent member, undefined for an absent item. */
export function memberOf(container: Container, key: string): JsonValue | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? (container[key] ?? null) : null;
  const index = indexIn(key, container.length);
  return index === null || index >= container.length ? undefined : container[index];
}

/** Returns the number of items moved by an insertion or removal at the key. */
export function itemsBehind(container: Container, key: string): number {
  if (!Array.isArray(container)) return 0;
  return Math.max(0, container.length - (key === '-' ? container.length : (indexIn(key, container.length) ?? container.length)));
}

export function takeElement(container: Container, key: string): JsonValue | undefined {
  if (Array.isArray(container)) {
    const index = indexIn(key, container.length);
    return index === null || index >= container.length ? undefined : container.splice(index, 1)[0];
  }
  if (!Object.hasOwn(container, key)) return undefined;
  const value = container[key] ?? null;
  delete container[key];
  return value;
}

/** Sets a member, or inserts an item before the key's. False when the list is shorter. */
export function insertElement(container: Container, key: string, value: JsonValue): boolean {
  if (!Array.isArray(container)) {
    setMember(container, key, value);
    return true;
  }
  const index = key === '-' ? container.length : indexIn(key, container.length + 1);
  if (index === null || index > container.length) return false;
  container.splice(index, 0, value);
  return true;
}

/** Sets a member, or replaces an existing item. */
export function setElement(container: Container, key: string, value: JsonValue): boolean {
  if (!Array.isArray(container)) return insertElement(container, key, value);
  const index = indexIn(key, container.length);
  if (index === null || index >= container.length) return false;
  container[index] = value;
  return true;
}

/** Returns null unless it is a number no further from the end than `length`. */
function indexIn(key: string, length: number): number | null {
  if (!/^[+-]?\d{1,10}$/.test(key)) return null;
  const index = Number(key);
  if (index >= 0) return index;
  return index < -length ? null : index + length;
}
