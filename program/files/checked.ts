import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { closest } from '../flags/suggest.js';

/** Schemas are compiled when first needed. */
const compiled = new WeakMap<object, ValidateFunction>();
let ajv: Ajv | null = null;

/** Returns errors with their members' paths: `rules[0].level must be …`. `key` identifies the schema. */
export function schemaErrors(value: JsonValue, key: object, schema: () => JsonObject): readonly string[] {
  let validate = compiled.get(key);
  if (validate === undefined) {
    ajv ??= new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true });
    compiled.set(key, (validate = ajv.compile(schema())));
  }
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const placed = errors.map((error) => ({ place: placeOf(value, error), error }));
  return [...new Set(placed.sort((a, b) => compare(a.place, b.place)).map(({ error }) => described(error)))];
}

function placeOf(value: JsonValue, { instancePath, params }: ErrorObject): readonly number[] {
  const names = instancePath.split('/').slice(1).map(unescaped);
  const unknown: unknown = params['additionalProperty'];
  const path = typeof unknown === 'string' ? [...names, unknown] : names;
  let at: unknown = value;
  return path.map((name) => {
    const holder = at as Readonly<Record<string, unknown>>;
    at = holder[name];
    return Array.isArray(holder) ? Number(name) : Object.keys(holder).indexOf(name);
  });
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [depth, place] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (place !== other) return place - other;
  }
  return a.length - b.length;
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const pathOf = (pointer: string, member?: string): string =>
  [...pointer.split('/').slice(1).map(unescaped), ...(member === undefined ? [] : [member])]
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./, '');

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  array: 'a list',
};

const typeOf = ([type, other]: readonly unknown[]): string =>
  other === 'array' ? 'a text or a list of texts' : (typeWords[String(type)] ?? 'something else');

function described({ keyword, instancePath, params, parentSchema, data }: ErrorObject): string {
  const at = pathOf(instancePath) || 'it';
  const type = typeOf([parentSchema?.['type']].flat());
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      return `${pathOf(instancePath, name)} is unknown${suggestion(name, Object.keys((parentSchema?.['properties'] ?? {}) as object))}`;
    }
    case 'required':
      return `${pathOf(instancePath, String(params['missingProperty']))} must be there`;
    case 'enum':
      return `${at} must be one of ${(params['allowedValues'] as unknown[]).filter((each) => each !== null).join(', ')}, not ${JSON.stringify(String(data))}`;
    case 'minItems':
      return `${at} must have at least one entry`;
    case 'minimum':
    case 'maximum':
      return parentSchema?.['minimum'] === Number.MIN_SAFE_INTEGER
        ? `${at} must be ${type}`
        : `${at} must be from ${String(parentSchema?.['minimum'])} to ${String(parentSchema?.['maximum'])}, not ${String(data)}`;
    default:
      return `${at} must be ${type}`;
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return meant === null ? '' : ` (did you mean ${meant}?)`;
}
