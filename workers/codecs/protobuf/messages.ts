import { messageNamed, type Message, type MessageField } from '../../../api/catalogue/protobuf.js';
import type { Scalar, Shape } from '../../../api/catalogue/types.js';
import { isMembers, type JsonMembers, type Json } from '../value.js';
import { EncodeError, booleanValue, bytesValue, doubleValue, int32Value, int64Value, stringValue, type ValueCodec } from './fields.js';
import { WireError, type WireReader } from './reader.js';
import { goFieldName } from './goFieldName.js';
import { specialValue } from './special.js';
import { straightLine, type BodyWriter } from './straightLine.js';
import type { BackwardWriter } from './writer.js';

/**
 * Codecs of messages, built from the catalogue on first use: tables for reading, generated code for writing. The output equals the reference's: fields by
 * rising number, members held by value always, others if set, maps sorted by key.
 */
const scalars: Readonly<Record<Scalar, ValueCodec>> = {
  string: stringValue,
  bytes: bytesValue,
  int32: int32Value,
  int64: int64Value,
  double: doubleValue,
  boolean: booleanValue,
};
const built = new Map<string, ValueCodec>();
/** Only schemas nest at all. */
export const messageDepthMax = 200;

/** Includes the length. Messages form cycles, so fields are prepared on first use. */
export const codecOfMessage = (name: string): ValueCodec => {
  let codec = built.get(name);
  if (codec === undefined) {
    const message = messageNamed(name);
    if (message === undefined) throw new EncodeError(`no message ${name}`);
    codec = specialValue(name, codecOfMessage) ?? new MessageCodec(message);
    built.set(name, codec);
  }
  return codec;
};

export class MessageCodec implements ValueCodec {
  readonly #message: Message;
  readonly wireType = 2;
  #fields: readonly FieldCodec[] | undefined;
  #writer: BodyWriter | undefined;
  #filling: readonly FieldCodec[] = [];
  readonly #byNumber: (FieldCodec | undefined)[] = [];

  readonly #goName: string;

  constructor(message: Message) {
    this.#message = message;
    this.#goName = message.name.slice(message.name.lastIndexOf('.') + 1);
  }

  write(writer: BackwardWriter, value: unknown): void {
    const before = writer.written;
    this.writeBody(writer, value);
    writer.varint(writer.written - before);
  }

  read(reader: WireReader, depth: number, before?: unknown): JsonMembers {
    const target: JsonMembers = isMembers(before) ? before : {};
    if (depth <= 0) throw new WireError('proto: exceeded max depth');
    const outer = reader.enter();
    this.readBody(reader, target, depth);
    reader.leave(outer);
    return target;
  }

  zero(): JsonMembers {
    const target: JsonMembers = {};
    this.fillMissing(target);
    return target;
  }

