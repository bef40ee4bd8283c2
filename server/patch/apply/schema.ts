import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';

/**
 * The merge behaviour of a type: OpenAPI facts for field ownership (`x-kubernetes-list-type`, `-list-map-keys`, `-map-type`). Types may be recursive, and are
 * resolved lazily.
 */
export type Schema =
  /** A scalar of that type, or any atomic value. */
  | { readonly kind: 'leaf'; readonly scalar?: ScalarType }
  | {
      readonly kind: 'struct';
      readonly atomic: boolean;
      /** Resolves a declared member. */
      readonly field: (name: string) => Schema | undefined;
      /** Undeclared members may exist; they are owned like map entries. Default: false. */
      readonly open?: boolean;
      /** Members that always exist, with their empty value. */ readonly always: readonly AlwaysPresent[];
    }
  | { readonly kind: 'map'; readonly atomic: boolean; readonly element: Schema }
  | { readonly kind: 'list'; readonly relationship: 'atomic' | 'set'; readonly element: Schema }
  | { readonly kind: 'list'; readonly relationship: 'map'; readonly element: Schema; readonly keys: readonly ListKey[] }
  /** An untyped value: objects are maps of unknown, lists are atomic. */
  | { readonly kind: 'unknown' };

/** `untyped` is any of the others. */
export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface AlwaysPresent {
  readonly name: string;
  readonly schema: Schema;
  readonly zero: JsonValue | 'struct';
}
/** A list's key member; `default` replaces an absent one. */
export interface ListKey {
  readonly name: string;
  readonly default: JsonValue;
}

export const leaf: Schema = { kind: 'leaf' };
export const unknown: Schema = { kind: 'unknown' };

export function memberOf(schema: Schema, name: string): Schema {
  if (schema.kind === 'struct') return schema.field(name) ?? unknown;
  return schema.kind === 'map' ? schema.element : unknown;
}

/** The shape of a value: the schema's, or its own where it is untyped. */
export type Shape =
  | { readonly kind: 'leaf' }
  | {
      readonly kind: 'object';
      readonly atomic: boolean;
      readonly member: (name: string) => Schema;
      readonly isField: (name: string) => boolean;
    }
  | Extract<Schema, { kind: 'list' }>;

/** Whether a list, struct or map is one field. */
export const isAtomic = (type: Schema | Shape): boolean =>
  type.kind === 'list' ? type.relationship === 'atomic' : 'atomic' in type && type.atomic;

export const unknownObject: Shape = { kind: 'object', atomic: false, member: () => unknown, isField: () => false };
const unknownList: Shape = { kind: 'list', relationship: 'atomic', element: unknown };

/** One value must be present: it decides for untyped values. */
export function shapeOf(schema: Schema, ...values: readonly (JsonValue | undefined)[]): Shape {
  switch (schema.kind) {
    case 'leaf':
      return schema;
    case 'list':
      return schema;
    case 'struct':
      return {
        kind: 'object',
        atomic: schema.atomic,
        member: (name) => schema.field(name) ?? unknown,
        isField: (name) => schema.field(name) !== undefined,
      };
    case 'map':
      return { kind: 'object', atomic: schema.atomic, member: () => schema.element, isField: () => false };
    case 'unknown': {
      if (values.some(Array.isArray)) return unknownList;
      return values.some(isObject) ? unknownObject : (leaf as Shape);
    }
  }
}

/** Returns an empty object of this type, for comparison with a create. */
export function emptyValue(schema: Schema): JsonObject {
  const value: JsonObject = {};
  if (schema.kind !== 'struct') return value;
  for (const { name, schema: member, zero } of schema.always) value[name] = zero === 'struct' ? emptyValue(member) : zero;
  return value;
}
