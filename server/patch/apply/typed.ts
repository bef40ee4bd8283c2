import { goTypeOf } from '../../../api/goTypes.js';
import { isObject, sortNames } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import type { Steps } from '../../../api/steps.js';
import { printed } from '../printed.js';
import { spellPath } from './describe.js';
import { fieldElement, indexElement } from './fieldSet.js';
import { comparedInStep, itemElement, ListItemError } from './items.js';
import { unknown, type ScalarType, type Schema } from './schema.js';

/** The limit of reported errors, after which the check stops. */
export const typeFaultsMax = 1_000;

/** Unlike a `configuration`, a `live` value may have unknown fields and repeated items. In a `constructed` one, nulls fit no type. */
export type Typed = 'configuration' | 'live' | 'constructed';

/**
 * Returns all type errors of a value with paths, in server-side apply's form, or null. Null values match every type. The first undeclared member of an object
 * ends its check. Rules: `typed/validate.go` of structured-merge-diff.
 */
export function* typeProblem(value: JsonValue, schema: Schema, as: Typed): Steps<string | null> {
  if (as === 'live' && new Glance().fits(value, schema)) return null;
  const faults = new Faults(as);
  yield* faults.look(value, schema);
  if (faults.found.length === 0) return null;
  return faults.found.length === 1 ? (faults.found[0] ?? null) : ['errors:', ...faults.found.map((text) => `  ${text}`)].join('\n');
}

class Faults {
  readonly #as: Typed;
  readonly found: string[] = [];
  readonly #path: string[] = [];
  #looked = 0;

  constructor(as: Typed) {
    this.#as = as;
  }

  *look(value: JsonValue | undefined, schema: Schema): Steps<void> {
    if (value === undefined || this.found.length >= typeFaultsMax) return;
    if (value === null) return this.#tell(this.#as === 'constructed' ? nullFault(schema) : null);
    if (++this.#looked % comparedInStep === 0) yield;
    if (schema.kind === 'leaf') this.#tell(schema.scalar === undefined ? null : scalarFault(schema.scalar, value));
    else if (schema.kind === 'list') {
      if (Array.isArray(value)) yield* this.#items(value, schema);
      else this.#tell(`expected list, got ${wrapped(value)}`);
    } else if (schema.kind !== 'unknown') {
      if (isObject<JsonObject>(value)) yield* this.#members(value, schema);
      else this.#tell(`expected map, got ${wrapped(value)}`);
    }
  }

  *#members(object: JsonObject, schema: Extract<Schema, { kind: 'struct' | 'map' }>): Steps<void> {
    for (const name of Object.keys(object)) {
      const value = object[name];
      const member = schema.kind === 'map' ? schema.element : (schema.field(name) ?? (schema.open === true ? unknown : undefined));
      this.#path.push(fieldElement(name));
      if (member !== undefined) yield* this.look(value, member);
      else if (this.#as !== 'live') this.#tell('field not declared in schema');
      this.#path.pop();
      if (member === undefined && this.#as !== 'live') return;
    }
  }

  *#items(items: readonly JsonValue[], schema: Extract<Schema, { kind: 'list' }>): Steps<void> {
    const seen = new Set<string>();
    for (const [position, item] of items.entries()) {
      const element = schema.relationship === 'atomic' ? indexElement(position) : this.#elementOf(schema, item, position);
      // An indistinct item has no path for further errors.
      if (element === null) return;
      if (seen.has(element) && this.#as !== 'live') this.#tell(`duplicate entries for key ${spellPath([element])}`);
      seen.add(element);
      this.#path.push(element);
      yield* this.look(item, schema.element);
      this.#path.pop();
    }
  }

  #elementOf(schema: Extract<Schema, { kind: 'list' }>, item: JsonValue, position: number): string | null {
    try {
      return itemElement(schema, item);
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      this.#tell(`element ${position}: ${error.message}`);
      return null;
    }
  }

  #tell(fault: string | null): void {
    if (fault !== null) this.found.push(this.#path.length === 0 ? fault : `${spellPath(this.#path)}: ${fault}`);
  }
}

/** Sees that a small live value has no fault, without steps and paths. */
class Glance {
  #left = comparedInStep * 8;

  fits(value: JsonValue | undefined, schema: Schema): boolean {
    if (value === undefined || value === null) return true;
    if (--this.#left < 0) return false;
    switch (schema.kind) {
      case 'leaf':
        return schema.scalar === undefined || scalarFault(schema.scalar, value) === null;
      case 'list':
        return Array.isArray(value) && value.every((item: JsonValue) => hasElement(schema, item) && this.fits(item, schema.element));
      case 'unknown':
        return true;
      default:
        return isObject<JsonObject>(value) && this.#membersFit(value, schema);
    }
  }

  #membersFit(object: JsonObject, schema: Extract<Schema, { kind: 'struct' | 'map' }>): boolean {
    for (const name of Object.keys(object)) {
      const member = schema.kind === 'map' ? schema.element : schema.field(name);
      if (member !== undefined && !this.fits(object[name], member)) return false;
    }
    return true;
  }
}

/** True where `itemElement` finds one. */
function hasElement(list: Extract<Schema, { kind: 'list' }>, item: JsonValue): boolean {
  if (list.relationship !== 'map') return list.relationship === 'atomic' || typeof item !== 'object';
  return isObject<JsonObject>(item) && list.keys.some(({ name, default: standIn }) => item[name] !== undefined || standIn !== null);
}

function scalarFault(type: ScalarType, value: JsonValue): string | null {
  const [isNumber, isText, isTruth] = [
    typeof value === 'number' || typeof value === 'bigint',
    typeof value === 'string',
    value === !!value,
  ];
  switch (type) {
    case 'numeric':
      return isNumber ? null : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return isText ? null : `expected string, got &value.valueUnstructured{Value:${inSource(value)}}`;
    case 'boolean':
      return isTruth ? null : `expected boolean, got ${wrapped(value)}`;
    case 'untyped':
      return isNumber || isText || isTruth ? null : `expected any scalar, got ${wrapped(value)}`;
  }
}

/** Go prints such a null by number or name. */
function nullFault(schema: Schema): string | null {
  if (schema.kind !== 'leaf') return `expected ${schema.kind === 'list' ? 'list' : 'map'}, got &{NULL_VALUE}`;
  return schema.scalar === undefined ? null : nullFaults[schema.scalar];
}

const nullFaults: Readonly<Record<ScalarType, string>> = {
  numeric: 'expected numeric (int or float), got structpb.NullValue',
  string: 'expected string, got &value.valueUnstructured{Value:0}',
  boolean: 'expected boolean, got &{NULL_VALUE}',
  untyped: 'expected any scalar, got &{NULL_VALUE}',
};

/** Go's format of the wrapper of such a value (`%v`). */
const wrapped = (value: JsonValue): string => `&{${printed(value)}}`;

const int64Max = 2n ** 63n - 1n;

/** Formats like Go's `%#v`: numbers beyond an int64 are unsigned, in hexadecimal. */
function inSource(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `${goTypeOf(value)}{${value.map(inSource).join(', ')}}`;
  if (typeof value === 'bigint' && value > int64Max) return `0x${value.toString(16)}`;
  if (typeof value !== 'object') return writeJson(value);
  return `${goTypeOf(value)}{${sortNames(Object.keys(value))
    .map((name) => `${writeJson(name)}:${inSource(value[name])}`)
    .join(', ')}}`;
}
