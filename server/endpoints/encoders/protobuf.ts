import { encodeMessage, kindOf, protobufMediaType } from '../../../workers/codecs/protobuf/index.js';
import { envelopeParts } from '../../../workers/codecs/protobuf/envelope.js';
import { apiVersionOf } from '../../../api/resource.js';
import { StatusError } from '../../../api/status.js';
import { protobufForm } from '../../../program/port/documentForms.js';
import { metadataAlone } from '../../registry/metadata.js';
import { servedObject } from '../../registry/conversion.js';
import type { EncodedList, Encoder, ListMeta, TypeMeta } from './encoder.js';

const partial = { group: 'meta.k8s.io', version: 'v1', kind: 'PartialObjectMetadata' };
/** The tag of `items` in every list message: field 2, length-delimited. */
const itemsTag = 0x12;

const unpack = (result: { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly message: string }): Buffer => {
  if (result.ok) return result.bytes;
  throw new StatusError(406, 'NotAcceptable', `the object has no Protobuf form: ${result.message}`);
};

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

const varintLength = (value: number): number => Math.max(1, Math.ceil((32 - Math.clz32(value)) / 7));

const lengthBytes = 4;

const field = (tag: number, length: number): Buffer => Buffer.from([tag, ...varint(length)]);
const empty = Buffer.alloc(0);

const items = (encoded: readonly Buffer[]): EncodedList & { readonly size: number } => ({
  parts: itemParts(encoded),
  size: encoded.reduce((sum, item) => sum + 1 + varintLength(item.length) + item.length, 0),
});

function* itemParts(encoded: readonly Buffer[]): Generator<Buffer> {
  for (const item of encoded) {
    yield field(itemsTag, item.length);
    yield item;
  }
}

/** The envelope needs the items' size beforehand. */
function list(type: TypeMeta, meta: ListMeta, { parts, size }: EncodedList): EncodedList {
  if (size === null) throw new Error('the size of items in Protobuf is always known');
  const head = unpack(encodeMessage({ metadata: meta }, kindOf(type.apiVersion, type.kind)));
  const rawSize = head.length + size;
  const [before, , after] = envelopeParts({ ...type, raw: empty });
  // The envelope of nothing ends in a zero length, which is replaced.
  const envelope = Buffer.concat([before.subarray(0, -1), Buffer.from(varint(rawSize)), head]);
  return { parts: between(envelope, parts, after), size: envelope.length + size + after.length };
}

function* between(head: Buffer, encoded: Iterable<Buffer>, after: Buffer): Generator<Buffer> {
  yield head;
  yield* encoded;
  yield after;
}

/** A big-endian length of four bytes precedes each event. */
function frame(type: string, object: Buffer): Buffer {
  const name = Buffer.from(type);
  const extension = Buffer.concat([field(0x0a, object.length), object]);
  const event = Buffer.concat([field(0x0a, name.length), name, field(0x12, extension.length), extension]);
  const length = Buffer.allocUnsafe(lengthBytes);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

export const protobufEncoder: Encoder = {
  ...protobufForm,
  streamType: `${protobufMediaType};stream=watch`,
  needsMessage: true,
  acceptedStream: `${protobufMediaType};stream=watch`,
  messages: 'binary',
  lengthBytes: lengthBytes,
  item: (resource, stored, metadataOnly) =>
    metadataOnly
      ? stored.encoded('protobuf metadata', (object) =>
          unpack(encodeMessage({ metadata: metadataAlone(resource, object.decode().metadata) }, partial)),
        )
      : stored.encoded(`protobuf ${apiVersionOf(resource)}`, (object) => unpack(encodeMessage(servedObject(resource, object), resource))),
  object: (type, item) => Buffer.concat(envelopeParts({ ...type, raw: item })),
  items,
  list,
  table: () => {
    throw new Error('broken invariant: tables have no Protobuf form');
  },
  frame,
};