  writeBody(writer: BackwardWriter, value: unknown): void {
    const object = isMembers(value) ? value : value === null || value === undefined ? empty : undefined;
    if (object === undefined) throw new EncodeError(`${this.#message.name}: expected an object`);
    (this.#writer ??= straightLine(this.#message, codecOf))(writer, object);
  }

  /** Reads up to the reader's end, and adds members that every object has. */
  readBody(reader: WireReader, target: JsonMembers, depth: number): void {
    this.#prepared();
    while (reader.position < reader.end) {
      const tag = reader.tag(this.#goName);
      const field = this.#byNumber[tag >>> 3];
      if (field === undefined) reader.skip(tag & 7);
      else if (!field.read(reader, tag & 7, target, depth - 1))
        throw new WireError(`proto: wrong wireType = ${tag & 7} for field ${goFieldName(field.name, this.#message.name)}`);
    }
    this.fillMissing(target);
  }

  fillMissing(target: JsonMembers): void {
    this.#prepared();
    for (const field of this.#filling) field.fill(target);
  }

  #prepared(): readonly FieldCodec[] {
    if (this.#fields === undefined) {
      this.#fields = this.#message.fields.map((field) => fieldCodec(field, this.#message.name));
      for (const field of this.#fields) this.#byNumber[field.number] = field;
      this.#filling = this.#fields.filter(({ fills }) => fills);
    }
    return this.#fields;
  }
}

const empty: JsonMembers = Object.freeze({});

interface FieldCodec {
  readonly number: number;
  readonly name: string;
  /** Returns false for an unexpected wire type. */
  read(reader: WireReader, wireType: number, target: JsonMembers, depth: number): boolean;
  readonly fills: boolean;
  /** Sets an unset member after all fields are read. */
  fill(target: JsonMembers): void;
}

const fieldCodec = (field: MessageField, owner: string): FieldCodec => {
  const { shape } = field;
  if (field.inline) return inlineField(field);
  if (shape.is === 'list') return listField(field, codecOf(shape.items), owner);
  if (shape.is === 'map') return mapField(field, codecOf(shape.values));
  return singleField(field, codecOf(shape));
};

const codecOf = (shape: Shape): ValueCodec => {
  if (shape.is === 'scalar') return scalars[shape.scalar];
  if (shape.is !== 'type') throw new EncodeError('lists of lists have no Protobuf form');
  return codecOfMessage(shape.name);
};

const singleField = ({ number, name, presence }: MessageField, codec: ValueCodec): FieldCodec => {
  const fills = presence === 'always' || presence === 'nullable';
  return {
    number,
    name,
    read: (reader, wireType, target, depth) => {
      if (wireType !== codec.wireType) return false;
      const value = codec.read(reader, depth, target[name]) as Json;
      if (presence !== 'value' || !isZero(value)) target[name] = value;
      else if (target[name] !== undefined) delete target[name];
      return true;
    },
    fills,
    fill: (target) => {
      if (target[name] === undefined) target[name] = presence === 'nullable' ? null : (codec.zero() as Json);
    },
  };
};

const isZero = (value: Json): boolean => value === '' || value === 0 || value === false || value === null;

const inlineField = ({ number, name, shape }: MessageField): FieldCodec => {
  const codec = codecOf(shape) as MessageCodec;
  return {
    number,
    name,
    read: (reader, wireType, target, depth) => {
      if (wireType !== 2) return false;
      if (depth <= 0) throw new WireError('proto: exceeded max depth');
      const outer = reader.enter();
      codec.readBody(reader, target, depth);
      reader.leave(outer);
      return true;
    },
    fills: true,
    fill: (target) => codec.fillMissing(target),
  };
};

const listField = ({ number, name, presence }: MessageField, codec: ValueCodec, owner: string): FieldCodec => {
  const isListKind = name === 'items' && owner.endsWith('List');
  return {
    number,
    name,
    read: (reader, wireType, target, depth) => {
      if (wireType !== codec.wireType && wireType !== 2) return false;
      const items = (target[name] ??= []) as Json[];
      if (wireType === codec.wireType) items.push(codec.read(reader, depth) as Json);
      else
        reader.nested(() => {
          while (reader.position < reader.end) items.push(codec.read(reader, depth) as Json);
        });
      return true;
    },
    fills: presence === 'nullable',
    fill: (target) => {
      if (target[name] === undefined) target[name] = isListKind ? [] : null;
    },
  };
};

const mapField = ({ number, name, presence }: MessageField, codec: ValueCodec): FieldCodec => ({
  number,
  name,
  read: (reader, wireType, target, depth) => {
    if (wireType !== 2) return false;
    const map = (target[name] ??= {}) as JsonMembers;
    const outer = reader.enter();
    readEntry(reader, map, codec, depth);
    reader.leave(outer);
    return true;
  },
  fills: presence === 'nullable',
  fill: (target) => {
    if (target[name] === undefined) target[name] = null;
  },
});

/** Wire types of keys and values are ignored, as in the reference. */
const readEntry = (reader: WireReader, map: JsonMembers, codec: ValueCodec, depth: number): void => {
  let key = '';
  let given = undefined as Json | undefined;
  while (reader.position < reader.end) {
    const tag = reader.anyTag();
    if (tag >> 3 === 1) key = reader.string();
    else if (tag >> 3 === 2) given = codec.read(reader, depth) as Json;
    else reader.skip(tag & 7);
  }
  const value = given ?? (codec.zero() as Json);
  if (key === '__proto__') Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
};
