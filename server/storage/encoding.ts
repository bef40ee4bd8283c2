import { crc32 } from 'node:zlib';
import type { ApiObject } from '../../api/object.js';
import type { ObjectKey } from './contract.js';
import { jsonCodec } from '../../workers/codecs/json.js';
import type { Steps } from '../../api/steps.js';
import { inJson, inJsonSteps, writeText, type JsonLayout } from './jsonLayout.js';
import { decodeBody, encodeBody, encodeBodySteps, type StoredForm } from './forms.js';
import { decodeReference, encodeReference, isReferenceValue, referenceApiVersion, type ReferenceForm } from './reference/values.js';

/**
 * The form of a value in the store:
 *
 *     byte  0        format, 0xA1: neither JSON text nor the reference's Protobuf envelope starts with it
 *     byte  1        media type of the body (`mediaTypes`)
 *     byte  2        flags: bit 0, the body has integers beyond 2^53
 *     byte  3        length of apiVersion
 *     bytes 4..7     where in the body the resource version goes (all numbers little-endian; 0 unless the body is JSON, as are the next two)
 *     bytes 8..11    where in the body the labels' object starts
 *     bytes 12..15   its length; 0 when there are no labels
 *     apiVersion     of the stored form, UTF-8: later conversions must know which version was written
 *     body           for JSON: the object without kind, apiVersion and resource version; for others see `forms.ts`
 *     last 4 bytes   CRC-32 of everything before
 *
 * Values that kube-apiserver has written, or that are written so that it can read them, are told apart by their first byte: see `reference/values.ts`.
 *
 * The resource version is left out because it is known only once the write has been applied; for JSON `itemOf` puts it in without parsing.
 * Every value says its media type, so that values of all media types may lie beside each other.
 */
const storedFormat = 0xa1;

/** What stands for a value that could not even be decrypted; never stored. */
const unreadableFormat = 0xa0;
export const unreadableValue = (why: string): Buffer => Buffer.concat([Buffer.of(unreadableFormat), Buffer.from(why)]);

