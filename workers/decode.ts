import { typeOfKind, type ApiType } from '../api/catalogue/types.js';
import { cborCodec } from './codecs/cbor.js';
import { depthMax, type EncodingName, type Kind } from './codecs/contract.js';
import { countMembers, duplicatePaths, parseJson, type JsonDocument } from './codecs/json.js';
import type { MemberOrder } from './codecs/jsonReader.js';
import { writeJson } from './codecs/jsonWriter.js';
import { decodeMessage } from './codecs/protobuf/index.js';
import { openEnvelope } from './codecs/protobuf/envelope.js';
import { isMembers, NumberLiteral, type Json, type JsonMembers } from './codecs/value.js';
import { yamlCodec } from './codecs/yaml.js';
import type { ValuePath } from '../api/json/valuePath.js';
import { checkStructure, type StructureResult } from './schema/structure.js';

export interface DecodeObjectRequest {
  readonly bytes: Uint8Array;
  readonly encoding: EncodingName;
  /** The path's expected kind, and the default of the body's. */
  readonly kind: Kind;
  /** Set for options, which every API version has: the body may name any. */
  readonly anyVersion?: boolean;
  /** Whether to report unknown and duplicate fields; they are dropped either way. */
  readonly findStrict: boolean;
}

export type DecodeObjectResult =
  | {
      readonly ok: true;
      /** Has kind and apiVersion. Built-in types have the stored form; see `checkStructure`. */
      readonly object: JsonMembers;
      /** Unknown and duplicate fields, each as a warning text. */
      readonly strict: readonly string[];
      /** The same as a refusal, `strict decoding error: ...`. Undefined if there are none. */
      readonly refusal: string | undefined;
      readonly respelled?: readonly ValuePath[];
    }
  /** The bytes are unreadable; the message continues `the object provided is unrecognized (must be of type X): `, without the excerpt of the body. */
  | { readonly ok: false; readonly stage: 'syntax'; readonly message: string }
  /** The body names another kind; nothing else was checked. */
  | {
      readonly ok: false;
      readonly stage: 'kind';
      readonly apiVersion: string;
      readonly kind: string;
      /** Names a custom object. */
      readonly metadata?: { readonly name: string; readonly resourceVersion: string };
    }
  /** A value does not fit its field; the message continues `X in version "v1" cannot be handled as a X: `. */
  | { readonly ok: false; readonly stage: 'structure'; readonly message: string };

/** Decodes a request body and checks syntax, kind, structure, unknown and duplicate fields; not the structure of kinds that are not built in. */
export const decodeObject = (request: DecodeObjectRequest): DecodeObjectResult =>
  request.encoding === 'protobuf' ? decodeProtobuf(request) : decoders[request.encoding](request);

const decodeJson = (request: DecodeObjectRequest): DecodeObjectResult => {
  const type = typeOfKind(request.kind);
  // Spelling matters only until the field's type is known, and not in untyped objects.
  const document = parseJson(request.bytes, { depthMax: depthMax, keepLiterals: type !== undefined });
  if (!document.ok) return syntax(`couldn't get version/kind; json parse error: ${document.message}`);
  const typed = typedObject(document.value, request);
  if (!typed.ok) return typed;
  return type === undefined ? untypedJson(request, document, typed.object) : typedJson(request, document, typed.object, type);
};

/** Reads again with the careful reader only if members are missing. */
const typedJson = (
  request: DecodeObjectRequest,
  document: JsonDocument & { ok: true },
  object: JsonMembers,
  type: ApiType,
): DecodeObjectResult => {
  const added = addedMembers(document.value, object);
  const unknownFields = request.findStrict ? 'report' : 'ignore';
  if (document.order !== undefined) return finished(checkStructure(object, type, { unknownFields, order: reordered(document, object) }));
  const result = checkStructure(object, type, { unknownFields });
  if (!result.ok || result.members === document.members + added) return finished(result);
  const careful = parseJson(request.bytes, { depthMax: depthMax, keepLiterals: true, careful: true });
  if (!careful.ok) return syntax(careful.message);
  const typed = typedObject(careful.value, request);
  return typed.ok ? finished(checkStructure(typed.object, type, { unknownFields, order: reordered(careful, typed.object) })) : typed;
};

