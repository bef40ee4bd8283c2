import type { JsonObject } from '../../../api/object.js';
import type { DocumentForm } from '../../../program/port/documentForms.js';
import type { ServedResource } from '../../registry/resources.js';
import type { StoredObject } from '../../storage/contract.js';

export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** The covered shard, in the request's words. */
  readonly shardInfo?: { readonly selector: string };
}

/** The reference's list of metadata has no items when empty. */
export const isNullWhenEmpty = ({ kind }: TypeMeta): boolean => kind === 'PartialObjectMetadataList';

export type WatchFrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Written part by part. */
export interface EncodedList {
  /** Generated lazily, so that long lists do not block other requests. */
  readonly parts: Iterable<Buffer>;
  /** Null when the total is unknown in advance. */
  readonly size: number | null;
}

/** An item is an object without kind and apiVersion in the encoder's cheapest form. */
export interface Encoder extends DocumentForm {
  /** Null when this encoding cannot stream. */
  readonly streamType: string | null;
  /** Types without a Protobuf message, and tables, need another encoding. */
  readonly needsMessage: boolean;
  /** The name of its streams in a refusal. */
  readonly acceptedStream: string | null;
  /** `metadataOnly` omits everything else. */
  item(resource: ServedResource, stored: StoredObject, metadataOnly: boolean): Buffer;
  object(type: TypeMeta, item: Buffer): Buffer;
  /** Encodes items without the enclosing list, which changes with its version. `type` is each item's. */
  items(items: readonly Buffer[], type: TypeMeta | null): EncodedList;
  list(type: TypeMeta, meta: ListMeta, items: EncodedList, count: number): EncodedList;
  /** `head` is all of the Table but its rows. */
  table(head: JsonObject, rows: Iterable<JsonObject>, count: number): EncodedList;
  /** The type of WebSocket messages with its events. */
  readonly messages: 'text' | 'binary';
  /** The length prefix that `frame` puts before an event. */
  readonly lengthBytes: number;
  /** `object` is an encoded single object. */
  frame(type: WatchFrameType, object: Buffer): Buffer;
}