/** By their number in byte 1. Numbers are never given anew. */
const mediaTypes = ['', 'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
const jsonMediaType = mediaTypes.indexOf('application/json');
const headerBytes = 16;
const checksumBytes = 4;
const flagBigIntegers = 1;

/** Deepest nesting that a stored value is read back with; writes are checked to far less. */
const depthMax = 10_000;

/** An object's bytes as lists show them, and where the parts are that are read without parsing the rest. */
export interface Item {
  readonly bytes: Buffer;
  readonly apiVersion: string;
  /** First digit of the resource version. */
  readonly versionAt: number;
  /** The labels' JSON object; both 0 when there are none. */
  readonly labelsAt: number;
  readonly labelsLength: number;
  readonly bigIntegers: boolean;
}

/** A stored value that cannot be read: damaged, or written by a program that knows more formats. */
export class DamagedValueError extends Error {
  /** Where the value was written; 0 until that is known. */
  version = 0;

  constructor(
    readonly key: ObjectKey,
    why: string,
    options?: ErrorOptions,
  ) {
    super(
      `stored value of ${key.resource.resource} ${key.namespace === '' ? '' : `${key.namespace}/`}${key.name} cannot be read: ${why}`,
      options,
    );
    this.name = 'DamagedValueError';
  }
}

/**
 * Encodes what is stored for `object`: in the given form if the type has it, otherwise in JSON. Identity comes first in metadata, as in the
 * reference's output; the resource version follows it.
 */
export const encodeStored = (key: ObjectKey, object: ApiObject, form: StoredForm | ReferenceForm | null = null): Buffer =>
  encodeWrite(key, object, form).value;

/** What is stored, and the object in JSON where that is something else: who has written it need not read it to show it. */
export interface EncodedWrite {
  readonly value: Buffer;
  readonly json: JsonLayout | null;
}

export function encodeWrite(key: ObjectKey, object: ApiObject, form: StoredForm | ReferenceForm | null): EncodedWrite {
  if (form !== null && 'kindOf' in form) return { value: encodeReference(form, key, object), json: inJson(object, key.name) };
  const body = form === null ? null : encodeBody(form, key, object);
  return writeOf(form, body, inJson(object, key.name));
}

/** The same in steps, for objects that are, or may be, large. What is not JSON is one of them. */
export function* encodeWriteSteps(key: ObjectKey, object: ApiObject, form: StoredForm | ReferenceForm | null): Steps<EncodedWrite> {
  if (form !== null && 'kindOf' in form) {
    const value = encodeReference(form, key, object);
    yield;
    return { value, json: yield* inJsonSteps(object, key.name) };
  }
  const body = form === null ? null : yield* encodeBodySteps(form, key, object);
  if (body !== null) yield;
  const json = yield* inJsonSteps(object, key.name);
  yield;
  return writeOf(form, body, json);
}

function writeOf(form: StoredForm | null, body: Buffer | null, json: JsonLayout): EncodedWrite {
  if (form === null || body === null) return { value: assemble(jsonMediaType, json, json.text, json.bytes), json: null };
  const { apiVersion } = json;
  return { value: assemble(mediaTypes.indexOf(form.mediaType), { ...elsewhere, apiVersion }, body, body.length), json };
}

/** Of a body that is not JSON. */
const elsewhere = { versionAt: 0, labelsAt: 0, labelsLength: 0, bigIntegers: false };

/**
 * The item that a stored value stands for, at `version`. The bytes are a copy: `value` may be a view into a larger buffer.
 * Throws DamagedValueError.
 */
export function itemOf(key: ObjectKey, value: Uint8Array, version: number, complete: Complete | null = null): Item {
  const source = sourceOf(key, value, version);
  return 'bytes' in source ? source : readItem(key, source, version, { complete });
}

/** A stored value that nobody has looked into yet. Its checksum is right. */
export interface UnreadValue {
  readonly stored: Buffer;
  readonly apiVersion: string;
}

/** The value as it lies there, for readers that may never come: not a copy. Throws DamagedValueError for what can be seen from outside. */
export function unreadIn(key: ObjectKey, value: Uint8Array): UnreadValue {
  const stored = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isReferenceValue(stored)) return { stored, apiVersion: shared(referenceApiVersion(stored)) };
  check(key, stored);
  return { stored, apiVersion: apiVersionIn(stored) };
}

/** The same in memory of its own. */
export const ownValue = ({ stored, apiVersion }: UnreadValue): UnreadValue => ({ stored: ownCopy(stored), apiVersion });

/**
 * The same for values whose memory is not kept: one in JSON becomes an item, which costs no more than the copy; one in another form is copied as it is.
 * Throws DamagedValueError.
 */
export function sourceOf(key: ObjectKey, value: Uint8Array, version: number): Item | UnreadValue {
  const unread = unreadIn(key, value);
  return isOwnJson(unread.stored) ? itemInJson(unread.stored, version) : ownValue(unread);
}

const isOwnJson = (stored: Buffer): boolean => stored[0] === storedFormat && stored[1] === jsonMediaType;

/** Brings an object nearer to what a program of today would have stored. May change it. */
export type Complete = (object: ApiObject) => ApiObject;

/** What a program of today would have stored of a resource in place of what an older one has. */
export interface Completion {
  /** Of the form in which storage has objects. */
  readonly apiVersion: string;
  /** Brings an object into that form. */
  readonly convert: Complete;
  /** The same, and puts in whatever came since. */
  readonly complete: Complete;
}

/** The version of the form in which an object of a value is read. */
export const readVersion = ({ stored, apiVersion }: UnreadValue, completion: Completion | null): string =>
  completion !== null && isReferenceValue(stored) ? completion.apiVersion : apiVersion;

/** Memory of its own: small buffers usually share a slab, and one that stays would keep whatever else was in its slab. For bytes that are copied from there at once, any memory will do. */
export type Allocate = (bytes: number) => Buffer;

