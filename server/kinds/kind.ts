import type { ApiObject, JsonObject } from '../../api/object.js';
import type { Conversion } from '../registry/behaviour.js';
import type { ShortPathIn } from '../registry/memberPath.js';
import type { Rules } from '../registry/rules.js';
import type { Cells } from './cells.js';

export type { Draft, Writable } from '../registry/draft.js';

/**
 * The specific behaviour of a built-in kind. `api/facts` describes its form (names, versions, members, columns), and `DESIGN.md` the groups and their order.
 * `T` is a draft of the generated type, for rules that name members; others use plain JSON.
 */
export interface Kind<T extends object = ApiObject> extends Rules<T> {
  /** `resource` or `resource.group` of the stored type. */
  readonly name: string;
  /** Fills in what older releases did not store, from other members. Called after defaults. */
  fromOld?(object: T): void;
  /** Cells of the listed columns, except common ones. */
  readonly cells?: Cells<T>;
  /** Annotations that metadata alone lacks. */
  readonly contentAnnotations?: readonly string[];
  /** Conditions of a table's row. */
  rowConditions?(object: T): readonly JsonObject[];
  /** Specifics of a version, by `apiVersion`. */
  readonly versions?: Readonly<Record<string, VersionRules<T>>>;
  /** Resources of other groups that show the same objects. */
  readonly views?: readonly string[];
}

export interface VersionRules<T extends object = ApiObject> {
  /** Absent where the version has the same members as the stored one. */
  readonly conversion?: Conversion;
  /** The text of a `Warning` header in every response. */
  readonly deprecation?: string;
  /** Selectable fields by their names in the stored version. Default: the same names; others are unknown. */
  readonly fieldNames?: Readonly<Record<string, ShortPathIn<T>>>;
  readonly cells?: Cells<T>;
}
