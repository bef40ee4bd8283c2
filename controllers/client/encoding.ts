import { isKnownKind } from '../../api/catalogue/kinds.js';
import { depthMax } from '../../workers/codecs/contract.js';
import { hasProtobuf, kindOf, protobufDecode, protobufEncode, protobufMediaType } from '../../workers/codecs/protobuf/index.js';
import { parseJson } from '../../workers/codecs/json.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import { groupResourceOf, type Resource } from '../../api/meta/resource.js';
import { UnreadableError } from './errors.js';

/**
 * Encodings of requests and responses. Objects are equal in both: Protobuf is decoded into the result of `JSON.parse` for the JSON response. Integers beyond
 * the safe range are rounded in both, except for members named by `exactMemberOf`.
 */

export type ContentType = 'application/json' | typeof protobufMediaType;
export const jsonType = 'application/json';
export const protobufType = protobufMediaType;

/** Metadata only, which all types, including custom ones, have in Protobuf. */
export type MetadataForm = 'PartialObjectMetadata' | 'PartialObjectMetadataList';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Returns whether a kind has a Protobuf form. The kind must be built in: messages are found by the first word of the group, which `apps.example.org` shares.
 */
const speaksProtobuf = (kind: GroupVersionKind): boolean => isKnownKind(kind, kind.kind) && hasProtobuf(kind);

/** Returns the `Accept` header for a type: Protobuf first where it exists, and always JSON. */
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

/** Encodes a body in the preferred encoding; in JSON when its kind or a part has no Protobuf form. */
export function encodeBody(preferred: ContentType, body: unknown): EncodedBody {
  const bytes = preferred === protobufType ? inProtobuf(body) : null;
  return bytes ? { type: protobufType, bytes } : { type: jsonType, bytes: Buffer.from(writeJson(body)) };
}

function inProtobuf(body: unknown): Buffer | null {
  const { apiVersion, kind } =
    typeof body === 'object' && body !== null ? (body as { readonly apiVersion?: unknown; readonly kind?: unknown }) : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !speaksProtobuf(kindOf(apiVersion, kind))) return null;
  const encoded = protobufEncode(body);
  return encoded.ok ? encoded.bytes : null;
}

export const isProtobuf = (contentType: string | undefined): boolean =>
  contentType !== undefined && contentType.split(';', 1)[0]?.trim() === protobufType;

/**
 * Returns the type's top-level member that must be exact in 64 bits: a bigint where a number is inexact. Other members are never bigints, since code computes
 * with them.
 */
export const exactMemberOf = (type: Resource | undefined): string | undefined =>
  type === undefined ? undefined : exactMembers.get(groupResourceOf(type));
const exactMembers: ReadonlyMap<string, string> = new Map([['controllerrevisions.apps', 'revision']]);

/** Decodes a complete response, an object or a list. Throws an `UnreadableError` when it does not match its type. */
export function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  { exactMember }: { readonly exactMember?: string } = {},
): unknown {
  const value = isProtobuf(contentType) ? decodeProtobuf(bytes, exactMember) : decodeJson(bytes, exactMember);
  return exactMember === undefined ? value : exactOnly(value, exactMember);
}

/** Decodes one enveloped object; with an exact member, all large integers are bigint. */
export function decodeProtobuf(bytes: Buffer, exactMember?: string): unknown {
  const decoded = protobufDecode(bytes, undefined, { rounded: exactMember === undefined });
  if (decoded.ok) return decoded.value;
  throw new UnreadableError(`an answer in Protobuf cannot be read: ${decoded.message}`);
}

/** Decodes JSON; with an exact member, all large integers are bigint. */
export function decodeJson(bytes: Buffer, exactMember?: string): unknown {
  try {
    if (exactMember === undefined) return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new UnreadableError('an answer in JSON cannot be read', { cause: error });
  }
  const document = parseJson(bytes, { depthMax, keepLiterals: false });
  if (document.ok) return document.value;
  throw new UnreadableError(`an answer in JSON cannot be read: ${document.message}`);
}

/** Rounds bigints of a value, except for that member of an object or of each item of a list. */
export function exactOnly(value: unknown, exactMember: string): unknown {
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (name === exactMember) return [name, member] as const;
    return [
      name,
      name === 'items' && Array.isArray(member) ? member.map((item) => exactOnly(item, exactMember)) : rounded(member),
    ] as const;
  });
  return Object.fromEntries(members);
}

function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)])) : value;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
