import type { JsonObject } from '../../api/object.js';

/**
 * Refuses unknown members, unless the fields are open. An `object` is not checked inside; `texts` are a text or a list of texts. Null counts as absent, as in
 * Go.
 */
export type Shape =
  | 'text'
  | 'bool'
  | 'integer'
  | 'number'
  | 'object'
  | 'texts'
  | { readonly from: number; readonly to: number }
  | { readonly oneOf: readonly (string | number)[] }
  | { readonly list: Shape; readonly atLeast?: number }
  | { readonly fields: Fields; readonly required?: readonly string[]; readonly open?: true };
export type Fields = Readonly<Record<string, Shape>>;

export interface KindOfConfiguration {
  readonly kind: string;
  readonly apiVersions: readonly string[];
  readonly fields: Fields;
  readonly required?: readonly string[];
}

const scalars = {
  text: { type: ['string', 'null'] },
  bool: { type: ['boolean', 'null'] },
  integer: { type: ['integer', 'null'], minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  number: { type: ['number', 'null'] },
  object: { type: ['object', 'null'] },
  texts: { type: ['string', 'array', 'null'], items: { type: 'string' } },
} as const;

/** JSON Schema, draft 7. */
export function partSchema(shape: Shape): JsonObject {
  if (typeof shape === 'string') return structuredClone(scalars[shape]) as unknown as JsonObject;
  if ('from' in shape) return { type: ['integer', 'null'], minimum: shape.from, maximum: shape.to };
  if ('oneOf' in shape) return { enum: [...shape.oneOf, null] };
  if ('list' in shape)
    return { type: ['array', 'null'], items: partSchema(shape.list), ...(shape.atLeast === undefined ? {} : { minItems: shape.atLeast }) };
  const { additionalProperties, ...members } = membersSchema(shape.fields, shape.required);
  return { type: ['object', 'null'], ...members, ...(shape.open ? {} : { additionalProperties }) };
}

/** Returns the JSON Schema of a whole file that need not name its kind. Pure. */
export const fileSchema = (title: string, shape: Shape): JsonObject => ({ $schema: draft7, title, ...partSchema(shape) });

const draft7 = 'http://json-schema.org/draft-07/schema#';

/** Returns a JSON Schema (draft 7), which editors use as well. */
export function kindSchema({ kind, apiVersions, fields, required = [] }: KindOfConfiguration): JsonObject {
  const typeMeta = { apiVersion: { enum: [...apiVersions] }, kind: { const: kind } };
  const members = membersSchema(fields, ['apiVersion', 'kind', ...required]);
  return {
    $schema: draft7,
    title: kind,
    type: 'object',
    ...members,
    properties: { ...typeMeta, ...(members['properties'] as JsonObject) },
  };
}

function membersSchema(fields: Fields, required: readonly string[] = []): JsonObject {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, partSchema(shape)]));
  return { properties, additionalProperties: false, ...(required.length === 0 ? {} : { required: [...required] }) };
}
