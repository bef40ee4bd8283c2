import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import type { JsonObject } from '../../../api/object.js';
import { jsonForm } from '../../../program/port/documentForms.js';
import { servedItem } from '../../registry/conversion.js';
import { metadataAlone, orderedMetadata } from '../../registry/metadata.js';
import type { ServedResource } from '../../registry/resources.js';
import type { StoredObject } from '../../storage/contract.js';
import { isNullWhenEmpty, type EncodedList, type Encoder, type ListMeta, type TypeMeta } from './encoder.js';

const newline = 0x0a;
const comma = Buffer.from(',');
const listTail = Buffer.from(']}\n');
const frameTail = Buffer.from('}\n');

/** Bounded by the number of served kinds. */
const prefixes = new Map<string, Buffer>();

function prefixOf({ kind, apiVersion }: TypeMeta): Buffer {
  const key = `${apiVersion} ${kind}`;
  let prefix = prefixes.get(key);
  if (prefix === undefined)
    prefixes.set(key, (prefix = Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`)));
  return prefix;
}

/** An…,"apiVersion":…,"metadata":…}` and a line end. An item always has metadata. */
function joined(prefix: Buffer, item: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(prefix.length + item.length);
  prefix.copy(bytes, 0);
  item.copy(bytes, prefix.length, 1);
  bytes[bytes.length - 1] = newline;
  return bytes;
}

const metadataItem = (resource: ServedResource, stored: StoredObject): Buffer =>
  stored.encoded('json metadata', (object) =>
    Buffer.from(writeJson({ metadata: orderedMetadata(metadataAlone(resource, object.decode().metadata)) })),
  );

function* itemParts(items: readonly Buffer[], prefix: Buffer | null): Generator<Buffer> {
  let first = true;
  for (const item of items) {
    if (!first) yield comma;
    first = false;
    if (prefix !== null) yield prefix;
    yield prefix === null ? item : item.subarray(1);
  }
}

function listOf(items: readonly Buffer[], prefix: Buffer | null): EncodedList {
  const own = items.reduce((sum, item) => sum + item.length, Math.max(0, items.length - 1));
  return { parts: itemParts(items, prefix), size: own + (prefix === null ? 0 : items.length * (prefix.length - 1)) };
}

function* between(head: Buffer, items: Iterable<Buffer>): Generator<Buffer> {
  yield head;
  yield* items;
  yield listTail;
}

const listHead = (type: TypeMeta, meta: ListMeta): Buffer =>
  Buffer.concat([prefixOf(type), Buffer.from(`"metadata":${JSON.stringify(meta)},"items":[`)]);

function* tableParts(head: JsonObject, rows: Iterable<JsonObject>): Generator<Buffer> {
  let separator = `${writeJson(head).slice(0, -1)},"rows":[`;
  for (const row of rows) {
    yield Buffer.from(separator + writeJson(row));
    separator = ',';
  }
  yield separator === ',' ? listTail : Buffer.from(`${separator}]}\n`);
}

const wholeOf = (bytes: Buffer): EncodedList => ({ parts: [bytes], size: bytes.length });

/** Items are the stored bytes where the versions agree. */
export const jsonEncoder: Encoder = {
  ...jsonForm,
  streamType: 'application/json',
  needsMessage: false,
  acceptedStream: 'application/json;stream=watch',
  messages: 'text',
  lengthBytes: 0,
  item: (resource, stored, metadataOnly) => (metadataOnly ? metadataItem(resource, stored) : servedItem(resource, stored)),
  object: (type, item) => joined(prefixOf(type), item),
  items: (items, type) => listOf(items, type === null ? null : prefixOf(type)),
  list(type, meta, { parts, size }, count) {
    if (count === 0 && isNullWhenEmpty(type)) return wholeOf(Buffer.from(`${JSON.stringify({ ...type, metadata: meta, items: null })}\n`));
    const head = listHead(type, meta);
    return { parts: between(head, parts), size: size === null ? null : head.length + size + listTail.length };
  },
  table: (head, rows) => ({ parts: tableParts(head, rows), size: null }),
  frame: (type, object) =>
    Buffer.concat([
      Buffer.from(`{"type":"${type}","object":`),
      object[object.length - 1] === newline ? object.subarray(0, -1) : object,
      frameTail,
    ]),
};
