import { crc32 } from 'node:zlib';
import type { ApiObject } from '../../api/object.js';
import type { ObjectKey } from './contract.js';
import { jsonCodec } from '../../workers/codecs/json.js';
import type { Steps } from '../../api/steps.js';
import { inJson, inJsonSteps, writeText, type JsonLayout } from './jsonLayout.js';
import { decodeBody, encodeBody, encodeBodySteps, type StoredForm } from './forms.js';
import { decodeReference, encodeReference, isReferenceValue, referenceApiVersion, type ReferenceForm } from './reference/values.js';
import { isEncrypted } from './encryption/transformer.js';
import { errorText } from '../../api/errorText.js';

/**
 * The form of a stored value:
 *
 *     byte  0        format, 0xA1: neither JSON text nor the reference's Protobuf envelope starts with it
 *     byte  1        media type of the body (`mediaTypes`)
 *     byte  2        flags: bit 0, the body has integers beyond 2^53
 *     byte  3        length of apiVersion
 *     bytes 4..7     position of the resource version in the body (all numbers little-endian; 0 unless the body is JSON, as are the next two)
 *     bytes 8..11    position of the labels' object in the body
 *     bytes 12..15   its length; 0 when there are no labels
 *     apiVersion     of the stored form, UTF-8: later conversions must know which version was written
 *     body           for JSON: the object without kind, apiVersion and resource version; for others see `forms.ts`
 *     last 4 bytes   CRC-32 of everything before
 *
 * The first byte distinguishes values in kube-apiserver's form: see `reference/values.ts`.
 *
 * The resource version is known only after the write; for JSON `itemOf` inserts it without parsing. Media types may be mixed.
 */
const storedFormat = 0xa1;

/** Marks a value that could not be decrypted; never stored. */
const unreadableFormat = 0xa0;
export const unreadableValue = (why: string): Buffer => Buffer.concat([Buffer.of(unreadableFormat), Buffer.from(why)]);

/** Indexed by byte 1. Numbers are never reused. */
const mediaTypes = ['', 'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
const jsonMediaType = mediaTypes.indexOf('application/json');
const headerBytes = 16;
const checksumBytes = 4;
const flagBigIntegers = 1;

const depthMax = 10_000;

/** An object's bytes as in lists, with positions of parts that are read without parsing the rest. */
export interface Item {
  readonly bytes: Buffer;
  readonly apiVersion: string;
  readonly versionAt: number;
  readonly labelsAt: number;
  readonly labelsLength: number;
  readonly bigIntegers: boolean;
}

/** A stored value that is damaged, or of a newer program. */
export class DamagedValueError extends Error {
  version = 0;
  /** Either decryption or the decoding after it failed. */
  readonly step: 'transform' | 'decode';

  constructor(
    readonly key: ObjectKey,
    /** Contains nothing of the value. */
    readonly why: string,
    options: ErrorOptions & { readonly step?: DamagedValueError['step'] } = {},
  ) {
    super(
      `stored value of ${key.resource.resource} ${key.namespace === '' ? '' : `${key.namespace}/`}${key.name} cannot be read: ${why}`,
      options,
    );
    this.name = 'DamagedValueError';
    this.step = options.step ?? 'decode';
  }
}

/** Most unreadable objects that a list names, as in the reference. */
export const damagedListedMax = 100;

/** A list with unreadable objects, which fails as a whole. */
export class DamagedListError extends Error {
  /** `damaged` is not empty; objects beyond `damagedListedMax` are only known to exist. */
  constructor(readonly damaged: readonly DamagedValueError[]) {
    super(damaged[0]?.message);
    this.name = 'DamagedListError';
  }
}

/** Falls back on JSON. As in the reference's output, metadata begins with the identity, then the resource version. */
export const encodeStored = (key: ObjectKey, object: ApiObject, form: StoredForm | ReferenceForm | null = null): Buffer =>
  encodeWrite(key, object, form).value;

/** The object's JSON, if different, which the writer need not read back. */
export interface EncodedWrite {
  readonly value: Buffer;
  readonly json: JsonLayout | null;
}

export function encodeWrite(key: ObjectKey, object: ApiObject, form: StoredForm | ReferenceForm | null): EncodedWrite {
  if (form !== null && 'kindOf' in form) return { value: encodeReference(form, key, object), json: inJson(object, key.name) };
  const body = form === null ? null : encodeBody(form, key, object);
  return writeOf(form, body, inJson(object, key.name));
}

/** Encoding other forms than JSON is one step. */
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

const elsewhere = { versionAt: 0, labelsAt: 0, labelsLength: 0, bigIntegers: false };

/** Copies the bytes, so `value` may be a view. Throws DamagedValueError. */
export function itemOf(key: ObjectKey, value: Uint8Array, version: number, complete: Complete | null = null): Item {
  const source = sourceOf(key, value, version);
  return 'bytes' in source ? source : readItem(key, source, version, { complete });
}

/** A stored value that was only verified by checksum. */
export interface UnreadValue {
  readonly stored: Buffer;
  readonly apiVersion: string;
}

/** Throws DamagedValueError for defects visible from outside. */
export function unreadIn(key: ObjectKey, value: Uint8Array): UnreadValue {
  const stored = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isReferenceValue(stored)) return { stored, apiVersion: shared(referenceApiVersion(stored)) };
  check(key, stored);
  return { stored, apiVersion: apiVersionIn(stored) };
}

