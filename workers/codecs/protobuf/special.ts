import { parseJson } from '../json.js';
import { writeJson } from '../jsonWriter.js';
import { isMembers } from '../value.js';
import { formatTime, parseTime } from '../time.js';
import { EncodeError, type ValueCodec } from './fields.js';
import { WireError, type WireReader } from './reader.js';
import type { BackwardWriter } from './writer.js';

/** Writes a message body and then its length. */
export const writeNested = (writer: BackwardWriter, body: () => void): void => {
  const before = writer.written;
  body();
  writer.varint(writer.written - before);
};

/** Calls back for every field of the current message; what is not read is skipped. */
export const readFields = (reader: WireReader, field: (number: number, wireType: number) => boolean): void => {
  while (reader.position < reader.end) {
    const tag = reader.tag();
    if (!field(tag >>> 3, tag & 7)) reader.skip(tag & 7);
  }
};

const NANOS_PER_MICRO = 1000;

/** Time has seconds only, MicroTime also microseconds. The zero time is null in JSON and an empty message on the wire. */
const timeValue = (fractionDigits: 0 | 6): ValueCodec => ({
  wireType: 2,
  write: (writer, value) => {
    if (value === null || value === undefined) return writer.byte(0);
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    if (time === undefined) throw new EncodeError('expected a time');
    writeNested(writer, () => {
      writer.int(fractionDigits === 0 ? 0 : Math.floor(time.nanos / NANOS_PER_MICRO) * NANOS_PER_MICRO);
      writer.byte(0x10);
      writer.int(time.seconds);
      writer.byte(0x08);
    });
  },
  read: (reader) => reader.nested(() => {
    if (reader.position === reader.end) return null;
    let [seconds, nanos] = [0, 0];
    readFields(reader, (number, wireType) => {
      if (wireType !== 0 || number > 2) return false;
      if (number === 1) seconds = Number(reader.int64());
      else nanos = reader.int32();
      return true;
    });
    return formatTime({ seconds, nanos }, fractionDigits);
  }),
  zero: () => null,
});

const quantityValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (typeof value === 'object' && value !== null) throw new EncodeError('expected a quantity');
    writeNested(writer, () => {
      writer.string(value === null || value === undefined ? '0' : String(value));
      writer.byte(0x0a);
    });
  },
  read: (reader) => reader.nested(() => {
    let text = '0';
    readFields(reader, (number, wireType) => {
      if (number !== 1 || wireType !== 2) return false;
      text = reader.string();
      return true;
    });
    return text === '' ? '0' : text;
  }),
  zero: () => '0',
};

const intOrStringValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    const isText = typeof value === 'string';
    if (!isText && value !== null && value !== undefined && !Number.isInteger(value)) throw new EncodeError('expected a whole number or a string');
    writeNested(writer, () => {
      writer.string(isText ? value : '');
      writer.byte(0x1a);
      writer.int(isText ? 0 : (value as number | null) ?? 0);
      writer.byte(0x10);
      writer.byte(isText ? 1 : 0);
      writer.byte(0x08);
    });
  },
  read: (reader) => reader.nested(() => {
    let [isText, number, text] = [false, 0, ''];
    readFields(reader, (field, wireType) => {
      if (field === 1 && wireType === 0) isText = reader.varint() === 1;
      else if (field === 2 && wireType === 0) number = reader.int32();
      else if (field === 3 && wireType === 2) text = reader.string();
      else return false;
      return true;
    });
    return isText ? text : number;
  }),
  zero: () => 0,
};

/** Depth of JSON that stands inside of Protobuf. */
const RAW_DEPTH_MAX = 500;

/** JSON text kept as it is: raw extensions, field sets, JSON values of schemas. Null, when there are no bytes at all. */
const rawValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (value === null || value === undefined) return writer.byte(0);
    writeNested(writer, () => {
      writer.string(writeJson(value));
      writer.byte(0x0a);
    });
  },
  read: (reader) => reader.nested(() => {
    let raw: Buffer | undefined;
    readFields(reader, (number, wireType) => {
      if (number !== 1 || wireType !== 2) return false;
      raw = reader.bytes();
      return true;
    });
    if (raw === undefined || raw.length === 0) return null;
    if (!reader.exact) return roundedJson(raw);
    const read = parseJson(raw, { depthMax: RAW_DEPTH_MAX, keepLiterals: false });
    if (!read.ok) throw new WireError(read.message);
    return read.value;
  }),
  zero: () => null,
};

