import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';

/**
 * How the members of a type merge: the few facts of an OpenAPI type that field ownership needs
 * (`x-kubernetes-list-type`, `-list-map-keys`, `-map-type`). Types refer to each other lazily, as they may be recursive.
 */
export type Schema =
  /** A scalar of that type, or anything that is replaced as a whole. */
  | { readonly kind: 'leaf'; readonly scalar?: ScalarType }
  | {
      readonly kind: 'struct';
      readonly atomic: boolean;
      /** Of a member that is declared. */
      readonly field: (name: string) => Schema | undefined;
      /** There may be others, of which nothing is known; they are owned like entries of a map. Default: false. */
      readonly open?: boolean;
      /** Members that always exist, with what an empty object holds. */ readonly always: readonly AlwaysPresent[];
    }
  | { readonly kind: 'map'; readonly atomic: boolean; readonly element: Schema }
  | { readonly kind: 'list'; readonly relationship: 'atomic' | 'set'; readonly element: Schema }
  | { readonly kind: 'list'; readonly relationship: 'map'; readonly element: Schema; readonly keys: readonly ListKey[] }
  /** Nothing is known: objects are maps of unknown, lists are atomic. */
  | { readonly kind: 'unknown' };

/** `untyped` is any of the others. */
export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface AlwaysPresent {
  readonly name: string;
  readonly schema: Schema;
  readonly zero: JsonValue | 'struct';
}
/** A member that tells the items of a list apart; `default` stands in where an item leaves it out. */
export interface ListKey {
  readonly name: string;
  readonly default: JsonValue;
}

export const leaf: Schema = { kind: 'leaf' };
export const unknown: Schema = { kind: 'unknown' };

/** The shape that a value is treated as: what the schema says, or what the value shows where the schema says nothing. */
export type Shape =
  | { readonly kind: 'leaf' }
  | {
      readonly kind: 'object';
      readonly atomic: boolean;
      readonly member: (name: string) => Schema;
      readonly isField: (name: string) => boolean;
    }
  | Extract<Schema, { kind: 'list' }>;

export const unknownObject: Shape = { kind: 'object', atomic: false, member: () => unknown, isField: () => false };
const unknownList: Shape = { kind: 'list', relationship: 'atomic', element: unknown };

/** Neither value may be absent in both: the one that is there decides for unknown types. */
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

/** An object of this type before anything is set: what a create is compared with. */
export function emptyValue(schema: Schema): JsonObject {
  const value: JsonObject = {};
  if (schema.kind !== 'struct') return value;
  for (const { name, schema: member, zero } of schema.always) value[name] = zero === 'struct' ? emptyValue(member) : zero;
  return value;
}
