import { isObject } from './json.js';
import type { JsonObject, JsonValue } from '../object.js';

/** True for the reference's non-nil pointers: null counts as unset. */
export const isSet = <V>(value: V): value is NonNullable<V> => value !== undefined && value !== null;

/** The declared member names, or any name in plain JSON. */
export type MemberOf<V> = V extends readonly unknown[] ? never : V extends object ? keyof V & string : never;
/** Undefined if the value has no members. */
export type MemberIn<V, M> = V extends readonly unknown[]
  ? undefined
  : V extends object
    ? M extends keyof V
      ? V[M]
      : undefined
    : undefined;
export type ObjectIn<V> = V extends readonly unknown[] ? never : V extends object ? V : never;
export type ItemIn<V> = V extends readonly (infer Item)[] ? Item : never;
/** Only plain JSON allows computed names. */
type AnyNames<V> = string extends MemberOf<V> ? readonly string[] : [];

export const membersOf = (value: JsonValue | undefined): JsonObject => (isObject<JsonObject>(value) ? value : {});

export const itemsOf = <V>(value: V): readonly ItemIn<V>[] => (Array.isArray(value) ? (value as readonly ItemIn<V>[]) : []);

/** Undefined if absent. Names are checked if the type declares its members. */
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

/** The scalar as field selectors and tables spell it; empty if absent. Names are checked if the type declares its members. */
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

/** Returns an own member. Names that clients choose may be those of inherited ones (`constructor`). */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
