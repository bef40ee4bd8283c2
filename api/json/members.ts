import { isObject } from './json.js';
import type { JsonObject, JsonValue } from '../object.js';

/** Whether a member is there and is not null, which says nothing: what the reference's pointers tell. */
export const isSet = <V>(value: V): value is NonNullable<V> => value !== undefined && value !== null;

/** Names of the members that an object of a type may have: those that are declared, or any in plain JSON. */
export type MemberOf<V> = V extends readonly unknown[] ? never : V extends object ? keyof V & string : never;
/** What a member of a value is, whatever the value is; undefined of what has no members. */
export type MemberIn<V, M> = V extends readonly unknown[]
  ? undefined
  : V extends object
    ? M extends keyof V
      ? V[M]
      : undefined
    : undefined;
/** Of what a value may be, what has members. */
export type ObjectIn<V> = V extends readonly unknown[] ? never : V extends object ? V : never;
/** Items of what a value may be, if it may be a list. */
export type ItemIn<V> = V extends readonly (infer Item)[] ? Item : never;
/** Names that are worked out are for plain JSON only. */
type AnyNames<V> = string extends MemberOf<V> ? readonly string[] : [];

/** A value's members, or none when it is absent or not an object. Reading through it never throws. */
export const membersOf = (value: JsonValue | undefined): JsonObject => (isObject<JsonObject>(value) ? value : {});

/** A value's items, or none. */
export const itemsOf = <V>(value: V): readonly ItemIn<V>[] => (Array.isArray(value) ? (value as readonly ItemIn<V>[]) : []);

/** The member at a path of names, or undefined. Names are checked where the type declares its members. */
export function memberAt<V, A extends MemberOf<V>>(value: V, a: A): MemberIn<V, A>;
export function memberAt<V, A extends MemberOf<V>, B extends MemberOf<MemberIn<V, A>>>(value: V, a: A, b: B): MemberIn<MemberIn<V, A>, B>;
export function memberAt<V, A extends MemberOf<V>, B extends MemberOf<MemberIn<V, A>>, C extends MemberOf<MemberIn<MemberIn<V, A>, B>>>(
  value: V,
  a: A,
  b: B,
  c: C,
): MemberIn<MemberIn<MemberIn<V, A>, B>, C>;
export function memberAt<
  V,
  A extends MemberOf<V>,
  B extends MemberOf<MemberIn<V, A>>,
  C extends MemberOf<MemberIn<MemberIn<V, A>, B>>,
  D extends MemberOf<MemberIn<MemberIn<MemberIn<V, A>, B>, C>>,
>(value: V, ...path: readonly [A, B, C, D]): MemberIn<MemberIn<MemberIn<MemberIn<V, A>, B>, C>, D>;
export function memberAt<V>(value: V, ...path: AnyNames<V>): JsonValue | undefined;
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) current = isObject<JsonObject>(current) ? current[name] : undefined;
  return current;
}

/** A scalar at a path of names, as field selectors and tables spell it; empty when absent. Names are checked where the type declares its members. */
export function textAt<V, A extends MemberOf<V>>(value: V, a: A): string;
export function textAt<V, A extends MemberOf<V>, B extends MemberOf<MemberIn<V, A>>>(value: V, a: A, b: B): string;
export function textAt<V, A extends MemberOf<V>, B extends MemberOf<MemberIn<V, A>>, C extends MemberOf<MemberIn<MemberIn<V, A>, B>>>(
  value: V,
  a: A,
  b: B,
  c: C,
): string;
export function textAt<
  V,
  A extends MemberOf<V>,
  B extends MemberOf<MemberIn<V, A>>,
  C extends MemberOf<MemberIn<MemberIn<V, A>, B>>,
  D extends MemberOf<MemberIn<MemberIn<MemberIn<V, A>, B>, C>>,
>(value: V, ...path: readonly [A, B, C, D]): string;
export function textAt<V>(value: V, ...path: AnyNames<V>): string;
export function textAt(value: unknown, ...path: readonly string[]): string {
  let found = value;
  for (const name of path) found = isObject<JsonObject>(found) ? found[name] : undefined;
  if (typeof found === 'string') return found;
  return found === undefined || found === null || typeof found === 'object' ? '' : String(found);
}
