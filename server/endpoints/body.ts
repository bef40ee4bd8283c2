import type { ValuePath } from '../../api/json/valuePath.js';
import { groupVersionOf } from '../../api/meta/resource.js';
import type { EncodingName, Kind, Spelling } from '../../workers/codecs/contract.js';
import type { DecodeObjectResult } from '../../workers/decode.js';
import type { DecodeJob } from '../../workers/job.js';
import type { PoolFailure, Workers } from '../../workers/pool.js';
import { turns } from '../../workers/turns/turns.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { badRequest, invalidObject, StatusError, tooManyRequests, unsupportedBody } from '../../api/status.js';
import { isKnownKind } from '../../api/catalogue/kinds.js';
import { typeOfKind } from '../../api/catalogue/types.js';
import { realWord } from '../../api/catalogue/vocabulary.js';
import { withMetadata, type Received } from '../registry/behaviour.js';
import type { ServedResource } from '../registry/resources.js';
import { timed } from '../../program/tracing/requestLatency.js';
import { outcomeOf, type Stepwise } from '../registry/stepwise.js';
import { endedOf } from '../registry/turns.js';
import type { RequestContext } from './context.js';
import { allEncoders } from './encoders/encoders.js';
import { mediaTypeOf } from './mediaType.js';
import type { FieldValidation } from './options/writeOptions.js';

/** Encodings of bodies. Patches have media types of their own. */
const bodyEncodings: Readonly<Record<string, EncodingName>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
  'application/cbor': 'cbor',
};

export interface DecodedBody {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
  readonly spellings: readonly Spelling[];
}

export interface StoredBody {
  readonly object: ApiObject;
  readonly respelled: readonly ValuePath[];
}

export interface BodyReader {
  /** Throws 400 or 415. `otherVersions` are further accepted API versions. */
  object(context: RequestContext, type: Kind, validation: FieldValidation, otherVersions?: readonly string[]): Promise<ApiObject>;
  /** The same for an object of the resource itself, in stored form. */
  stored(context: RequestContext, resource: ServedResource, validation: FieldValidation): Promise<StoredBody>;
  /** Null without a body. Unknown members are dropped. Throws 400 or 415. */
  options(context: RequestContext, type: Kind): Promise<JsonObject | null>;
  /** Ignores the media type of the body: patches. */
  json(context: RequestContext, findDuplicates: boolean, explain: (message: string) => StatusError): Promise<DecodedBody>;
  /** Ignores the media type of the body: configurations to apply. */
  configuration(
    context: RequestContext,
    encoding: EncodingName,
    findDuplicates: boolean,
    explain: (message: string) => StatusError,
  ): Promise<DecodedBody>;
}

/** JSON by default; null when it cannot be parsed. */
const bodyMediaType = ({ request }: RequestContext): string | null => {
  const header = request.headers['content-type'];
  if (header === undefined || header === '' || header === 'application/json') return 'application/json';
  const mediaType = mediaTypeOf(header);
  return mediaType === null ? null : realWord(mediaType);
};

/** The media type as it is spelled; empty by default. */
export const patchMediaType = ({ request }: RequestContext): string =>
  realWord((request.headers['content-type'] ?? '').split(';')[0] ?? '');

interface Expected {
  readonly type: Kind;
  readonly otherVersions: readonly string[];
  readonly receive: ((object: JsonObject) => Stepwise<Received>) | null;
}

export function createBodyReader(workers: Workers): BodyReader {
  const decode = async (context: RequestContext, job: DecodeJob, explain: (message: string) => StatusError): Promise<DecodedBody> => {
    const result = await workers.decode(job, context);
    if (result.ok) {
      context.audit?.requestBody(result.value);
      return { value: result.value as JsonValue, duplicates: result.duplicates, spellings: result.spellings ?? [] };
    }
    throw 'refused' in result ? refusal(result) : explain(result.message);
  };
  return {
    object: (context, type, validation, otherVersions = []) =>
      reading(context, () => readObject(workers, context, { type, otherVersions, receive: null }, validation)),
    stored: (context, resource, validation) =>
      reading(context, () =>
        readStored(workers, context, { type: resource, otherVersions: [], receive: resource.behaviour.receiveDecoded }, validation),
      ),
    options: (context, type) => reading(context, () => readOptions(workers, context, type)),
    json: (context, findDuplicates, explain) =>
      reading(context, async () =>
        decode(context, { bytes: await context.body(), encoding: 'json', findDuplicates, findSpellings: true }, explain),
      ),
    configuration: (context, encoding, findDuplicates, explain) =>
      reading(context, async () => decode(context, { bytes: await context.body(), encoding, findDuplicates }, explain)),
  };
}

const reading = <T>({ latency }: RequestContext, read: () => Promise<T>): Promise<T> => timed(latency, 'request-body', read);

async function readOptions(workers: Workers, context: RequestContext, type: Kind): Promise<JsonObject | null> {
  const bytes = await context.body();
  if (bytes.length === 0) return null;
  const result = await workers.decodeObject(
    { bytes, encoding: encodingOf(context), kind: type, anyVersion: true, findStrict: false },
    context,
  );
  if (!result.ok) throw 'refused' in result ? refusal(result) : noOptions(result);
  context.audit?.requestBody(result.object);
  return result.object as JsonObject;
}

const readObject = async (...request: Parameters<typeof readStored>): Promise<ApiObject> => (await readStored(...request)).object;

