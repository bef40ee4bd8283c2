import { badRequest, formNotAcceptable, notAcceptable, StatusError } from '../../api/status.js';
import { realWord } from '../../api/catalogue/vocabulary.js';
import type { ServedResource } from '../registry/resources.js';
import { isForPeople, parseAccept, type AcceptEntry } from '../../program/port/accept.js';
import type { RequestContext } from './context.js';
import type { Encoder } from './encoders/encoder.js';
import { allEncoders, type Encoders } from './encoders/encoders.js';
import { prettyJsonEncoder } from './encoders/prettyJson.js';

export type Form =
  | { readonly form: 'object' }
  | { readonly form: 'partial'; readonly list: boolean; readonly apiVersion: string }
  | { readonly form: 'table'; readonly apiVersion: string; readonly include: TableInclude };

export type TableInclude = 'None' | 'Metadata' | 'Object';

export interface Representation {
  readonly encoder: Encoder;
  readonly form: Form;
}

const asItselfForm: Form = { form: 'object' };
const metaGroup = 'meta.k8s.io';
const metaVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
const plainTypes = (encoders: Encoders): string[] => encoders.map((encoder) => encoder.mediaType);
const streamTypes = (encoders: Encoders): string[] => encoders.flatMap(({ acceptedStream }) => acceptedStream ?? []);

/** Throws 406 in two ways: for an unknown media type, and for a form that is not served. */
export function negotiate(
  context: RequestContext,
  resource: ServedResource,
  options: Pick<NegotiationOptions, 'collection' | 'stream' | 'tables'>,
): Representation {
  const { request, query, encoders = allEncoders } = context;
  const { accept = '' } = request.headers;
  const pretty = isForPeople(context);
  if (takesAnything(accept, encoders)) return asItself(encoders, pretty && !options.stream);
  const isBuiltIn = resource.behaviour.hasMessages;
  // The reference's routes of custom resources ignore Accept here.
  return negotiateAccept(accept, query, { ...options, encoders, pretty, messages: isBuiltIn, unrouted: !isBuiltIn });
}

/** Refuses an unavailable representation before the write. */
export function negotiateWrite(
  context: RequestContext,
  resource: ServedResource,
  { list = false, tables = true }: { readonly list?: boolean; readonly tables?: boolean } = {},
): Representation {
  const representation = negotiate(context, resource, { collection: false, stream: false, tables });
  refuseMetadataOf(representation, resource, list ? 'list' : 'object');
  return representation;
}

/**
 * A Status is the same in every form (`doTransformObject` in endpoints/handlers/response.go), so only deletions that return the object are refused beforehand.
 */
export function negotiateDeletion(context: RequestContext, resource: ServedResource): Representation {
  const answersObject = resource.behaviour.strategy.delete.answers === 'object';
  return answersObject ? negotiateWrite(context, resource) : negotiate(context, resource, { collection: false, stream: false });
}

/** Throws 406 for list metadata of an object, or the reverse. */
export function refuseMetadataOf({ form }: Representation, { group, kind }: ServedResource, answer: 'object' | 'list'): void {
  if (form.form !== 'partial' || form.list === (answer === 'list')) return;
  const name = `${packages[group] ?? group.split('.')[0] ?? ''}.${kind}`;
  throw formNotServed(
    form.list
      ? `${partial}List, but the requested object is not a list (*${name})`
      : `${partial}, but the requested object is a list (*${name}List)`,
  );
}

/** Groups whose Go package is not named after their first part. */
const packages: Readonly<Record<string, string>> = {
  '': 'core',
  'events.k8s.io': 'core',
  'internal.apiserver.k8s.io': 'apiserverinternal',
};

export const partial = 'PartialObjectMetadata';

const formNotServed = (what: string): StatusError => new StatusError(406, 'NotAcceptable', `you requested ${what}`);

/** The client accepts anything, or JSON. */
const takesAnything = (header: string, [first]: Encoders): boolean =>
  header === '' || header === '*/*' || header === first.mediaType || header.trim() === '';

const asItself = ([first]: Encoders, laidOut: boolean): Representation => ({
  encoder: laidOut ? prettyJsonEncoder : first,
  form: asItselfForm,
});

export interface NegotiationOptions {
  /** The method also serves watches, so the refusal names their media types. */
  readonly collection: boolean;
  /** Ranges such as `application/*` count, and one refusal covers all. */
  readonly unrouted?: boolean;
  /** Only a streaming encoding is acceptable. */
  readonly stream: boolean;
  /** The resource has no other forms. */
  readonly plainOnly?: boolean;
  /** The resource has a table. Default true. */
  readonly tables?: boolean;
  readonly messages?: boolean;
  /** JSON that is not a stream is indented. */
  readonly pretty?: boolean;
  /** Defaults to those of every server. */
  readonly encoders?: Encoders;
}

