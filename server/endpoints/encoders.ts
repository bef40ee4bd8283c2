import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { ServedResource } from '../catalogue/resources.js';
import { servedItem } from '../registry/conversion.js';
import { orderedMetadata } from '../registry/metadata.js';
import type { StoredObject } from '../storage/contract.js';

/** Kind and apiVersion as a document carries them. */
export interface TypeMeta { readonly kind: string; readonly apiVersion: string }

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export type WatchFrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** What surrounds the items of a list, so that a list is written without building it. */
export interface ListFrame { readonly head: Buffer; readonly separator: Buffer; readonly tail: Buffer }

/**
 * One encoding of answers. Adding a media type means adding one of these to `ENCODERS`; the verbs do not know which they use.
 * `item` is an object without kind and apiVersion in this encoding; made once for each stored object and kept with it.
 */
export interface Encoder {
  readonly mediaType: string;
  /** Content type of watch streams, or null when this encoding cannot stream. */
  readonly streamType: string | null;
  /** The item of a stored object as `resource` serves it; `metadataOnly` leaves everything but its metadata out. */
  item(resource: ServedResource, stored: StoredObject, metadataOnly: boolean): Buffer;
  /** A single object from its item. */
  object(type: TypeMeta, item: Buffer): Buffer;
  list(type: TypeMeta, meta: ListMeta): ListFrame;
  /** A document that is no stored object: a Status, a Table. */
  document(value: unknown): Buffer;
  /** One event of a watch; `object` is an encoded single object. */
  frame(type: WatchFrameType, object: Buffer): Buffer;
}

const NEWLINE = 0x0a;
const COMMA = Buffer.from(',');
const LIST_TAIL = Buffer.from(']}\n');
const FRAME_TAIL = Buffer.from('}\n');

/** Kind and apiVersion in front of an item's members. Bounded by the number of served kinds. */
const prefixes = new Map<string, Buffer>();

function prefixOf({ kind, apiVersion }: TypeMeta): Buffer {
  const key = `${apiVersion} ${kind}`;
  let prefix = prefixes.get(key);
  if (prefix === undefined) prefixes.set(key, prefix = Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`));
  return prefix;
}

/** `{"metadata":…}` becomes `{"kind":…,"apiVersion":…,"metadata":…}` and a line end. An item is never an empty object: it has metadata. */
function joined(prefix: Buffer, item: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(prefix.length + item.length);
  prefix.copy(bytes, 0);
  item.copy(bytes, prefix.length, 1);
  bytes[bytes.length - 1] = NEWLINE;
  return bytes;
}

const metadataItem = (stored: StoredObject): Buffer =>
  stored.encoded('json metadata', object => Buffer.from(writeJson({ metadata: orderedMetadata(object.decode().metadata) })));

export const jsonEncoder: Encoder = {
  mediaType: 'application/json',
  streamType: 'application/json',
  item: (resource, stored, metadataOnly) => (metadataOnly ? metadataItem(stored) : servedItem(resource, stored)),
  object: (type, item) => joined(prefixOf(type), item),
  list: (type, meta) => ({
    head: Buffer.concat([prefixOf(type), Buffer.from(`"metadata":${JSON.stringify(meta)},"items":[`)]),
    separator: COMMA,
    tail: LIST_TAIL,
  }),
  document: value => Buffer.from(`${writeJson(value)}\n`),
  frame: (type, object) => Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object[object.length - 1] === NEWLINE ? object.subarray(0, -1) : object, FRAME_TAIL]),
};

/** In order of preference where a client takes anything. */
export const ENCODERS: readonly Encoder[] = [jsonEncoder];
