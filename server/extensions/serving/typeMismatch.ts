import { inOneGo } from '../../../api/steps.js';
import type { JsonMembers } from '../../../workers/codecs/value.js';
import type { CompiledSchema } from '../../../workers/schema/custom/contract.js';
import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';

/** What server-side apply calls the types of schemas. */
const expected: Readonly<Record<string, string>> = {
  integer: 'numeric (int or float)',
  number: 'numeric (int or float)',
  string: 'string',
  boolean: 'boolean',
  array: 'list',
  object: 'map',
};
const wrongType = /must be of type (\w+): "(\w+)"$/;

/**
 * The first value of a configuration that is not of the type that its field has. Server-side apply looks at types before anything is merged, and refuses them in
 * words of its own; whatever else the schema demands is checked of the merged object. A null fits everywhere.
 */
export function typeMismatch(schema: CompiledSchema, config: JsonObject): string | null {
  for (const { type, path, message } of inOneGo(schema.validate(config as JsonMembers))) {
    const [, wanted = '', found = ''] = type === 'FieldValueTypeInvalid' ? (wrongType.exec(message) ?? []) : [];
    if (wanted === '' || found === 'null') continue;
    const got = wanted === 'array' || wanted === 'object' ? goValue(valueAt(config, path) ?? found) : found;
    return `.${path}: expected ${expected[wanted] ?? wanted}, got ${got}`;
  }
  return null;
}

/** What stands at a path of the form `spec.l[0].name`; undefined where a name with points keeps it from being found. */
function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of path.match(/[^.[\]]+/g) ?? []) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isObject<JsonObject>(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** As Go prints the wrapper of such a value (`%v`). */
const goValue = (value: JsonValue): string => `&{${plainly(value)}}`;

function plainly(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(plainly).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  return `map[${Object.keys(value)
    .sort()
    .map((name) => `${name}:${plainly(value[name])}`)
    .join(' ')}]`;
}
