import type { JsonObject } from '../../../api/object.js';
import type { DocumentForm } from '../../../program/port/documentForms.js';
import type { ServedResource } from '../../registry/resources.js';
import type { StoredObject } from '../../storage/contract.js';

/** Kind and apiVersion as a document carries them. */
export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** Which part of the collection it is of, in the words of the request. */
  readonly shardInfo?: { readonly selector: string };
}

export type WatchFrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** An encoded list, to be written part by part. */
export interface EncodedList {
  /** Made as they are asked for, so that a long list does not hold up other requests. */
  readonly parts: Iterable<Buffer>;
  /** Size of all parts together, or null when only making them shows it. */
  readonly size: number | null;
}

/**
 * One encoding of answers. Adding a media type means adding one of these to `encoders.ts`; the verbs do not know which they use.
 * An item is an object without kind and apiVersion in whatever form the encoder finds cheapest to build on.
 */
export interface Encoder extends DocumentForm {
  /** Content type of watch streams, or null when this encoding cannot stream. */
  readonly streamType: string | null;
  /** It can show only what the types of its messages say: objects of types that have no message, and tables, take another encoding. */
  readonly needsMessage: boolean;
  /** How a refusal names its streams. */
  readonly acceptedStream: string | null;
  /** The item of a stored object as `resource` serves it; `metadataOnly` leaves everything but its metadata out. */
  item(resource: ServedResource, stored: StoredObject, metadataOnly: boolean): Buffer;
  /** A single object from its item. */
  object(type: TypeMeta, item: Buffer): Buffer;
  /**
   * Items as they stand in a list, without what stands around them: the part of a list that does not change with its version. `type`: kind and
   * apiVersion that each of them is to name; encodings in which items cannot do that leave it out.
   */
  items(items: readonly Buffer[], type: TypeMeta | null): EncodedList;
  /** A list around such items, of which there are `count`. */
  list(type: TypeMeta, meta: ListMeta, items: EncodedList, count: number): EncodedList;
  /** A Table; `head` is all of it but its rows, of which there are `count`. */
  table(head: JsonObject, rows: Iterable<JsonObject>, count: number): EncodedList;
  /** What WebSocket messages with its events are. */
  readonly messages: 'text' | 'binary';
  /** Bytes of length that `frame` puts in front of an event. */
  readonly lengthBytes: number;
  /** One event of a watch; `object` is an encoded single object. */
  frame(type: WatchFrameType, object: Buffer): Buffer;
}