const untypedJson = (request: DecodeObjectRequest, document: JsonDocument & { ok: true }, object: JsonMembers): DecodeObjectResult => {
  const plain = document.order === undefined ? object : (untypedNumbers(object) as JsonMembers);
  if (!request.findStrict || countMembers(document.value) === document.members)
    return { ok: true, object: plain, strict: [], refusal: undefined };
  const careful = parseJson(request.bytes, { depthMax: depthMax, keepLiterals: false, careful: true });
  const strict = careful.ok
    ? duplicatePaths(careful.value, careful.order)
        .slice(0, duplicatesMax)
        .map((path) => `duplicate field "${path}"`)
    : [];
  return { ok: true, object: plain, strict, refusal: refusalOf(strict) };
};

const duplicatesMax = 100;
const int64Max = 2n ** 63n - 1n;

/** Integers of more than 64 bits become floating point in untyped objects. Changes the value. */
export const untypedNumbers = (value: Json): Json => {
  if (typeof value === 'bigint') return value > int64Max || value < -int64Max - 1n ? Number(value) : value;
  if (Array.isArray(value))
    value.forEach((item, index) => {
      if (typeof item === 'object' || typeof item === 'bigint') value[index] = untypedNumbers(item);
    });
  else if (isMembers(value))
    for (const name of Object.keys(value))
      if (typeof value[name] === 'object' || typeof value[name] === 'bigint') value[name] = untypedNumbers(value[name] as Json);
  return value;
};

const addedMembers = (before: Json, after: JsonMembers): number =>
  before !== after && isMembers(before) ? Object.keys(after).length - Object.keys(before).length : 0;

/** Member order is keyed by object; the outermost was copied to complete its kind. */
const reordered = (document: JsonDocument & { ok: true }, object: JsonMembers): MemberOrder => {
  const order = new Map(document.order ?? []);
  const texts = isMembers(document.value) ? order.get(document.value) : undefined;
  if (texts !== undefined) {
    const known = new Set(texts.flat());
    order.set(object, [...texts, Object.keys(object).filter((name) => !known.has(name))]);
  }
  return order;
};

const decodeYaml = (request: DecodeObjectRequest): DecodeObjectResult => {
  const decoded = yamlCodec.decode(request.bytes, { findDuplicates: request.findStrict, depthMax: depthMax });
  if (!decoded.ok) return syntax(decoded.message);
  return checkDecoded(decoded.value as Json, request, decoded.duplicates.slice(0, duplicatesMax));
};

const decodeCbor = (request: DecodeObjectRequest): DecodeObjectResult => {
  const decoded = cborCodec.decode(request.bytes, { findDuplicates: false, depthMax: depthMax });
  return decoded.ok
    ? checkDecoded(decoded.value as Json, request, [])
    : syntax(`unable to determine group/version/kind: ${decoded.message}`);
};

const decoders: Readonly<Record<Exclude<EncodingName, 'protobuf'>, (request: DecodeObjectRequest) => DecodeObjectResult>> = {
  json: decodeJson,
  yaml: decodeYaml,
  cbor: decodeCbor,
};

const checkDecoded = (value: Json, request: DecodeObjectRequest, duplicates: readonly string[]): DecodeObjectResult => {
  const { kind, findStrict } = request;
  const typed = typedObject(value, request);
  if (!typed.ok) return typed;
  const type = typeOfKind(kind);
  if (type === undefined)
    return {
      ok: true,
      object: untypedNumbers(typed.object) as JsonMembers,
      strict: duplicates,
      refusal: refusalOf([], duplicates),
    };
  return finished(inOrderOfNames(checkStructure(typed.object, type, { unknownFields: findStrict ? 'report' : 'ignore' })), duplicates);
};