export function negotiateAccept(header: string, query: URLSearchParams, options: NegotiationOptions): Representation {
  const { collection, stream, plainOnly = false, tables = true, messages = true, pretty = false, encoders = allEncoders } = options;
  const { unrouted = false } = options;
  if (takesAnything(header, encoders)) return asItself(encoders, pretty && !stream);
  const entries = parseAccept(header);
  const known = new Set(['*/*', ...plainTypes(encoders), ...(collection ? streamTypes(encoders) : [])]);
  if (!unrouted && !entries.some(({ mediaType }) => known.has(realWord(mediaType))))
    throw notAcceptable([...plainTypes(encoders), ...(collection ? streamTypes(encoders) : [])]);
  const found = firstAcceptable(entries, query, { plainOnly, tables, messages, stream, pretty, encoders });
  if (found === null) throw formNotAcceptable(plainTypes(encoders));
  if (stream && found.encoder.streamType === null) throw formNotAcceptable(streamTypes(encoders));
  return found;
}

type Choice = Required<Omit<NegotiationOptions, 'collection' | 'unrouted'>>;

function firstAcceptable(entries: readonly AcceptEntry[], query: URLSearchParams, choice: Choice): Representation | null {
  const { stream, pretty, encoders } = choice;
  const [json] = encoders;
  for (const { mediaType, parameters } of entries) {
    // A client that requests a stream may name its type.
    const encoder = anyJson.has(mediaType)
      ? json
      : encoders.find((each) => each.mediaType === realWord(mediaType) || (stream && each.streamType === mediaType));
    const form = encoder === undefined ? null : formOf(parameters, query);
    if (encoder === undefined || form === null || !isServed(form, encoder, choice) || !allows(encoder, parameters)) continue;
    if (encoder === json && !stream && (pretty || parameters.get('pretty') === '1')) return { encoder: prettyJsonEncoder, form };
    return { encoder: spelled(encoder, mediaType), form };
  }
  return null;
}

/** Ranges of media types that JSON is the first of. */
const anyJson: ReadonlySet<string> = new Set(['*/*', 'application/*']);

/** An entry that names a stream counts for anything watchable. */
function allows({ streamType }: Encoder, parameters: ReadonlyMap<string, string>): boolean {
  const stream = parameters.get('stream') ?? '';
  const version = parameters.get('sv') ?? '';
  return (stream === '' || (stream === 'watch' && streamType !== null)) && (version === '' || version === 'v1');
}

function isServed({ form }: Form, encoder: Encoder, { plainOnly, tables, messages }: Choice): boolean {
  switch (form) {
    case 'object':
      return messages || !encoder.needsMessage;
    case 'partial':
      return !plainOnly;
    case 'table':
      return !plainOnly && tables && !encoder.needsMessage;
  }
}

const neutral = new Map<Encoder, Encoder>();

function spelled(encoder: Encoder, mediaType: string): Encoder {
  if (realWord(mediaType) === mediaType) return encoder;
  const known = neutral.get(encoder);
  if (known !== undefined) return known;
  const made = { ...encoder, mediaType, streamType: encoder.streamType?.replace(encoder.mediaType, mediaType) ?? null };
  neutral.set(encoder, made);
  return made;
}

const forms: Readonly<Record<string, (apiVersion: string, query: URLSearchParams) => Form>> = {
  PartialObjectMetadata: (apiVersion) => ({ form: 'partial', list: false, apiVersion }),
  PartialObjectMetadataList: (apiVersion) => ({ form: 'partial', list: true, apiVersion }),
  Table: (apiVersion, query) => ({ form: 'table', apiVersion, include: tableInclude(query) }),
};

function formOf(parameters: ReadonlyMap<string, string>, query: URLSearchParams): Form | null {
  const as = parameters.get('as') ?? '';
  const group = parameters.get('g') ?? '';
  const version = parameters.get('v') ?? '';
  if (as === '' && group === '' && version === '') return asItselfForm;
  if (group !== metaGroup || !metaVersions.has(version) || !Object.hasOwn(forms, as)) return null;
  return forms[as]?.(`${group}/${version}`, query) ?? null;
}

function tableInclude(query: URLSearchParams): TableInclude {
  const include = query.get('includeObject') ?? '';
  if (include === '') return 'Metadata';
  if (include === 'None' || include === 'Metadata' || include === 'Object') return include;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