const roundedJson = (raw: Buffer): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch (error) {
    throw new WireError(error instanceof Error ? error.message : String(error));
  }
};

/** A JSON list that is a message with one repeated string on the wire. */
const stringListValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (!Array.isArray(value) && value !== null && value !== undefined) throw new EncodeError('expected a list');
    writeNested(writer, () => {
      for (const item of [...(value ?? []) as unknown[]].reverse()) {
        writer.string(String(item ?? ''));
        writer.byte(0x0a);
      }
    });
  },
  read: (reader) => reader.nested(() => {
    const items: string[] = [];
    readFields(reader, (number, wireType) => number === 1 && wireType === 2 && items.push(reader.string()) > 0);
    return items;
  }),
  zero: () => null,
};

/**
 * A schema, or something simpler than a schema, in one place: `true`, a list of schemas, a list of property names.
 * Field 1 or 2 holds the schema, the other one the rest.
 */
const schemaOr = (schema: () => ValueCodec, form: 'bool' | 'list' | 'names'): ValueCodec => ({
  wireType: 2,
  write: (writer, value) => writeNested(writer, () => {
    if (form === 'bool') {
      if (isMembers(value)) writeTagged(writer, 0x12, schema(), value);
      writer.byte(value === true || isMembers(value) ? 1 : 0);
      return writer.byte(0x08);
    }
    if (Array.isArray(value)) {
      for (const item of [...value as unknown[]].reverse()) {
        if (form === 'list') writeTagged(writer, 0x12, schema(), item);
        else {
          writer.string(String(item));
          writer.byte(0x12);
        }
      }
    } else if (isMembers(value)) writeTagged(writer, 0x0a, schema(), value);
  }),
  read: (reader, depth) => reader.nested(() => {
    let single: unknown;
    let allows = false;
    const items: unknown[] = [];
    readFields(reader, (number, wireType) => {
      if (form === 'bool' && number === 1 && wireType === 0) allows = reader.varint() !== 0;
      else if (wireType !== 2 || number > 2) return false;
      else if (number === (form === 'bool' ? 2 : 1)) single = schema().read(reader, depth);
      else items.push(form === 'list' ? schema().read(reader, depth) : reader.string());
      return true;
    });
    return single ?? (form === 'bool' ? allows : items);
  }),
  zero: () => null,
});

const writeTagged = (writer: BackwardWriter, tag: number, codec: ValueCodec, value: unknown): void => {
  codec.write(writer, value);
  writer.byte(tag);
};

const FIXED: Readonly<Record<string, ValueCodec>> = {
  'meta.v1.Time': timeValue(0), 'meta.v1.MicroTime': timeValue(6), 'resource.Quantity': quantityValue, 'intstr.IntOrString': intOrStringValue,
  'runtime.RawExtension': rawValue, 'meta.v1.FieldsV1': rawValue, 'meta.v1.Verbs': stringListValue,
};
const SCHEMA_FORMS: Readonly<Record<string, 'bool' | 'list' | 'names'>> = { JSONSchemaPropsOrBool: 'bool', JSONSchemaPropsOrArray: 'list', JSONSchemaPropsOrStringArray: 'names' };

/** The codec of a message whose JSON form is not an object with its fields, or undefined for all others. */
export const specialValue = (message: string, codecOf: (message: string) => ValueCodec): ValueCodec | undefined => {
  if (Object.hasOwn(FIXED, message)) return FIXED[message];
  const [, group, version, type = ''] = /^(\w+)\.(\w+)\.(\w+)$/.exec(message) ?? [];
  if (type === 'ExtraValue') return stringListValue;
  if (group !== 'apiextensions') return undefined;
  if (type === 'JSON') return rawValue;
  const form = SCHEMA_FORMS[type];
  return form === undefined ? undefined : schemaOr(() => codecOf(`apiextensions.${version}.JSONSchemaProps`), form);
};