async function readStored(workers: Workers, context: RequestContext, expected: Expected, validation: FieldValidation): Promise<StoredBody> {
  const { type, receive } = expected;
  const result = await decodeExpected(workers, context, expected, validation !== 'Ignore');
  const decoded = result.object as JsonObject;
  const received: Received =
    receive === null
      ? { ok: true, object: withMetadata(decoded) as ApiObject, strict: [] }
      : await turns.run(outcomeOf(receive(decoded)), endedOf({ waiter: context, deadline: context.deadline }));
  if (!received.ok) throw cannotHandle(type, type, received.message);
  const whole =
    result.refusal === undefined ? `strict decoding error: ${received.strict.join(', ')}` : [result.refusal, ...received.strict].join(', ');
  reportFields(context, [...result.strict, ...received.strict], validation, () => cannotHandle(type, type, whole));
  context.audit?.requestBody(received.object);
  return { object: received.object, respelled: result.respelled ?? [] };
}

async function decodeExpected(
  workers: Workers,
  context: RequestContext,
  { type, otherVersions }: Expected,
  findStrict: boolean,
): Promise<Extract<DecodeObjectResult, { ok: true }>> {
  const encoding = encodingOf(context);
  const bytes = await context.body();
  const decode = ({ group, version, kind }: Kind): ReturnType<Workers['decodeObject']> =>
    workers.decodeObject({ bytes, encoding, kind: { group, version, kind }, findStrict }, context);
  const sent = await decode(type);
  const inOtherVersion =
    !sent.ok && 'stage' in sent && sent.stage === 'kind' && sent.kind === type.kind && otherVersions.includes(sent.apiVersion);
  const result = inOtherVersion ? await decode({ ...type, ...groupVersionOf(sent.apiVersion) }) : sent;
  if (result.ok) return result;
  throw 'refused' in result ? refusal(result) : undecodable(result, type, bytes);
}

const noKind = "couldn't get version/kind; json parse error: ";

function noOptions(failure: Extract<DecodeObjectResult, { ok: false }>): StatusError {
  if (failure.stage === 'structure') return badRequest(failure.message);
  if (failure.stage === 'syntax') return badRequest(failure.message.startsWith(noKind) ? failure.message : `${noKind}${failure.message}`);
  const { apiVersion, kind } = failure;
  if (apiVersion.split('/').length > 2) return badRequest(`unexpected GroupVersion string: ${apiVersion}`);
  return badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
  );
}

function undecodable(failure: Extract<DecodeObjectResult, { ok: false }>, type: Kind, bytes: Buffer): StatusError {
  switch (failure.stage) {
    case 'syntax':
      return unrecognized(type, failure.message, bytes);
    case 'kind':
      return typeOfKind(type) === undefined ? wrongUntyped(failure, type) : wrongType(failure.kind, failure.apiVersion, type, bytes);
    case 'structure':
      return cannotHandle(type, type, failure.message);
  }
}

function encodingOf(context: RequestContext): EncodingName {
  const accepted = (context.encoders ?? allEncoders).map(({ mediaType }) => mediaType);
  const mediaType = bodyMediaType(context);
  const encoding = mediaType !== null && accepted.includes(mediaType) ? bodyEncodings[mediaType] : undefined;
  if (encoding === undefined) throw unsupportedBody(accepted);
  return encoding;
}

const refusal = ({ refused: why, message }: PoolFailure): StatusError => {
  if (why === 'overloaded') return tooManyRequests('the server has too many large request bodies to read, please try again later', 1);
  return new StatusError(
    why === 'cancelled' ? 504 : 500,
    why === 'cancelled' ? 'Timeout' : 'InternalError',
    `the request body could not be read: ${message}`,
  );
};

/** Nothing, a warning each, or one refusal that names all. */
function reportFields(context: RequestContext, findings: readonly string[], validation: FieldValidation, refuse: () => StatusError): void {
  if (findings.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refuse();
  context.warnings.push(...findings);
}

const cannotHandle = (found: { readonly kind: string; readonly version: string }, type: Kind, why: string): StatusError =>
  badRequest(`${found.kind} in version ${JSON.stringify(found.version)} cannot be handled as a ${type.kind}: ${why}`);

const unrecognized = (type: Kind, why: string, bytes: Buffer): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${excerpt(bytes)})`);

const excerptBytes = 30;

function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const text = bytes.subarray(0, excerptBytes).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > excerptBytes ? `${text} ...` : text;
}

/** Groups whose kinds moved long ago. */
const formerGroups: ReadonlySet<string> = new Set(['extensions']);

function wrongType(kind: string, apiVersion: string, type: Kind, bytes: Buffer): StatusError {
  if (apiVersion.split('/').length > 2) return unrecognized(type, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  const found = { ...groupVersionOf(apiVersion), kind };
  if (!isKnownKind(found, kind))
    return cannotHandle(
      found,
      type,
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  if (kind === type.kind && (found.group === type.group || formerGroups.has(found.group))) {
    return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(type)})`);
  }
  const internal = type.group === '' ? 'core' : type.group.split('.')[0];
  return cannotHandle(found, type, `converting (${found.version}.${kind}) to (${internal}.${type.kind}): unknown conversion`);
}

/** A custom object of another kind, which its validation refuses: after the version of what it replaces (store.go). */
export class OtherKindError extends StatusError {
  constructor(
    { code, reason, message, details }: StatusError,
    readonly metadata: { readonly name: string; readonly resourceVersion: string },
  ) {
    super(code, reason, message, details);
  }
}

const unnamed = { name: '', resourceVersion: '' };

/** Custom kinds accept any version at first. */
const wrongUntyped = ({ kind, apiVersion, metadata = unnamed }: Extract<DecodeObjectResult, { stage: 'kind' }>, type: Kind): StatusError =>
  apiVersion === apiVersionOf(type)
    ? new OtherKindError(
        invalidObject({ group: type.group, kind }, metadata.name, [
          { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(kind)}: must be ${type.kind}`, field: 'kind' },
        ]),
        metadata,
      )
    : badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(type)})`);
