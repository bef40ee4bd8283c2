import { isObject } from './json.js';
import type { MemberIn, MemberOf, ItemIn, ObjectIn } from './members.js';

export function setDefault<O extends object, M extends keyof O & string>(object: O, member: M, value: O[M]): void {
  if (object[member] === undefined || object[member] === null) object[member] = value;
}

/** Treats an empty string as unset, for members whose type cannot distinguish these. */
export function setTextDefault<O extends object, M extends keyof O & string>(object: O, member: M, value: O[M] & string): void {
  if (object[member] === undefined || object[member] === null || object[member] === '') object[member] = value;
}

/** Null if the member is not an object. Defaults of nested types apply to the result. */
export function objectAt<O extends object | null | undefined, M extends MemberOf<O>>(
  object: O,
  member: M,
): ObjectIn<MemberIn<O, M>> | null {
  const value: unknown = (object as Record<string, unknown> | null | undefined)?.[member];
  return isObject<ObjectIn<MemberIn<O, M>>>(value) ? value : null;
}

/** Creates the object if it is absent or null. */
export function ensureObject<O extends object, M extends MemberOf<O>>(object: O, member: M): ObjectIn<MemberIn<O, M>> {
  const present = objectAt(object, member);
  if (present !== null) return present;
  const created = {} as ObjectIn<MemberIn<O, M>>;
  (object as Record<string, unknown>)[member] = created;
  return created;
}

/** Skips other items, which the structural check has already refused. */
export function objectsIn<O extends object | null | undefined, M extends MemberOf<O>>(
  object: O,
  member: M,
): ObjectIn<ItemIn<MemberIn<O, M>>>[] {
  const items: unknown = (object as Record<string, unknown> | null | undefined)?.[member];
  const objects: ObjectIn<ItemIn<MemberIn<O, M>>>[] = [];
  if (!Array.isArray(items)) return objects;
  for (const item of items) if (isObject<ObjectIn<ItemIn<MemberIn<O, M>>>>(item)) objects.push(item);
  return objects;
}
