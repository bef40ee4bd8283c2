import type { ApiObject, JsonObject, JsonValue } from '../api/object.js';
import { apiVersionOf, type GroupVersion } from '../api/resource.js';
import { badRequest, StatusError, tooManyRequests, unsupportedBody } from '../api/status.js';
import { isKnownKind } from '../catalogue/kinds.js';
import type { EncodingName, Kind } from '../../workers/codecs/contract.js';
import type { Workers } from '../../workers/pool.js';
import type { RequestContext } from './context.js';
import type { FieldValidation } from './options/writeOptions.js';
import { checkStructure, goType } from './structure.js';

/** Encodings that a body may come in. Patches have media types of their own. */
const BODY_ENCODINGS: Readonly<Record<string, EncodingName>> = { 'application/json': 'json' };
const ACCEPTED = Object.keys(BODY_ENCODINGS);

export interface DecodedBody { readonly value: JsonValue; readonly duplicates: readonly string[]; readonly bytes: Buffer }

export interface BodyReader {
  /** The object in the body, of the kind that the path expects, with kind and apiVersion filled in. Throws 400 or 415. */
  object(context: RequestContext, type: Kind, validation: FieldValidation): Promise<ApiObject>;
  /** A body of another shape, such as options; null when there is none. `explain` words what is wrong with it. */
  raw(context: RequestContext, explain: (message: string, bytes: Buffer) => StatusError): Promise<DecodedBody | null>;
  /** Bytes that are JSON whatever their media type says: patches. */
  json(bytes: Buffer, context: RequestContext, explain: (message: string, bytes: Buffer) => StatusError, findDuplicates: boolean): Promise<DecodedBody>;
  /** Checks an object that came out of a patch; `explain` words what is wrong with it. Unknown members become warnings or refusals. */
  checked(object: JsonObject, type: Kind, explain: (message: string) => StatusError): ApiObject;
}

/** The media type of a request's body without its parameters; JSON when the client says nothing. */
export const bodyMediaType = ({ request }: RequestContext): string => {
  const header = request.headers['content-type'];
  return header === undefined || header === '' ? 'application/json' : (header.split(';')[0] ?? '').trim().toLowerCase();
};

export function createBodyReader(workers: Workers): BodyReader {
  const decode = async (context: RequestContext, bytes: Buffer, encoding: EncodingName, options: { kind?: Kind; findDuplicates: boolean },
    explain: (message: string, bytes: Buffer) => StatusError): Promise<DecodedBody> => {
    const result = await workers.decode({ bytes, encoding, ...options }, context.signal);
    if (result.ok) return { value: result.value as JsonValue, duplicates: result.duplicates, bytes };
    if ('refused' in result) throw refusal(result.refused, result.message);
    throw explain(result.message, bytes);
  };
  const reader: BodyReader = {
    async object(context, type, validation) {
      const encoding = encodingOf(context);
      const bytes = await context.body();
      const body = await decode(context, bytes, encoding, { kind: type, findDuplicates: validation !== 'Ignore' },
        (message, data) => unrecognized(type, `couldn't get version/kind; json parse error: ${message}`, data));
      const object = checkType(body, type);
      const checked = reader.checked(object, type, message => cannotHandle(type, type, message));
      reportFields(context, body.duplicates.map(path => `duplicate field ${JSON.stringify(path)}`), validation, message => cannotHandle(type, type, message));
      return checked;
    },
    async raw(context, explain) {
      const bytes = await context.body();
      if (bytes.length === 0) return null;
      return decode(context, bytes, encodingOf(context), { findDuplicates: false }, explain);
    },
    json: (bytes, context, explain, findDuplicates) => decode(context, bytes, 'json', { findDuplicates }, explain),
    checked(object, type, explain) {
      const result = checkStructure(object, type.kind);
      if (!result.ok) throw explain(result.message);
      return result.object;
    },
  };
  return reader;
}

function encodingOf(context: RequestContext): EncodingName {
  const encoding = BODY_ENCODINGS[bodyMediaType(context)];
  if (encoding === undefined) throw unsupportedBody(ACCEPTED);
  return encoding;
}

const refusal = (why: 'overloaded' | 'cancelled' | 'failed', message: string): StatusError => {
  if (why === 'overloaded') return tooManyRequests('the server has too many large request bodies to read, please try again later', 1);
  return new StatusError(why === 'cancelled' ? 504 : 500, why === 'cancelled' ? 'Timeout' : 'InternalError', `the request body could not be read: ${message}`);
};

/** Unknown and duplicate fields: nothing, a warning each, or one refusal that names all. */
export function reportFields(context: RequestContext, findings: readonly string[], validation: FieldValidation, refuse: (message: string) => StatusError): void {
  if (findings.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refuse(`strict decoding error: ${findings.join(', ')}`);
  context.warnings.push(...findings);
}

const cannotHandle = (found: { readonly kind: string; readonly version: string }, type: Kind, why: string): StatusError =>
  badRequest(`${found.kind} in version ${JSON.stringify(found.version)} cannot be handled as a ${type.kind}: ${why}`);

const unrecognized = (type: Kind, why: string, bytes: Buffer): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${excerpt(bytes)})`);

const EXCERPT_BYTES = 30;

/** The start of a body for messages: as text when it looks like an object, otherwise in hexadecimal. */
function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const text = bytes.subarray(0, EXCERPT_BYTES).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > EXCERPT_BYTES ? `${text} ...` : text;
}

const TYPE_STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What is wrong with the outermost value or with its kind and apiVersion, or null. */
export function typeComplaint(value: JsonValue): string | null {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return `json: cannot unmarshal ${goType(value)} into Go value of type ${TYPE_STRUCT}`;
  for (const member of ['apiVersion', 'kind']) {
    const found = value[member];
    if (found !== undefined && found !== null && typeof found !== 'string') return `json: cannot unmarshal ${goType(found)} into Go struct field .${member} of type string`;
  }
  return null;
}

/** The object, if it is of the kind that the path expects; members for kind and apiVersion may be missing. */
function checkType({ value, bytes }: DecodedBody, type: Kind): JsonObject {
  const complaint = typeComplaint(value);
  if (complaint !== null) throw unrecognized(type, `couldn't get version/kind; json parse error: ${complaint}`, bytes);
  const object = (value ?? {}) as JsonObject;
  const kind = (object['kind'] as string | undefined | null) || type.kind;
  const apiVersion = (object['apiVersion'] as string | undefined | null) || apiVersionOf(type);
  if (apiVersion.split('/').length > 2) throw unrecognized(type, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  if (kind !== type.kind || apiVersion !== apiVersionOf(type)) throw wrongType(kind, apiVersion, type);
  return { ...object, kind, apiVersion };
}

/** Groups whose kinds moved elsewhere long ago; their objects are still understood, but no longer accepted. */
const FORMER_GROUPS: ReadonlySet<string> = new Set(['extensions']);

const parseApiVersion = (apiVersion: string): GroupVersion => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
};

function wrongType(kind: string, apiVersion: string, type: Kind): StatusError {
  const found = { ...parseApiVersion(apiVersion), kind };
  if (!isKnownKind(found, kind)) return cannotHandle(found, type, `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`);
  if (kind === type.kind && (found.group === type.group || FORMER_GROUPS.has(found.group))) {
    return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(type)})`);
  }
  const internal = type.group === '' ? 'core' : type.group.split('.')[0];
  return cannotHandle(found, type, `converting (${found.version}.${kind}) to (${internal}.${type.kind}): unknown conversion`);
}
