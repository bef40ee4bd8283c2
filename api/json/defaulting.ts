import { isObject } from './json.js';
import type { MemberIn, MemberOf, ItemIn, ObjectIn } from './members.js';

/** Sets a member that is absent or null. */
export function setDefault<O extends object, M extends keyof O & string>(object: O, member: M, value: O[M]): void {
  if (object[member] === undefined || object[member] === null) object[member] = value;
}

/** Sets a text that is absent, null or empty: for members whose type cannot tell these apart. */
export function setTextDefault<O extends object, M extends keyof O & string>(object: O, member: M, value: O[M] & string): void {
  if (object[member] === undefined || object[member] === null || object[member] === '') object[member] = value;
}

/** The object that a member holds, or null: what defaults of nested types apply to. Nothing has no members. */
export function objectAt<O extends object | null | undefined, M extends MemberOf<O>>(
  object: O,
  member: M,
): ObjectIn<MemberIn<O, M>> | null {
  const value: unknown = (object as Record<string, unknown> | null | undefined)?.[member];
  return isObject<ObjectIn<MemberIn<O, M>>>(value) ? value : null;
}

/** The object that a member holds; an absent or null one is created, for members that always exist. */
export function ensureObject<O extends object, M extends MemberOf<O>>(object: O, member: M): ObjectIn<MemberIn<O, M>> {
  const present = objectAt(object, member);
  if (present !== null) return present;
  const created = {} as ObjectIn<MemberIn<O, M>>;
  (object as Record<string, unknown>)[member] = created;
  return created;
}

/** The objects in the list that a member holds; others are passed over (the structural check has refused them already). */
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
