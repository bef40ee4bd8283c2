import {
  cborMediaType,
  cborSequenceMediaType,
  cborCodec,
  cborListHead,
  cborMapHead,
  cborMembersOf,
  encodeCborItem,
  encodeCborPart,
  selfDescribed,
} from '../../../workers/codecs/cbor.js';
import type { JsonObject } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { metadataAlone } from '../../registry/metadata.js';
import { servedObject } from '../../registry/conversion.js';
import type { EncodedList, Encoder, ListMeta, TypeMeta } from './encoder.js';

const part = encodeCborPart;
const nameKeys = {
  kind: part('kind'),
  apiVersion: part('apiVersion'),
  items: part('items'),
  metadata: part('metadata'),
  rows: part('rows'),
  type: part('type'),
  object: part('object'),
};

function typed({ kind, apiVersion }: TypeMeta, item: Buffer): Buffer {
  const { count, at } = cborMembersOf(item);
  return Buffer.concat([cborMapHead(count + 2), nameKeys.kind, part(kind), item.subarray(at), nameKeys.apiVersion, part(apiVersion)]);
}

const object = (type: TypeMeta, item: Buffer): Buffer => Buffer.concat([selfDescribed, typed(type, item)]);

function items(encoded: readonly Buffer[], type: TypeMeta | null): EncodedList {
  const parts = type === null ? encoded : encoded.map((item) => typed(type, item));
  return { parts, size: parts.reduce((sum, item) => sum + item.length, 0) };
}

function list({ kind, apiVersion }: TypeMeta, meta: ListMeta, { parts, size }: EncodedList, count: number): EncodedList {
  const head = Buffer.concat([selfDescribed, cborMapHead(4), nameKeys.kind, part(kind), nameKeys.items, cborListHead(count)]);
  const tail = Buffer.concat([nameKeys.metadata, part(meta), nameKeys.apiVersion, part(apiVersion)]);
  return { parts: between(head, parts, tail), size: size === null ? null : head.length + size + tail.length };
}

function* between(head: Buffer, encoded: Iterable<Buffer>, tail: Buffer): Generator<Buffer> {
  yield head;
  yield* encoded;
  yield tail;
}

function table(head: JsonObject, rows: Iterable<JsonObject>, count: number): EncodedList {
  const members = part(head);
  const { count: others, at } = cborMembersOf(members);
  const start = Buffer.concat([selfDescribed, cborMapHead(others + 1), members.subarray(at), nameKeys.rows, cborListHead(count)]);
  return { parts: between(start, encodedRows(rows), Buffer.alloc(0)), size: null };
}

function* encodedRows(rows: Iterable<JsonObject>): Generator<Buffer> {
  for (const row of rows) yield part(row);
}

/** The order of members is undefined, as in the reference. */
export const cborEncoder: Encoder = {
  mediaType: cborMediaType,
  streamType: cborSequenceMediaType,
  needsMessage: false,
  acceptedStream: cborSequenceMediaType,
  messages: 'binary',
  lengthBytes: 0,
  item: (resource, stored, metadataOnly) =>
    metadataOnly
      ? stored.encoded('cbor metadata', (each) => part({ metadata: metadataAlone(resource, each.decode().metadata) }))
      : stored.encoded(`cbor ${apiVersionOf(resource)}`, (each) => encodeCborItem(servedObject(resource, each), resource)),
  object,
  items,
  list,
  table,
  document: (value) => cborCodec.encode(value),
  frame: (type, encoded) => Buffer.concat([selfDescribed, cborMapHead(2), nameKeys.type, part(type), nameKeys.object, encoded]),
};