export const ownValue = ({ stored, apiVersion }: UnreadValue): UnreadValue => ({ stored: ownCopy(stored), apiVersion });

/** The value's memory is not kept. Throws DamagedValueError. */
export function sourceOf(key: ObjectKey, value: Uint8Array, version: number): Item | UnreadValue {
  const unread = unreadIn(key, value);
  return isOwnJson(unread.stored) ? itemInJson(unread.stored, version) : ownValue(unread);
}

const isOwnJson = (stored: Buffer): boolean => stored[0] === storedFormat && stored[1] === jsonMediaType;

/** Updates an older stored object, which it may change. */
export type Complete = (object: ApiObject) => ApiObject;

export interface Completion {
  readonly apiVersion: string;
  readonly convert: Complete;
  /** Converts, and adds whatever came since. */
  readonly complete: Complete;
}

export const readVersion = ({ stored, apiVersion }: UnreadValue, completion: Completion | null): string =>
  completion !== null && isReferenceValue(stored) ? completion.apiVersion : apiVersion;

/** Small buffers usually share a slab, which one long-lived buffer would retain. */
export type Allocate = (bytes: number) => Buffer;

interface Reading {
  readonly complete?: Complete | null;
  readonly allocate?: Allocate;
}

/** Completes kube-apiserver's form, like that program on every read. Throws DamagedValueError. */
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
    throw new DamagedValueError(key, `it cannot be completed: ${errorText(cause)}`, { cause });
  }
}

/** Converts another form to JSON once, after which it is like any other. */
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

export function itemAtVersion(item: Item, from: number, to: number): Item {
  const before = String(from).length;
  const digits = String(to);
  const bytes = Buffer.concat([item.bytes.subarray(0, item.versionAt), Buffer.from(digits), item.bytes.subarray(item.versionAt + before)]);
  return { ...item, bytes, labelsAt: item.labelsLength === 0 ? 0 : item.labelsAt + digits.length - before };
}

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

const foreignFormat = (stored: Buffer): string =>
  isEncrypted(stored) ? 'it is encrypted; give the --encryption-provider-config with which it was written' : `unknown format ${stored[0]}`;

function check(key: ObjectKey, stored: Buffer): void {
  if (stored[0] === unreadableFormat) throw new DamagedValueError(key, stored.toString('utf8', 1), { step: 'transform' });
  if (stored.length < headerBytes + checksumBytes || stored.length < headerBytes + checksumBytes + (stored[3] ?? 0))
    throw new DamagedValueError(key, `it has only ${stored.length} bytes`);
  if (stored[0] !== storedFormat) throw new DamagedValueError(key, foreignFormat(stored));
  const checksumAt = stored.length - checksumBytes;
  if (crc32(stored.subarray(0, checksumAt)) !== stored.readUInt32LE(checksumAt))
    throw new DamagedValueError(key, 'its checksum does not match');
  if (stored[1] === 0 || mediaTypes[stored[1] ?? 0] === undefined) throw new DamagedValueError(key, `unknown media type ${stored[1]}`);
  if (stored[1] !== jsonMediaType) return;
  const { bodyAt, bodyEnd, insertAt, labelsAt, labelsLength } = placesIn(stored);
  if (bodyAt + insertAt > bodyEnd || bodyAt + labelsAt + labelsLength > bodyEnd)
    throw new DamagedValueError(key, 'its header points outside the value');
}

/** Interns the few apiVersions. */
const apiVersions = new Map<string, string>();
const apiVersionsMax = 4096;

const apiVersionIn = (stored: Buffer): string => shared(stored.toString('latin1', headerBytes, headerBytes + (stored[3] ?? 0)));

function shared(text: string): string {
  const known = apiVersions.get(text);
  if (known !== undefined) return known;
  if (apiVersions.size < apiVersionsMax) apiVersions.set(text, text);
  return text;
}
