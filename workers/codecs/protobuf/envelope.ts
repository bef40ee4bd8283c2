import { WireError, WireReader } from './reader.js';
import { readFields, writeNested, type KnownFields } from './special.js';
import type { BackwardWriter } from './writer.js';

/**
 * The envelope of Protobuf bodies (`runtime.Unknown`): four bytes, kind and API version, then the object as bytes. Source: the HTTP API specification, section
 * "Protobuf envelope".
 */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object without kind and API version: a view of the input, not a copy. */
  readonly raw: Buffer;
}

export type OpenResult = { readonly ok: true; readonly envelope: Envelope } | { readonly ok: false; readonly message: string };

const prefix = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Returns whether bytes begin like a Protobuf body. */
export const isEnveloped = (bytes: Uint8Array): boolean => prefix.every((byte, index) => bytes[index] === byte);

export const openEnvelope = (bytes: Uint8Array): OpenResult => {
  if (bytes.length === 0) return { ok: false, message: 'empty data' };
  if (!isEnveloped(bytes))
    return { ok: false, message: `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(' ')}]` };
  if (bytes.length === prefix.length) return { ok: false, message: 'empty body' };
  try {
    return open(new WireReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), prefix.length));
  } catch (error) {
    if (error instanceof WireError) return { ok: false, message: error.message };
    throw error;
  }
};

const unknown: KnownFields = {
  message: 'Unknown',
  fields: [
    ['TypeMeta', 2],
    ['Raw', 2],
    ['ContentEncoding', 2],
    ['ContentType', 2],
  ],
};
const typeMeta: KnownFields = {
  message: 'TypeMeta',
  fields: [
    ['APIVersion', 2],
    ['Kind', 2],
  ],
};

/** Ignores the content encoding, which never differs, as in the reference. */
const open = (reader: WireReader): OpenResult => {
  const meta = { apiVersion: '', kind: '' };
  let raw: Buffer = Buffer.alloc(0);
  readFields(reader, unknown, (number) => {
    if (number === 1)
      reader.nested(() => {
        readTypeMeta(reader, meta);
      });
    else if (number === 2) raw = reader.bytes();
    else reader.bytes();
  });
  return { ok: true, envelope: { ...meta, raw } };
};

const readTypeMeta = (reader: WireReader, meta: { apiVersion: string; kind: string }): void => {
  readFields(reader, typeMeta, (number) => {
    meta[number === 1 ? 'apiVersion' : 'kind'] = reader.string();
  });
};

/** Returns parts that can be written without being joined. */
export const envelopeParts = ({ apiVersion, kind, raw }: Envelope): readonly [head: Buffer, raw: Buffer, tail: Buffer] => {
  const typeMeta = Buffer.concat([lengthPrefixed(0x0a, Buffer.from(apiVersion)), lengthPrefixed(0x12, Buffer.from(kind))]);
  return [Buffer.concat([prefix, lengthPrefixed(0x0a, typeMeta), Buffer.from([0x12]), varint(raw.length)]), raw, tail];
};

/** Writes backwards, around the body that the callback writes. */
export const writeEnvelope = (
  writer: BackwardWriter,
  { apiVersion, kind }: Pick<Envelope, 'apiVersion' | 'kind'>,
  body: () => void,
): void => {
  for (let index = tail.length - 1; index >= 0; index--) writer.byte(tail[index] as number);
  writeNested(writer, body);
  writer.byte(0x12);
  writeNested(writer, () => {
    writer.string(kind);
    writer.byte(0x12);
    writer.string(apiVersion);
    writer.byte(0x0a);
  });
  writer.byte(0x0a);
  for (let index = prefix.length - 1; index >= 0; index--) writer.byte(prefix[index] as number);
};

const tail = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

const lengthPrefixed = (tag: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), varint(bytes.length), bytes]);

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
};
