import { isKnownKind } from '../../server/catalogue/kinds.js';
import { hasProtobuf, kindOf, protobufDecode, protobufEncode, protobufMediaType } from '../../workers/codecs/protobuf/index.js';
import { UnreadableError } from './errors.js';

/**
 * What is said to servers, and in which encoding. Objects look the same in either: a Protobuf answer is decoded into what `JSON.parse` would have made
 * of the JSON answer, integers beyond the safe range included.
 */

export type ContentType = 'application/json' | typeof protobufMediaType;
export const jsonType = 'application/json';
export const protobufType = protobufMediaType;

/** Metadata alone: every type has it in Protobuf, custom ones too. */
export type MetadataForm = 'PartialObjectMetadata' | 'PartialObjectMetadataList';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Whether objects of that kind can be read and written in Protobuf. Messages are found by the first word of the group, so `apps.example.org` would pass
 * for `apps`: the kind must be one that the API itself has.
 */
const speaksProtobuf = (kind: GroupVersionKind): boolean => isKnownKind(kind, kind.kind) && hasProtobuf(kind);

/** The `Accept` header of a request about objects of a type: Protobuf first where there is any, JSON in any case. */
export function acceptOf(preferred: ContentType, type: GroupVersionKind | undefined, form?: MetadataForm): string {
  const parameters = form ? `;as=${form};g=meta.k8s.io;v=v1` : '';
  const json = `${jsonType}${parameters}`;
  const inProtobuf = preferred === protobufType && (form !== undefined || (type !== undefined && speaksProtobuf(type)));
  return inProtobuf ? `${protobufType}${parameters},${json}` : json;
}

export interface EncodedBody {
  readonly type: string;
  readonly bytes: Buffer;
}

/** A body in the preferred encoding; in JSON when its kind, or something in it, has no Protobuf form. */
export function encodeBody(preferred: ContentType, body: unknown): EncodedBody {
  const bytes = preferred === protobufType ? inProtobuf(body) : null;
  return bytes ? { type: protobufType, bytes } : { type: jsonType, bytes: Buffer.from(JSON.stringify(body)) };
}

function inProtobuf(body: unknown): Buffer | null {
  const { apiVersion, kind } =
    typeof body === 'object' && body !== null ? (body as { readonly apiVersion?: unknown; readonly kind?: unknown }) : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !speaksProtobuf(kindOf(apiVersion, kind))) return null;
  const encoded = protobufEncode(body);
  return encoded.ok ? encoded.bytes : null;
}

/** Whether an answer, or a body, of that content type is Protobuf. */
export const isProtobuf = (contentType: string | undefined): boolean =>
  contentType !== undefined && contentType.split(';', 1)[0]?.trim() === protobufType;

/** Decodes a whole answer. Throws an `UnreadableError` when it is not what its type says. */
export const decodeBody = (bytes: Buffer, contentType: string | undefined): unknown =>
  isProtobuf(contentType) ? decodeProtobuf(bytes) : decodeJson(bytes);

/** Decodes one enveloped object. */
export function decodeProtobuf(bytes: Buffer): unknown {
  const decoded = protobufDecode(bytes, undefined, { rounded: true });
  if (decoded.ok) return decoded.value;
  throw new UnreadableError(`an answer in Protobuf cannot be read: ${decoded.message}`);
}

export function decodeJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new UnreadableError('an answer in JSON cannot be read', { cause: error });
  }
}
