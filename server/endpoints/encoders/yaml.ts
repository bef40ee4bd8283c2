import { jsonCodec } from '../../../workers/codecs/json.js';
import { depthMax } from '../../../workers/codecs/contract.js';
import { writeYaml } from '../../../workers/codecs/yamlWriter.js';
import type { JsonObject } from '../../../api/object.js';
import { yamlForm } from '../../../program/port/documentForms.js';
import { isNullWhenEmpty, type Encoder, type ListMeta, type TypeMeta } from './encoder.js';
import { jsonEncoder } from './json.js';

const text = (value: object): Buffer => Buffer.from(writeYaml(value));

function parsed(item: Buffer): JsonObject {
  const result = jsonCodec.decode(item, { findDuplicates: false, depthMax: depthMax });
  if (!result.ok) throw new SyntaxError(`an item of our own is not JSON: ${result.message}`);
  return result.value as JsonObject;
}

function* itemParts(items: readonly Buffer[], type: TypeMeta | null): Generator<Buffer> {
  for (const item of items) yield text([{ ...type, ...parsed(item) }]);
}

/** Members are sorted by name. */
function* listParts(type: TypeMeta, metadata: ListMeta, items: Iterable<Buffer>, count: number): Generator<Buffer> {
  const { apiVersion, kind } = type;
  if (count === 0) {
    yield text({ apiVersion, items: isNullWhenEmpty(type) ? null : [], kind, metadata });
    return;
  }
  yield text({ apiVersion });
  yield Buffer.from('items:\n');
  yield* items;
  yield text({ kind, metadata });
}

/** YAML is requested too rarely to cache a second form. */
export const yamlEncoder: Encoder = {
  ...yamlForm,
  streamType: null,
  needsMessage: false,
  acceptedStream: null,
  messages: 'text',
  lengthBytes: 0,
  item: (resource, stored, metadataOnly) => jsonEncoder.item(resource, stored, metadataOnly),
  object: (type, item) => text({ ...type, ...parsed(item) }),
  items: (items, type) => ({ parts: itemParts(items, type), size: null }),
  list: (type, meta, { parts }, count) => ({ parts: listParts(type, meta, parts, count), size: null }),
  table: (head, rows) => ({ parts: [text({ ...head, rows: [...rows] })], size: null }),
  frame: () => {
    throw new Error('YAML has no watch streams');
  },
};
