import type { BackwardWriter } from './writer.js';
import type { WireReader } from './reader.js';

/** Writes the length if the wire type has one, but not the tag. */
export interface ValueCodec {
  /** 0: varint, 1: fixed 64 bits, 2: with length. */
  readonly wireType: 0 | 1 | 2;
  write(writer: BackwardWriter, value: unknown): void;
  /** `depth` counts down. `before` is the field's value so far: messages in several parts are merged. */
  read(reader: WireReader, depth: number, before?: unknown): unknown;
  /** Returns an unset member's value, a new one if it is an object. */
  zero(): unknown;
}

/** A type mismatch, which the structure check normally finds first, with its path. */
export class EncodeError extends Error {}

const expected = (what: string, value: unknown): EncodeError =>
  new EncodeError(`expected ${what}, found ${value === null ? 'null' : typeof value}`);

export const stringValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (typeof value === 'string') writer.string(value);
    else if (value === null || value === undefined) writer.byte(0);
    else throw expected('a string', value);
  },
  read: (reader) => reader.string(),
  zero: () => '',
};

/** Bytes, base64 in JSON. */
export const bytesValue: ValueCodec = {
  wireType: 2,
  write: (writer, value) => {
    if (typeof value !== 'string' && value !== null && value !== undefined) throw expected('base64', value);
    writer.bytes(Buffer.from(value ?? '', 'base64'));
  },
  read: (reader) => reader.bytes().toString('base64'),
  zero: () => '',
};

export const booleanValue: ValueCodec = {
  wireType: 0,
  write: (writer, value) => {
    if (typeof value !== 'boolean' && value !== null && value !== undefined) throw expected('a boolean', value);
    writer.byte(value === true ? 1 : 0);
  },
  read: (reader) => reader.varint() !== 0,
  zero: () => false,
};

const writeInteger = (writer: BackwardWriter, value: unknown): void => {
  if (Number.isInteger(value) || typeof value === 'bigint') writer.int(value as number | bigint);
  else if (value === null || value === undefined) writer.byte(0);
  else throw expected('a whole number', value);
};

export const int32Value: ValueCodec = { wireType: 0, write: writeInteger, read: (reader) => reader.int32(), zero: () => 0 };
export const int64Value: ValueCodec = { wireType: 0, write: writeInteger, read: (reader) => reader.int64(), zero: () => 0 };

export const doubleValue: ValueCodec = {
  wireType: 1,
  write: (writer, value) => {
    if (typeof value !== 'number' && typeof value !== 'bigint' && value !== null && value !== undefined) throw expected('a number', value);
    writer.double(Number(value ?? 0));
  },
  read: (reader) => reader.double(),
  zero: () => 0,
};