/** Compares messages that name paths: names as texts, positions in lists as numbers. */
export function comparePaths(a: string, b: string): number {
  const [first = '', second = ''] = [a, b].map((text) => text.replace(/\[(\d+)\]/g, (_, digits: string) => `[${digits.padStart(9, '0')}]`));
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Other encodings than JSON are read into sorted members. */
const inOrderOfNames = (result: StructureResult): StructureResult =>
  result.ok && result.strict.length > 1 ? { ...result, strict: [...result.strict].sort(comparePaths) } : result;

const decodeProtobuf = (request: DecodeObjectRequest): DecodeObjectResult => {
  const { bytes, kind } = request;
  const opened = openEnvelope(bytes);
  if (!opened.ok) return syntax(opened.message);
  const typed = typedObject({ kind: opened.envelope.kind, apiVersion: opened.envelope.apiVersion }, request);
  if (!typed.ok) return typed;
  const decoded = decodeMessage(opened.envelope.raw, kind);
  // The envelope names the kind, so the failure concerns an object of it.
  if (!decoded.ok) return { ok: false, stage: typeOfKind(kind) === undefined ? 'syntax' : 'structure', message: decoded.message };
  const object = { ...typed.object, ...decoded.value };
  const type = typeOfKind(kind);
  return type === undefined
    ? { ok: true, object, strict: [], refusal: undefined }
    : finished(checkStructure(object, type, { unknownFields: 'ignore' }));
};

/** Repeated keys come first, as one error of the YAML reader. */
const finished = (result: StructureResult, duplicateLines: readonly string[] = []): DecodeObjectResult => {
  if (!result.ok) return { ok: false, stage: 'structure', message: result.message };
  return {
    ok: true,
    object: result.value,
    strict: [...duplicateLines, ...result.strict],
    refusal: refusalOf(result.strict, duplicateLines),
    ...(result.respelled.length === 0 ? {} : { respelled: result.respelled }),
  };
};

const refusalOf = (fields: readonly string[], duplicateLines: readonly string[] = []): string | undefined => {
  const lines = duplicateLines.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicateLines.map((line) => `  ${line}`).join('\n')}`];
  const all = [...lines, ...fields];
  return all.length === 0 ? undefined : `strict decoding error: ${all.join(', ')}`;
};

const syntax = (message: string): DecodeObjectResult => ({ ok: false, stage: 'syntax', message });

const typeStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
type TypedObject = { readonly ok: true; readonly object: JsonMembers } | (DecodeObjectResult & { ok: false });

/** Completes the kind, if it is the expected one. Null is an empty object. */
const typedObject = (
  value: Json,
  { kind: expected, anyVersion = false }: Pick<DecodeObjectRequest, 'kind' | 'anyVersion'>,
): TypedObject => {
  if (value !== null && !isMembers(value)) return mistyped(`${goKind(value)} into Go value of type ${typeStruct}`);
  const given = value ?? {};
  if (typeOfKind(expected) === undefined) {
    if (!given['kind']) return { ok: false, stage: 'syntax', message: `Object 'Kind' is missing in '${writeJson(given)}'` };
    if (!given['apiVersion'] || given['kind'] !== expected.kind)
      return {
        ok: false,
        stage: 'kind',
        apiVersion: (given['apiVersion'] ?? '') as string,
        kind: given['kind'] as string,
        metadata: { name: textIn(given, 'name'), resourceVersion: textIn(given, 'resourceVersion') },
      };
  }
  for (const member of ['apiVersion', 'kind']) {
    const found = given[member];
    if (found !== undefined && found !== null && typeof found !== 'string')
      return mistyped(`${goKind(found)} into Go struct field .${member} of type string`);
  }
  const kind = (given['kind'] as string | null | undefined) || expected.kind;
  const expectedVersion = expected.group === '' ? expected.version : `${expected.group}/${expected.version}`;
  const apiVersion = withoutEmptyGroup((given['apiVersion'] as string | null | undefined) || expectedVersion);
  if (kind !== expected.kind || (apiVersion !== expectedVersion && !(anyVersion && isVersion(apiVersion))))
    return { ok: false, stage: 'kind', apiVersion, kind };
  return { ok: true, object: given['kind'] === kind && given['apiVersion'] === apiVersion ? given : { ...given, kind, apiVersion } };
};

const withoutEmptyGroup = (apiVersion: string): string =>
  apiVersion.startsWith('/') && apiVersion.lastIndexOf('/') === 0 ? apiVersion.slice(1) : apiVersion;

const isVersion = (apiVersion: string): boolean => apiVersion.split('/').length <= 2;

function textIn({ metadata }: JsonMembers, name: string): string {
  const text = isMembers(metadata) ? metadata[name] : '';
  return typeof text === 'string' ? text : '';
}

const mistyped = (what: string): DecodeObjectResult & { ok: false } => ({
  ok: false,
  stage: 'syntax',
  message: `couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`,
});

const goKind = (value: Json): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint' || value instanceof NumberLiteral) return 'number';
  return typeof value;
};
