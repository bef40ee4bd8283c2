import type { ItemIn, MemberIn, MemberOf, ObjectIn } from '../../api/json/members.js';

/**
 * What stands at a path in a value of type V, or never where V has no such member. A path is members joined by dots: `spec.containers[].image`. `[]` goes
 * into all items of a list, `{}` into all values of a map; `?` is for those who drop members, and marks an object that does not stay empty.
 */
export type ValueAt<V, P extends string> = P extends `${infer Step}.${infer Rest}` ? ValueAt<ValueAfter<V, Step>, Rest> : ValueAfter<V, P>;

type ValueAfter<V, Step extends string> = Step extends `${infer Name}[]`
  ? ItemIn<MemberNamed<V, Name>>
  : Step extends `${infer Name}{}`
    ? ObjectIn<MemberNamed<V, Name>>[string & keyof ObjectIn<MemberNamed<V, Name>>]
    : Step extends `${infer Name}?`
      ? MemberNamed<V, Name>
      : MemberNamed<V, Step>;

type MemberNamed<V, Name extends string> = Name extends MemberOf<V> ? MemberIn<ObjectIn<V>, Name> : never;

/** P, if it is a path in V; otherwise the paths up to its first wrong step, which is what the compiler then says is wanted. */
export type PathIn<V, P extends string> = [ValueAt<V, P>] extends [never] ? KnownPath<V, P, ''> : P;

type KnownPath<V, P extends string, Before extends string> = P extends `${infer Step}.${infer Rest}`
  ? [ValueAfter<V, Step>] extends [never]
    ? `${Before}${MemberOf<V>}`
    : KnownPath<ValueAfter<V, Step>, Rest, `${Before}${Step}.`>
  : `${Before}${MemberOf<V>}`;

/** Paths in V, each of them checked. */
export type PathsIn<V, P extends readonly string[]> = { readonly [Position in keyof P]: PathIn<V, P[Position]> };

/** Paths of one or two members. */
export type ShortPathIn<V> = MemberOf<V> | { [Name in MemberOf<V>]: `${Name}.${MemberOf<MemberIn<ObjectIn<V>, Name>>}` }[MemberOf<V>];
