import type { Steps } from '../../../api/steps.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { JsonList, JsonMap, toJson, toProtocolJson } from '../../../cel/eval/json.js';
import { Failure, ListValue, MapValue, Message, type Value } from '../../../cel/eval/values.js';
import { isObject } from '../../../api/json/json.js';
import { unknown, type Schema } from '../../patch/apply/schema.js';
import { merge } from '../../patch/apply/merge.js';
import { typeProblem } from '../../patch/apply/typed.js';
import { applyJsonPatch, operationsMax } from '../../patch/jsonPatch.js';
import { PatchError } from '../../patch/patchError.js';

export type Patched = { readonly ok: true; readonly object: JsonObject } | { readonly ok: false; readonly message: string };

const refused = (message: string): Patched => ({ ok: false, message });

function asJson(
  value: Value,
  convert: (value: Value) => JsonValue = toJson,
): { readonly ok: true; readonly json: JsonValue } | { readonly ok: false; readonly message: string } {
  try {
    return { ok: true, json: convert(value) };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}

/** Applies an expression's configuration (`Object{...}`) like server-side apply. Atomic parts cannot be changed. */
export function* applyConfiguration(object: ApiObject, value: Value, schema: Schema): Steps<Patched> {
  const wrong = misplaced(value, 'Object');
  if (wrong !== null) return refused(wrong);
  const made = asJson(value);
  if (!made.ok || !isObject(made.json)) return refused(made.ok ? 'must evaluate to Object' : made.message);
  const config: JsonObject = { ...made.json, kind: object.kind, apiVersion: object.apiVersion };
  const problem = yield* typeProblem(config, schema, hasConstructedNull(value) ? 'constructed' : 'configuration');
  if (problem !== null) return refused(`error applying patch: failed to convert patch object to typed object: ${problem}`);
  const atomics = atomicsIn(made.json, schema, '');
  if (atomics.length > 0)
    return refused(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  try {
    return { ok: true, object: (yield* merge(object, config, schema)) as JsonObject };
  } catch (error) {
    return refused(`error applying patch: ${(error as Error).message}`);
  }
}

/** Atomic places in a configuration, and those within them. */
function atomicsIn(value: JsonValue | undefined, schema: Schema, path: string): string[] {
  if (Array.isArray(value) && schema.kind === 'list') {
    return [
      ...(schema.relationship === 'atomic' ? [path] : []),
      ...value.flatMap((item, i) => atomicsIn(item, schema.element, `${path}[${i}]`)),
    ];
  }
  if (!isObject(value) || (schema.kind !== 'struct' && schema.kind !== 'map')) return [];
  const within =
    schema.kind === 'map'
      ? []
      : Object.entries(value).flatMap(([name, member]) => atomicsIn(member, schema.field(name) ?? unknown, `${path}.${name}`));
  return [...(schema.atomic ? [path] : []), ...within];
}

/** Nulls of other objects do not count. */
function hasConstructedNull(value: Value): boolean {
  if (value instanceof JsonMap || value instanceof JsonList) return false;
  if (value instanceof ListValue) {
    for (let i = 0; i < value.length; i++) if (hasConstructedNull(value.at(i))) return true;
    return false;
  }
  if (!(value instanceof MapValue)) return value === null;
  for (const key of value.keys()) if (hasConstructedNull(value.get(key) ?? null)) return true;
  return false;
}

/** Checks that type names fit their place: `Object.spec.template`. Returns the error or null. */
function misplaced(value: Value, path: string): string | null {
  if (value instanceof ListValue) return first(value.length, (i) => misplaced(value.at(i), path));
  if (!(value instanceof MapValue)) return null;
  const isNamed = value instanceof Message;
  if (isNamed && value.typeName !== path)
    return `type mismatch: unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
  const keys = value instanceof JsonMap ? [] : [...value.keys()];
  return first(keys.length, (i) => misplaced(value.get(keys[i]!) ?? null, isNamed ? `${path}.${String(keys[i])}` : path));
}

function first(length: number, find: (position: number) => string | null): string | null {
  for (let i = 0; i < length; i++) {
    const found = find(i);
    if (found !== null) return found;
  }
  return null;
}

/** Applies the operations of `[JSONPatch{...}]` in sequence. A failed test cancels all. */
export function* applyOperations(object: ApiObject, value: Value): Steps<Patched> {
  const operations = operationsOf(value);
  if (!operations.ok) return operations;
  const { list } = operations;
  const whole = yield* attempt(object, list);
  if (!(whole instanceof PatchError)) return { ok: true, object: whole };
  if (whole.isFailedTest) return { ok: true, object };
  const why = whole.kind === 'failed' && whole.cause instanceof Error ? whole.cause.message : whole.message;
  return refused(`JSON Patch: ${why}`);
}

function* attempt(object: ApiObject, operations: readonly JsonValue[]): Steps<JsonObject | PatchError> {
  try {
    return yield* applyJsonPatch(object, [...operations]);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
}

function operationsOf(
  value: Value,
): { readonly ok: true; readonly list: readonly JsonValue[] } | { readonly ok: false; readonly message: string } {
  if (!(value instanceof ListValue)) return { ok: false, message: 'must evaluate to list(JSONPatch)' };
  // Longer lists are refused as a whole; one excess operation yields the error.
  const length = Math.min(value.length, operationsMax + 1);
  const list: JsonValue[] = [];
  for (let i = 0; i < length; i++) {
    const item = value.at(i);
    if (item instanceof Failure) return { ok: false, message: item.message };
    const inner = item instanceof MapValue ? item.get('value') : undefined;
    const wrong = inner instanceof Message ? misplaced(inner, inner.typeName) : null;
    if (wrong !== null) return { ok: false, message: wrong };
    const made = asJson(item, toProtocolJson);
    if (!made.ok)
      return { ok: false, message: `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${made.message}` };
    list.push(made.json);
  }
  return { ok: true, list };
}
