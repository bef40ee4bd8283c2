import type { Message, MessageField } from '../../../api/catalogue/protobuf.js';
import type { Presence, Shape } from '../../../api/catalogue/types.js';
import { isMembers, type JsonMembers } from '../value.js';
import { EncodeError, type ValueCodec } from './fields.js';
import { preparedNames, sortedNames } from './prepared.js';
import type { BackwardWriter } from './writer.js';

/**
 * Generates a writing function per message at its first object. Accesses in generated code mostly see one shape of objects, which at least halves the time of
 * a loop over tables. The code contains only numbers and JSON-quoted member names from `api/data`, never client input.
 */
export type BodyWriter = (writer: BackwardWriter, object: JsonMembers) => void;

/** Identifiers of the generated code. */
interface Names {
  readonly codecs: ValueCodec[];
  readonly codecOf: (shape: Shape) => ValueCodec;
}

const writtenAsZero: ReadonlySet<Presence> = new Set(['value', 'always']);

export function straightLine({ fields }: Message, codecOf: Names['codecOf']): BodyWriter {
  const names: Names = { codecs: [], codecOf };
  // Protobuf is written backwards here.
  const lines = [...fields].reverse().map((field) => fieldLines(field, names));
  const text = `'use strict';
const [${names.codecs.map((_codec, index) => `c${index}`).join(', ')}] = codecs;
return (w, o) => {
let v, b, k, i;
${lines.join('\n')}
};`;
  const make = new Function('codecs', 'sortedKeys', 'listOf', 'membersOf', text) as (
    codecs: readonly ValueCodec[],
    keysOf: typeof sortedKeys,
    lists: typeof listOf,
    members: typeof membersOf,
  ) => BodyWriter;
  return make(names.codecs, sortedKeys, listOf, membersOf);
}

function fieldLines(field: MessageField, names: Names): string {
  const { number, name, shape, presence, inline } = field;
  if (inline) return `${valueLines('o', shape, names)} ${tagLines(number, 2)}`;
  const member = JSON.stringify(name);
  const look = `v = o[${member}];`;
  const isSet = 'if (v !== undefined && v !== null)';
  if (shape.is === 'list') {
    const { wireType } = names.codecOf(shape.items);
    return `${look} ${isSet} for (k = listOf(v, ${member}), i = k.length - 1; i >= 0; i--) { v = k[i]; ${valueLines('v', shape.items, names)} ${tagLines(number, wireType)} }`;
  }
  if (shape.is === 'map') {
    const { wireType } = names.codecOf(shape.values);
    return `${look} ${isSet} { const m = membersOf(v, ${member}); for (k = sortedKeys(m), i = k.length - 1; i >= 0; i--) { const e = w.written; v = m[k[i]]; ${valueLines('v', shape.values, names)} ${tagLines(2, wireType)} w.string(k[i]); w.byte(10); w.varint(w.written - e); ${tagLines(number, 2)} } }`;
  }
  const write = `${valueLines('v', shape, names)} ${tagLines(number, names.codecOf(shape).wireType)}`;
  return writtenAsZero.has(presence) ? `${look} ${write}` : `${look} ${isSet} { ${write} }`;
}

/** Strings and booleans, the most frequent, bypass their codec. */
function valueLines(value: string, shape: Shape, { codecs, codecOf }: Names): string {
  const codec = `c${codecs.push(codecOf(shape)) - 1}`;
  const scalar = shape.is === 'scalar' ? shape.scalar : null;
  if (scalar === 'string') return `if (typeof ${value} === 'string') w.string(${value}); else ${codec}.write(w, ${value});`;
  if (scalar === 'boolean') return `if (${value} === true) w.byte(1); else ${codec}.write(w, ${value});`;
  return `${codec}.write(w, ${value});`;
}

function tagLines(number: number, wireType: number): string {
  const tag = number * 8 + wireType;
  return tag < 0x80 ? `w.byte(${tag});` : `w.varint(${tag});`;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new EncodeError(`${name}: expected a list`);
  return value;
}

function membersOf(value: unknown, name: string): JsonMembers {
  if (!isMembers(value)) throw new EncodeError(`${name}: expected an object`);
  return value;
}

const sortedKeys = (map: JsonMembers): readonly string[] => preparedNames(map) ?? sortedNames(map);
