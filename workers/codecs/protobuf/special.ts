import { parseJson } from '../json.js';
import { writeGoJson } from '../goJson.js';
import { writeJson } from '../jsonWriter.js';
import { isMembers } from '../value.js';
import { formatTime, parseTime } from '../../../api/time.js';
import { EncodeError, type ValueCodec } from './fields.js';
import { preparedText } from './prepared.js';
import { WireError, type WireReader } from './reader.js';
import type { BackwardWriter } from './writer.js';
import { errorText } from '../../../api/errorText.js';

/** Writes a message body and then its length. */
export const writeNested = (writer: BackwardWriter, body: () => void): void => {
  const before = writer.written;
  body();
  writer.varint(writer.written - before);
};

/** Go names and wire types of fields, by number from 1. */
export interface KnownFields {
  readonly message: string;
  readonly fields: readonly (readonly [goName: string, wireType: 0 | 2])[];
}

/** Skips unknown fields. Throws WireError for a wrong wire type. */
export const readFields = (reader: WireReader, { message, fields }: KnownFields, field: (number: number) => void): void => {
  while (reader.position < reader.end) {
    const tag = reader.tag(message);
    const known = fields[(tag >>> 3) - 1];
    if (known === undefined) reader.skip(tag & 7);
    else if (known[1] === (tag & 7)) field(tag >>> 3);
    else throw new WireError(`proto: wrong wireType = ${tag & 7} for field ${known[0]}`);
  }
};

const nanosPerMicro = 1000;

const timestamp: KnownFields = {
  message: 'Timestamp',
  fields: [
    ['Seconds', 0],
    ['Nanos', 0],
  ],
};

/** The zero time is null in JSON and an empty message on the wire. */
const timeValue = (fractionDigits: 0 | 6): ValueCodec => ({
  wireType: 2,
  write: (writer, value) => {
    if (value === null || value === undefined) return writer.byte(0);
    const time = typeof value === 'string' ? parseTime(value) : undefined;
    if (time === undefined) throw new EncodeError('expected a time');
    writeNested(writer, () => {
      writer.int(fractionDigits === 0 ? 0 : Math.floor(time.nanos / nanosPerMicro) * nanosPerMicro);
      writer.byte(0x10);
      writer.int(time.seconds);
      writer.byte(0x08);
    });
  },
  read: (reader) =>
    reader.nested(() => {
      if (reader.position === reader.end) return null;
      let [seconds, nanos] = [0, 0];
      readFields(reader, timestamp, (number) => {
        if (number === 1) seconds = Number(reader.int64());
        else nanos = reader.int32();
      });
      return formatTime({ seconds, nanos }, fractionDigits);
    }),
  zero: () => null,
});

const quantity: KnownFields = { message: 'Quantity', fields: [['String_', 2]] };

const quantityValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (typeof value === 'object' && value !== null) throw new EncodeError('expected a quantity');
    writeNested(writer, () => {
      writer.string(value === null || value === undefined ? '0' : String(value));
      writer.byte(0x0a);
    });
  },
  read: (reader, _depth, before) =>
    reader.nested(() => {
      let text = typeof before === 'string' ? before : '0';
      readFields(reader, quantity, () => {
        text = reader.string();
      });
      return text === '' ? '0' : text;
    }),
  zero: () => '0',
};

const intOrString: KnownFields = {
  message: 'IntOrString',
  fields: [
    ['Type', 0],
    ['IntVal', 0],
    ['StrVal', 2],
  ],
};

const intOrStringValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    const isText = typeof value === 'string';
    if (!isText && value !== null && value !== undefined && !Number.isInteger(value))
      throw new EncodeError('expected a whole number or a string');
    writeNested(writer, () => {
      writer.string(isText ? value : '');
      writer.byte(0x1a);
      writer.int(isText ? 0 : ((value as number | null) ?? 0));
      writer.byte(0x10);
      writer.byte(isText ? 1 : 0);
      writer.byte(0x08);
    });
  },
  read: (reader, _depth, before) =>
    reader.nested(() => {
      let [isText, number, text] = [
        typeof before === 'string',
        typeof before === 'number' ? before : 0,
        typeof before === 'string' ? before : '',
      ];
      readFields(reader, intOrString, (field) => {
        if (field === 1) isText = reader.varint() === 1;
        else if (field === 2) number = reader.int32();
        else text = reader.string();
      });
      return isText ? text : number;
    }),
  zero: () => 0,
};

/** Limits the depth of JSON inside Protobuf. */
const rawDepthMax = 500;

export const rawExtensionFields: KnownFields = { message: 'RawExtension', fields: [['Raw', 2]] };

