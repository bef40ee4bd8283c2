import type { ApiObject, JsonValue, ObjectMeta } from '../../api/object.js';
import type { Conversion } from '../registry/behaviour.js';
import type { ShortPathIn } from '../registry/memberPath.js';
import type { Rules } from '../registry/rules.js';
import type { Cells } from './cells.js';

/**
 * An object of a generated type as rules have it: they may change it, and any member may be absent, since rules are what refuses it then. All that is in it is
 * JSON, so that rules for parts of many kinds take it as well.
 */
export type Draft<T> = Writable<Omit<T, 'metadata'>> & { metadata: ObjectMeta };
export type Writable<T> = unknown extends T
  ? JsonValue
  : T extends readonly (infer Item)[]
    ? Writable<Item>[]
    : T extends object
      ? { -readonly [Member in keyof T]?: Writable<T[Member]> }
      : T;

/**
 * All that the server does for one built-in kind and not for all. What a kind looks like (names, versions, members, columns) is said in `api/facts`;
 * here is what follows for its objects. `DESIGN.md` tells of the groups and their order. `T` is a draft of the generated type, for rules that
 * name members; others look at plain JSON.
 */
export interface Kind<T extends object = ApiObject> extends Rules<T> {
  /** `resource` or `resource.group` of the stored type. */
  readonly name: string;
  /** Fills in what older releases did not store, where defaults do not: other members say it. Called after those. */
  fromOld?(object: T): void;
  /** Cells of the columns that the facts list; those that mean the same for all kinds go without. */
  readonly cells?: Cells<T>;
  /** What is peculiar to a version, by `apiVersion`. */
  readonly versions?: Readonly<Record<string, VersionRules<T>>>;
  /** Further resources, of other groups, that show the same objects. */
  readonly views?: readonly string[];
}

export interface VersionRules<T extends object = ApiObject> {
  /** Absent where the version has the same members as the stored one. */
  readonly conversion?: Conversion;
  /** Text of a `Warning` header in every answer. */
  readonly deprecation?: string;
  /** Names of selectable fields, and what they are called in the stored version. Absent where they are the same; those that are missing are unknown. */
  readonly fieldNames?: Readonly<Record<string, ShortPathIn<T>>>;
  /** Instead of the kind's. */
  readonly cells?: Cells<T>;
}
