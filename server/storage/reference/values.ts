import { depthMax } from '../../../workers/codecs/contract.js';
import { cborCodec, selfDescribed } from '../../../workers/codecs/cbor.js';
import { goLine } from '../../../workers/codecs/goJson.js';
import { jsonCodec } from '../../../workers/codecs/json.js';
import { writeJson, writeSortedJson } from '../../../workers/codecs/jsonWriter.js';
import { isEnveloped } from '../../../workers/codecs/protobuf/envelope.js';
import { hasProtobuf, kindOf, protobufMediaType, protobufDecode, protobufEncode } from '../../../workers/codecs/protobuf/index.js';
import { yamlCodec } from '../../../workers/codecs/yaml.js';
import { metadataMembers } from '../../../api/meta/metadataMembers.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';
import type { ObjectKey } from '../contract.js';
import { isNameless } from '../keyLayout.js';
import { nameHeldObjects } from '../heldObjects.js';
import { inOrder, isDefinition, keptVersion, servedVersion, toKept, toServed } from './definitions.js';

/**
 * Values in kube-apiserver's etcd form, so that either server can continue the other's data:
 *
 *     built-in kinds      `k8s\0` and the Protobuf envelope, unless `--storage-media-type` says otherwise
 *     definitions, API services      JSON with members in the order of their types, whatever the option says
 *     custom objects      JSON with sorted members, or CBOR with its tag
 *
 * None of them has a resource version, which is the modification revision of its key.
 */
export interface ReferenceForm {
  readonly mediaType: string;
  /** Stores custom objects in CBOR: gate `CBORServingAndStorage`. */
  readonly cbor?: boolean;
  readonly kindOf: (resource: GroupResource) => ReferenceKind | null;
}

export interface ReferenceKind {
  readonly kind: string;
  readonly builtIn: boolean;
  /** Converts to kube-apiserver's stored version, without changing the argument. */
  readonly written?: ((object: ApiObject) => ApiObject) | null;
}

const openingBrace = 0x7b;
const jsonOnly: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);
const yamlMediaType = 'application/yaml';

/** The built-in store's values begin differently. */
export const isReferenceValue = (value: Uint8Array): boolean =>
  value[0] === openingBrace || isEnveloped(value) || isCbor(value) || isYaml(value);

const isCbor = (value: Uint8Array): boolean => selfDescribed.equals(value.subarray(0, selfDescribed.length));

/** The built-in store's values do not begin with a letter. */
const isYaml = (value: Uint8Array): boolean =>
  (value[0] ?? 0) < 0x80 && /^(apiVersion|kind|metadata|spec|data): ?/.test(Buffer.from(value.subarray(0, 16)).toString('latin1'));

/** Empty if the value names none. */
export function referenceApiVersion(value: Buffer): string {
  const named = isEnveloped(value) ? envelopedVersion(value) : textVersion(value);
  return named === keptVersion ? servedVersion : named;
}

/** Field 1 of field 1 is the API version, always shorter than 128 bytes. */
function envelopedVersion(value: Buffer): string {
  const [metaTag, , versionTag, length = 0] = value.subarray(4);
  return metaTag === 0x0a && versionTag === 0x0a && length < 0x80 ? value.toString('utf8', 8, 8 + length) : '';
}

function textVersion(value: Buffer): string {
  const head = isCbor(value) ? '' : value.toString('utf8', 0, 512);
  const found = /^\{(?:"kind":"[^"\\]*",)?"apiVersion":"([^"\\]*)"/.exec(head) ?? /^(?:kind: .*\n)?apiVersion: "?([^"\n]*)"?\n/.exec(head);
  if (found?.[1] !== undefined) return found[1];
  const decoded = decodeText(value);
  return decoded.ok ? String(membersOf(decoded.value)['apiVersion'] ?? '') : '';
}

type Decoded = { readonly ok: true; readonly object: ApiObject } | { readonly ok: false; readonly message: string };

export function decodeReference(value: Buffer): Decoded {
  const result = isEnveloped(value) ? protobufDecode(value) : decodeText(value);
  if (!result.ok) return { ok: false, message: result.message };
  const object = result.value as ApiObject | null;
  if (typeof object !== 'object' || object === null || typeof object.metadata !== 'object')
    return { ok: false, message: 'it holds no object with metadata' };
  if (object.apiVersion === keptVersion) return { ok: true, object: toServed(object) };
  nameHeldObjects(object);
  return { ok: true, object };
}

const decodeText = (value: Buffer): ReturnType<typeof jsonCodec.decode> =>
  (value[0] === openingBrace ? jsonCodec : isCbor(value) ? cborCodec : yamlCodec).decode(value, {
    findDuplicates: false,
    depthMax: depthMax,
  });

const membersOf = (value: unknown): JsonObject => (typeof value === 'object' && value !== null ? (value as JsonObject) : {});

export function encodeReference(form: ReferenceForm, { resource }: ObjectKey, object: ApiObject): Buffer {
  const known = form.kindOf(resource);
  const { resourceVersion: _version, ...withName } = object.metadata;
  const { name: _name, ...withoutName } = withName;
  const metadata = isNameless(resource) ? withoutName : withName;
  const { kind: _kind, apiVersion = '', metadata: _metadata, ...content } = object;
  const named = { ...(known === null ? {} : { kind: known.kind }), apiVersion, metadata, ...content } as ApiObject;
  if (known?.builtIn !== true) return form.cbor === true ? cborCodec.encode(named) : Buffer.from(goLine(writeSortedJson(named)));
  if (jsonOnly.has(resource.group)) return inJson(isDefinition(resource) ? toKept(named) : named);
  return encodeBuiltIn(form, known.written?.(named) ?? named, known.kind);
}

function encodeBuiltIn(form: ReferenceForm, object: ApiObject, kindName: string): Buffer {
  if (form.mediaType === protobufMediaType) {
    const kind = kindOf(object.apiVersion ?? '', kindName);
    const result = hasProtobuf(kind) ? protobufEncode(object, kind) : null;
    if (result?.ok === true) return result.bytes;
  }
  return form.mediaType === yamlMediaType ? yamlCodec.encode(object) : inJson(object);
}

/** A stored value has its version from the store. */
const metadataOrder = metadataMembers.filter((member) => member !== 'resourceVersion');

const inJson = (object: ApiObject): Buffer =>
  Buffer.from(goLine(writeJson({ ...object, metadata: inOrder(object.metadata as unknown as Record<string, unknown>, metadataOrder) })));