/** JSON text: raw extensions, field sets, JSON values of schemas. No bytes are null. */
const rawValue = (textOf: (value: unknown) => string): ValueCodec => ({
  wireType: 2,
  write: (writer, value) => {
    if (value === null || value === undefined) return writer.byte(0);
    writeNested(writer, () => {
      writer.string(textOf(value));
      writer.byte(0x0a);
    });
  },
  read: (reader, _depth, before) =>
    reader.nested(() => {
      let raw: Buffer | undefined;
      readFields(reader, rawExtensionFields, () => {
        raw = reader.bytes();
      });
      if (raw === undefined) return before ?? null;
      if (raw.length === 0) return null;
      if (!reader.exact) return roundedJson(raw);
      const read = parseJson(raw, { depthMax: rawDepthMax, keepLiterals: false });
      if (!read.ok) throw new WireError(read.message);
      return read.value;
    }),
  zero: () => null,
});

const rawExtension = rawValue(writeGoJson);

const roundedJson = (raw: Buffer): unknown => {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch (error) {
    throw new WireError(errorText(error));
  }
};

const strings: KnownFields = { message: 'ExtraValue', fields: [['Items', 2]] };

const stringListValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (!Array.isArray(value) && value !== null && value !== undefined) throw new EncodeError('expected a list');
    writeNested(writer, () => {
      for (const item of [...((value ?? []) as unknown[])].reverse()) {
        writer.string(String(item ?? ''));
        writer.byte(0x0a);
      }
    });
  },
  read: (reader, _depth, before) =>
    reader.nested(() => {
      const items: string[] = Array.isArray(before) ? (before as string[]) : [];
      readFields(reader, strings, () => {
        items.push(reader.string());
      });
      return items;
    }),
  zero: () => null,
};

const schemaOrFields: Readonly<Record<'bool' | 'list' | 'names', KnownFields>> = {
  bool: {
    message: 'JSONSchemaPropsOrBool',
    fields: [
      ['Allows', 0],
      ['Schema', 2],
    ],
  },
  list: {
    message: 'JSONSchemaPropsOrArray',
    fields: [
      ['Schema', 2],
      ['JSONSchemas', 2],
    ],
  },
  names: {
    message: 'JSONSchemaPropsOrStringArray',
    fields: [
      ['Schema', 2],
      ['Property', 2],
    ],
  },
};

/** Field 1 or 2 is the schema, the other one an alternative: `true`, schemas, or property names. */
const schemaOr = (schema: () => ValueCodec, form: 'bool' | 'list' | 'names'): ValueCodec => ({
  wireType: 2,
  write: (writer, value) =>
    writeNested(writer, () => {
      if (form === 'bool') {
        if (isMembers(value)) writeTagged(writer, 0x12, schema(), value);
        writer.byte(value === true || isMembers(value) ? 1 : 0);
        return writer.byte(0x08);
      }
      if (Array.isArray(value)) {
        for (const item of [...(value as unknown[])].reverse()) {
          if (form === 'list') writeTagged(writer, 0x12, schema(), item);
          else {
            writer.string(String(item));
            writer.byte(0x12);
          }
        }
      } else if (isMembers(value)) writeTagged(writer, 0x0a, schema(), value);
    }),
  read: (reader, depth, before) =>
    reader.nested(() => {
      let single: unknown = isMembers(before) ? before : undefined;
      let allows = before === true;
      const items: unknown[] = Array.isArray(before) ? before : [];
      readFields(reader, schemaOrFields[form], (number) => {
        if (number === (form === 'bool' ? 2 : 1)) single = schema().read(reader, depth, single);
        else if (form === 'bool') allows = reader.varint() !== 0;
        else items.push(form === 'list' ? schema().read(reader, depth) : reader.string());
      });
      return single ?? (form === 'bool' ? allows : items);
    }),
  zero: () => null,
});

const writeTagged = (writer: BackwardWriter, tag: number, codec: ValueCodec, value: unknown): void => {
  codec.write(writer, value);
  writer.byte(tag);
};

const fixed: Readonly<Record<string, ValueCodec>> = {
  'meta.v1.Time': timeValue(0),
  'meta.v1.MicroTime': timeValue(6),
  'resource.Quantity': quantityValue,
  'intstr.IntOrString': intOrStringValue,
  'runtime.RawExtension': rawExtension,
  'meta.v1.FieldsV1': rawValue((value) => preparedText(value) ?? writeJson(value)),
  'meta.v1.Verbs': stringListValue,
};
const schemaForms: Readonly<Record<string, 'bool' | 'list' | 'names'>> = {
  JSONSchemaPropsOrBool: 'bool',
  JSONSchemaPropsOrArray: 'list',
  JSONSchemaPropsOrStringArray: 'names',
};

/** Returns undefined for messages whose JSON form is an object with their fields. */
export const specialValue = (message: string, codecOf: (message: string) => ValueCodec): ValueCodec | undefined => {
  if (Object.hasOwn(fixed, message)) return fixed[message];
  const [, group, version, type = ''] = /^(\w+)\.(\w+)\.(\w+)$/.exec(message) ?? [];
  if (type === 'ExtraValue') return stringListValue;
  if (group !== 'apiextensions') return undefined;
  if (type === 'JSON') return rawExtension;
  const form = schemaForms[type];
  return form === undefined ? undefined : schemaOr(() => codecOf(`apiextensions.${version}.JSONSchemaProps`), form);
};
