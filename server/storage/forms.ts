import { BoundedMap } from '../../api/boundedMap.js';
import { depthMax, type DecodeResult } from '../../workers/codecs/contract.js';
import { encodeWith, preparing } from '../../workers/codecs/protobuf/prepared.js';
import { kindOf, protobufDecode, protobufEncode } from '../../workers/codecs/protobuf/index.js';
import type { JsonMembers } from '../../workers/codecs/value.js';
import { yamlCodec } from '../../workers/codecs/yaml.js';
import type { Steps } from '../../api/steps.js';
import { copyMembers } from '../../api/json/copyMembers.js';
import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { typeOfKind, type KindName } from '../../api/catalogue/types.js';
import type { ObjectKey } from './contract.js';
import { holdsObjects } from './heldObjects.js';

/** Forms of stored objects besides JSON (`encoding.ts`). */
export type OtherMediaType = 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export interface StoredForm {
  readonly mediaType: OtherMediaType;
  /** Null for other types than built-in ones. */
  readonly kind: (resource: GroupResource) => string | null;
}

interface FormCodec {
  encode(object: ApiObject, kind: string): Buffer | null;
  decode(body: Buffer): DecodeResult;
}

/** Null for kinds without a form of their own. */
const kinds = new BoundedMap<string, Map<string, KindName | null>>(4096);

function storedKind(apiVersion: string, name: string): KindName | null {
  const ofVersion = kinds.of(apiVersion, () => new Map<string, KindName | null>());
  let known = ofVersion.get(name);
  if (known === undefined) {
    const kind = kindOf(apiVersion, name);
    const type = typeOfKind(kind);
    known = type === undefined || holdsObjects(type) ? null : kind;
    ofVersion.set(name, known);
  }
  return known;
}

const codecs: Readonly<Record<OtherMediaType, FormCodec>> = {
  'application/vnd.kubernetes.protobuf': {
    encode(object, kind) {
      const known = storedKind(object.apiVersion ?? '', kind);
      if (known === null) return null;
      const result = protobufEncode(object, known);
      return result.ok ? result.bytes : null;
    },
    decode: (body) => protobufDecode(body),
  },
  'application/yaml': {
    encode: (object) => yamlCodec.encode(object),
    decode: (body) => yamlCodec.decode(body, { findDuplicates: false, depthMax: depthMax }),
  },
};

export const isOtherMediaType = (mediaType: string): mediaType is OtherMediaType => Object.hasOwn(codecs, mediaType);

/** Returns null if the type lacks this form and is stored in JSON. */
export function encodeBody({ mediaType, kind }: StoredForm, key: ObjectKey, object: ApiObject): Buffer | null {
  const name = kind(key.resource);
  if (name === null) return null;
  if (object.metadata.resourceVersion === undefined) return codecs[mediaType].encode(object, name);
  const bare = copyMembers<Partial<ApiObject>>({}, object, nothing) as ApiObject;
  bare.metadata = copyMembers<ApiObject['metadata']>({}, object.metadata, versionAlone);
  return codecs[mediaType].encode(bare, name);
}

export function* encodeBodySteps(form: StoredForm, key: ObjectKey, object: ApiObject): Steps<Buffer | null> {
  if (form.mediaType !== 'application/vnd.kubernetes.protobuf' || form.kind(key.resource) === null) return encodeBody(form, key, object);
  const prepared = yield* preparing(object as JsonMembers);
  return encodeWith(prepared, () => encodeBody(form, key, object));
}

const nothing: ReadonlySet<string> = new Set();
const versionAlone: ReadonlySet<string> = new Set(['resourceVersion']);

/** Decodes a body of `encodeBody`, with or without its kind. */
export function decodeBody(
  mediaType: string,
  body: Buffer,
): { readonly ok: true; readonly object: ApiObject } | { readonly ok: false; readonly message: string } {
  if (!isOtherMediaType(mediaType)) return { ok: false, message: `unknown media type ${JSON.stringify(mediaType)}` };
  const result = codecs[mediaType].decode(body);
  if (!result.ok) return result;
  const object = result.value as ApiObject;
  return typeof object === 'object' && object !== null && typeof object.metadata === 'object'
    ? { ok: true, object }
    : { ok: false, message: 'it holds no object with metadata' };
}
