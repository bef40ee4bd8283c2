import { badRequest, formNotAcceptable, notAcceptable, StatusError } from '../../api/status.js';
import { realWord } from '../../api/catalogue/vocabulary.js';
import type { ServedResource } from '../registry/resources.js';
import { isForPeople, parseAccept, type AcceptEntry } from '../../program/port/accept.js';
import type { RequestContext } from './context.js';
import type { Encoder } from './encoders/encoder.js';
import { allEncoders, type Encoders } from './encoders/encoders.js';
import { prettyJsonEncoder } from './encoders/prettyJson.js';

/** How an object is shown: as itself, only its metadata, or as rows of a table. */
export type Form =
  | { readonly form: 'object' }
  | { readonly form: 'partial'; readonly list: boolean; readonly apiVersion: string }
  | { readonly form: 'table'; readonly apiVersion: string; readonly include: TableInclude };

export type TableInclude = 'None' | 'Metadata' | 'Object';

/** What the client gets: which form in which encoding. */
export interface Representation {
  readonly encoder: Encoder;
  readonly form: Form;
}

const asItselfForm: Form = { form: 'object' };
const metaGroup = 'meta.k8s.io';
const metaVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
const plainTypes = (encoders: Encoders): string[] => encoders.map((encoder) => encoder.mediaType);
const streamTypes = (encoders: Encoders): string[] => encoders.flatMap(({ acceptedStream }) => acceptedStream ?? []);

/**
 * Chooses what to answer with about a resource. Throws 406 in two ways: for no media type at all, and for a form of the object that is not served.
 */
export function negotiate(
  context: RequestContext,
  resource: ServedResource,
  options: Pick<NegotiationOptions, 'collection' | 'stream' | 'tables'>,
): Representation {
  const { request, query, encoders = allEncoders } = context;
  const { accept = '' } = request.headers;
  const pretty = isForPeople(context);
  if (takesAnything(accept, encoders)) return asItself(encoders, pretty && !options.stream);
  return negotiateAccept(accept, query, { ...options, encoders, pretty, messages: resource.behaviour.hasMessages });
}

/** The same before something is written: what the answer could not be shown as is refused while nothing has happened yet. */
export function negotiateWrite(
  context: RequestContext,
  resource: ServedResource,
  { collection = false, tables = true }: { readonly collection?: boolean; readonly tables?: boolean } = {},
): Representation {
  const representation = negotiate(context, resource, { collection, stream: false, tables });
  refuseMetadataOf(representation, resource, collection ? 'list' : 'object');
  return representation;
}

/** Throws 406 where metadata of a list is asked for and the answer is an object, or the other way round. */
export function refuseMetadataOf({ form }: Representation, { group, kind }: ServedResource, answer: 'object' | 'list'): void {
  if (form.form !== 'partial' || form.list === (answer === 'list')) return;
  const name = `${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${kind}`;
  throw formNotServed(
    form.list
      ? `${partial}List, but the requested object is not a list (*${name})`
      : `${partial}, but the requested object is a list (*${name}List)`,
  );
}

/** The kind of an object of which only the metadata is shown. */
export const partial = 'PartialObjectMetadata';

const formNotServed = (what: string): StatusError => new StatusError(406, 'NotAcceptable', `you requested ${what}`);

/** Nothing in particular is asked for, or JSON. */
const takesAnything = (header: string, [first]: Encoders): boolean =>
  header === '' || header === '*/*' || header === first.mediaType || header.trim() === '';

const asItself = ([first]: Encoders, laidOut: boolean): Representation => ({
  encoder: laidOut ? prettyJsonEncoder : first,
  form: asItselfForm,
});

export interface NegotiationOptions {
  /** The path also serves lists and watches, whose media types are then named in the refusal. */
  readonly collection: boolean;
  /** Only an encoding that can stream will do. */
  readonly stream: boolean;
  /** What is served has no other forms than itself. */
  readonly plainOnly?: boolean;
  /** What is served has a table to be shown in. Default: yes. */
  readonly tables?: boolean;
  /** The type of what is served has a message, for encodings that need one. Default: yes. */
  readonly messages?: boolean;
  /** JSON that is no stream is laid out for people. */
  readonly pretty?: boolean;
  /** What is spoken here; what every server speaks if not given. */
  readonly encoders?: Encoders;
}

/** The same for the value of an Accept header. */
export function negotiateAccept(header: string, query: URLSearchParams, options: NegotiationOptions): Representation {
  const { collection, stream, plainOnly = false, tables = true, messages = true, pretty = false, encoders = allEncoders } = options;
  if (takesAnything(header, encoders)) return asItself(encoders, pretty && !stream);
  const entries = parseAccept(header);
  const known = new Set(['*/*', ...plainTypes(encoders), ...(collection ? streamTypes(encoders) : [])]);
  if (!entries.some(({ mediaType }) => known.has(realWord(mediaType))))
    throw notAcceptable([...plainTypes(encoders), ...(collection ? streamTypes(encoders) : [])]);
  const found = firstAcceptable(entries, query, { plainOnly, tables, messages, stream, pretty, encoders });
  if (found === null) throw formNotAcceptable(plainTypes(encoders));
  if (stream && found.encoder.streamType === null) throw formNotAcceptable(streamTypes(encoders));
  return found;
}

type Choice = Required<Omit<NegotiationOptions, 'collection'>>;

function firstAcceptable(entries: readonly AcceptEntry[], query: URLSearchParams, choice: Choice): Representation | null {
  const { stream, pretty, encoders } = choice;
  const [json] = encoders;
  for (const { mediaType, parameters } of entries) {
    // Who asks for a stream may name what it will be.
    const encoder =
      mediaType === '*/*'
        ? json
        : encoders.find((each) => each.mediaType === realWord(mediaType) || (stream && each.streamType === mediaType));
    const form = encoder === undefined ? null : formOf(parameters, query);
    if (encoder === undefined || form === null || !isServed(form, encoder, choice)) continue;
    if (encoder === json && !stream && (pretty || parameters.get('pretty') === '1')) return { encoder: prettyJsonEncoder, form };
    return { encoder: spelled(encoder, mediaType), form };
  }
  return null;
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

/** Encoders under the neutral spelling of their media type. */
const neutral = new Map<Encoder, Encoder>();

/** The encoder with its media type as the client spells it. */
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

/** The form that the parameters `as`, `g` and `v` ask for, or null when it is not served. */
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