interface Reading {
  readonly complete?: Complete | null;
  readonly allocate?: Allocate;
}

/**
 * Brings such a value into JSON. What is in kube-apiserver's form is completed, as that program does whenever it reads; what is in our own has been complete
 * since it was written. Throws DamagedValueError.
 */
export function readItem(key: ObjectKey, { stored }: UnreadValue, version: number, { complete = null, allocate }: Reading = {}): Item {
  if (isOwnJson(stored)) return itemInJson(stored, version, allocate);
  const read = decoded(key, stored);
  const object = complete !== null && isReferenceValue(stored) ? completed(key, read, complete) : read;
  return itemFrom(inJson(object, key.name), version, allocate);
}

function completed(key: ObjectKey, object: ApiObject, complete: Complete): ApiObject {
  try {
    return complete(object);
  } catch (cause) {
    throw new DamagedValueError(key, `it cannot be completed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** A value in another form is brought into JSON once, here; from then on it is like any other. */
export function itemFrom(json: JsonLayout, version: number, allocate: Allocate = ownMemory): Item {
  const { text, versionAtCharacter, versionAt, labelsAt, labelsLength, apiVersion, bigIntegers } = json;
  const inserted = `${versionPrefix}${version}"`;
  const bytes = allocate(json.bytes + inserted.length);
  const end = writeText(bytes, 0, text.slice(0, versionAtCharacter), versionAt) + bytes.write(inserted, versionAt, 'latin1');
  writeText(bytes, end, text.slice(versionAtCharacter), json.bytes - versionAt);
  return {
    bytes,
    apiVersion,
    versionAt: versionAt + versionPrefix.length,
    labelsAt: labelsLength === 0 ? 0 : labelsAt + inserted.length,
    labelsLength,
    bigIntegers,
  };
}

const ownMemory: Allocate = (bytes) => Buffer.allocUnsafeSlow(bytes);

export function ownCopy(bytes: Buffer): Buffer {
  const own = ownMemory(bytes.length);
  bytes.copy(own);
  return own;
}

function decoded(key: ObjectKey, stored: Buffer): ApiObject {
  if (isReferenceValue(stored)) {
    const reference = decodeReference(stored);
    if (!reference.ok) throw new DamagedValueError(key, reference.message);
    return reference.object;
  }
  const body = stored.subarray(headerBytes + (stored[3] ?? 0), stored.length - checksumBytes);
  const result = decodeBody(mediaTypes[stored[1] ?? 0] ?? '', body);
  if (!result.ok) throw new DamagedValueError(key, result.message);
  return { ...result.object, apiVersion: apiVersionIn(stored) };
}

function itemInJson(stored: Buffer, version: number, allocate: Allocate = ownMemory): Item {
  const { bodyAt, bodyEnd, insertAt, labelsAt, labelsLength } = placesIn(stored);
  const inserted = `${versionPrefix}${version}"`;
  const bytes = allocate(bodyEnd - bodyAt + inserted.length);
  stored.copy(bytes, 0, bodyAt, bodyAt + insertAt);
  bytes.write(inserted, insertAt, 'latin1');
  stored.copy(bytes, insertAt + inserted.length, bodyAt + insertAt, bodyEnd);
  return {
    bytes,
    apiVersion: apiVersionIn(stored),
    versionAt: insertAt + versionPrefix.length,
    bigIntegers: ((stored[2] ?? 0) & flagBigIntegers) !== 0,
    labelsAt: labelsLength === 0 ? 0 : labelsAt + inserted.length,
    labelsLength,
  };
}

function placesIn(stored: Buffer) {
  return {
    bodyAt: headerBytes + (stored[3] ?? 0),
    bodyEnd: stored.length - checksumBytes,
    insertAt: stored.readUInt32LE(4),
    labelsAt: stored.readUInt32LE(8),
    labelsLength: stored.readUInt32LE(12),
  };
}

/** The same item at another version: what a deletion shows of the last state. */
export function itemAtVersion(item: Item, from: number, to: number): Item {
  const before = String(from).length;
  const digits = String(to);
  const bytes = Buffer.concat([item.bytes.subarray(0, item.versionAt), Buffer.from(digits), item.bytes.subarray(item.versionAt + before)]);
  return { ...item, bytes, labelsAt: item.labelsLength === 0 ? 0 : item.labelsAt + digits.length - before };
}

/** Builds the object that an item is the JSON of. */
export function decodeItem(bytes: Buffer, bigIntegers: boolean): ApiObject {
  if (!bigIntegers) return JSON.parse(bytes.toString()) as ApiObject;
  const result = jsonCodec.decode(bytes, { findDuplicates: false, depthMax });
  if (!result.ok) throw new SyntaxError(result.message);
  return result.value as ApiObject;
}

const versionPrefix = ',"resourceVersion":"';

type Header = Pick<JsonLayout, 'apiVersion' | 'versionAt' | 'labelsAt' | 'labelsLength' | 'bigIntegers'>;

function assemble(mediaType: number, header: Header, body: string | Buffer, bytes: number): Buffer {
  const { apiVersion, versionAt, labelsAt, labelsLength, bigIntegers } = header;
  const apiVersionBytes = Buffer.byteLength(apiVersion);
  if (apiVersionBytes > 255) throw new RangeError(`apiVersion of ${apiVersionBytes} bytes is too long to be stored`);
  const bodyAt = headerBytes + apiVersionBytes;
  const checksumAt = bodyAt + bytes;
  const stored = Buffer.allocUnsafe(checksumAt + checksumBytes);
  stored[0] = storedFormat;
  stored[1] = mediaType;
  stored[2] = bigIntegers ? flagBigIntegers : 0;
  stored[3] = apiVersionBytes;
  stored.writeUInt32LE(versionAt, 4);
  stored.writeUInt32LE(labelsAt, 8);
  stored.writeUInt32LE(labelsLength, 12);
  writeText(stored, headerBytes, apiVersion, apiVersionBytes);
  if (typeof body === 'string') writeText(stored, bodyAt, body, bytes);
  else body.copy(stored, bodyAt);
  stored.writeUInt32LE(crc32(stored.subarray(0, checksumAt)), checksumAt);
  return stored;
}

function check(key: ObjectKey, stored: Buffer): void {
  if (stored[0] === unreadableFormat) throw new DamagedValueError(key, stored.toString('utf8', 1));
  if (stored.length < headerBytes + checksumBytes || stored.length < headerBytes + checksumBytes + (stored[3] ?? 0))
    throw new DamagedValueError(key, `it has only ${stored.length} bytes`);
  if (stored[0] !== storedFormat) throw new DamagedValueError(key, `unknown format ${stored[0]}`);
  const checksumAt = stored.length - checksumBytes;
  if (crc32(stored.subarray(0, checksumAt)) !== stored.readUInt32LE(checksumAt))
    throw new DamagedValueError(key, 'its checksum does not match');
  if (stored[1] === 0 || mediaTypes[stored[1] ?? 0] === undefined) throw new DamagedValueError(key, `unknown media type ${stored[1]}`);
  if (stored[1] !== jsonMediaType) return;
  const { bodyAt, bodyEnd, insertAt, labelsAt, labelsLength } = placesIn(stored);
  if (bodyAt + insertAt > bodyEnd || bodyAt + labelsAt + labelsLength > bodyEnd)
    throw new DamagedValueError(key, 'its header points outside the value');
}

/** The few apiVersions there are, so that objects share their strings. Bounded: a cluster with more versions than this pays with memory. */
const apiVersions = new Map<string, string>();
const apiVersionsMax = 4096;

const apiVersionIn = (stored: Buffer): string => shared(stored.toString('latin1', headerBytes, headerBytes + (stored[3] ?? 0)));

function shared(text: string): string {
  const known = apiVersions.get(text);
  if (known !== undefined) return known;
  if (apiVersions.size < apiVersionsMax) apiVersions.set(text, text);
  return text;
}
