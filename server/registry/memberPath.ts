import type { ItemIn, MemberIn, MemberOf, ObjectIn } from '../../api/json/members.js';

/** Paths such as `spec.containers[].image`: `[]` enters all items of a list, `{}` all values of a map; `?` marks an object that is dropped when empty. */
export type ValueAt<V, P extends string> = P extends `${infer Step}.${infer Rest}` ? ValueAt<ValueAfter<V, Step>, Rest> : ValueAfter<V, P>;

type ValueAfter<V, Step extends string> = Step extends `${infer Name}[]`
  ? ItemIn<MemberNamed<V, Name>>
  : Step extends `${infer Name}{}`
    ? ObjectIn<MemberNamed<V, Name>>[string & keyof ObjectIn<MemberNamed<V, Name>>]
    : Step extends `${infer Name}?`
      ? MemberNamed<V, Name>
      : MemberNamed<V, Step>;

type MemberNamed<V, Name extends string> = Name extends MemberOf<V> ? MemberIn<ObjectIn<V>, Name> : never;

/** P, or the valid paths up to its first wrong step, which the compiler reports. */
export type PathIn<V, P extends string> = [ValueAt<V, P>] extends [never] ? KnownPath<V, P, ''> : P;

type KnownPath<V, P extends string, Before extends string> = P extends `${infer Step}.${infer Rest}`
  ? [ValueAfter<V, Step>] extends [never]
    ? `${Before}${MemberOf<V>}`
    : KnownPath<ValueAfter<V, Step>, Rest, `${Before}${Step}.`>
  : `${Before}${MemberOf<V>}`;

export type PathsIn<V, P extends readonly string[]> = { readonly [Position in keyof P]: PathIn<V, P[Position]> };

export type ShortPathIn<V> = MemberOf<V> | { [Name in MemberOf<V>]: `${Name}.${MemberOf<MemberIn<ObjectIn<V>, Name>>}` }[MemberOf<V>];
