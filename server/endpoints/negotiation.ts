import { badRequest, formNotAcceptable, notAcceptable } from '../api/status.js';
import type { RequestContext } from './context.js';
import type { Encoder } from './encoders/encoder.js';
import { ENCODERS, type Encoders } from './encoders/encoders.js';

/** How an object is shown: as itself, only its metadata, or as rows of a table. */
export type Form =
  | { readonly form: 'object' }
  | { readonly form: 'partial'; readonly list: boolean; readonly apiVersion: string }
  | { readonly form: 'table'; readonly apiVersion: string; readonly include: TableInclude };

export type TableInclude = 'None' | 'Metadata' | 'Object';

/** What the client gets: which form in which encoding. */
export interface Representation { readonly encoder: Encoder; readonly form: Form }

const AS_ITSELF: Form = { form: 'object' };
const META_GROUP = 'meta.k8s.io';
const META_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
/** The longest Accept header that is looked at; longer ones are no client's doing. */
const ACCEPT_ENTRIES_MAX = 64;

interface Entry { readonly mediaType: string; readonly quality: number; readonly parameters: ReadonlyMap<string, string> }

/** Entries by falling quality; equal ones keep their order. A quality of 0 does not exclude, as in the reference. */
function parseAccept(header: string): Entry[] {
  return header.split(',', ACCEPT_ENTRIES_MAX).map(parseEntry).sort((a, b) => b.quality - a.quality);
}

function parseEntry(text: string): Entry {
  const [mediaType = '', ...rest] = text.split(';').map(part => part.trim());
  const parameters = new Map(rest.map(part => {
    const [name = '', value = ''] = part.split('=', 2);
    return [name.trim(), value.trim().replace(/^"(.*)"$/, '$1')];
  }));
  const quality = Number(parameters.get('q') ?? 1);
  return { mediaType, quality: Number.isFinite(quality) ? quality : 1, parameters };
}

const plainTypes = (encoders: Encoders): string[] => encoders.map(encoder => encoder.mediaType);
const streamTypes = (encoders: Encoders): string[] => encoders.flatMap(({ acceptedStream }) => acceptedStream ?? []);

/**
 * Chooses what to answer with. Throws 406 in two ways: for no media type at all, and for a form of the object that is not served.
 */
export const negotiate = ({ request, query, encoders = ENCODERS }: RequestContext, options: Omit<NegotiationOptions, 'encoders'>): Representation =>
  negotiateAccept(request.headers.accept ?? '', query, { ...options, encoders });

export interface NegotiationOptions {
  /** The path also serves lists and watches, whose media types are then named in the refusal. */
  readonly collection: boolean;
  /** Only an encoding that can stream will do. */
  readonly stream: boolean;
  /** What is served has no other forms than itself. */
  readonly plainOnly?: boolean;
  /** What is spoken here; what every server speaks if not given. */
  readonly encoders?: Encoders;
}

/** The same for the value of an Accept header. */
export function negotiateAccept(header: string, query: URLSearchParams, { collection, stream, plainOnly = false, encoders = ENCODERS }: NegotiationOptions): Representation {
  const [first] = encoders;
  if (header.trim() === '' || header === '*/*' || header === first.mediaType) return { encoder: first, form: AS_ITSELF };
  const entries = parseAccept(header);
  const known = new Set(['*/*', ...plainTypes(encoders), ...(collection ? streamTypes(encoders) : [])]);
  if (!entries.some(({ mediaType }) => known.has(mediaType))) throw notAcceptable([...plainTypes(encoders), ...(collection ? streamTypes(encoders) : [])]);
  const found = firstAcceptable(entries, query, { plainOnly, stream, encoders });
  if (found === null) throw formNotAcceptable(plainTypes(encoders));
  if (stream && found.encoder.streamType === null) throw formNotAcceptable(streamTypes(encoders));
  return found;
}

type Choice = Required<Pick<NegotiationOptions, 'plainOnly' | 'stream' | 'encoders'>>;

function firstAcceptable(entries: readonly Entry[], query: URLSearchParams, { plainOnly, stream, encoders }: Choice): Representation | null {
  for (const { mediaType, parameters } of entries) {
    // Who asks for a stream may name what it will be.
    const encoder = mediaType === '*/*' ? encoders[0] : encoders.find(each => each.mediaType === mediaType || (stream && each.streamType === mediaType));
    const form = encoder === undefined ? null : formOf(parameters, query);
    if (encoder !== undefined && form !== null && !(plainOnly && form.form !== 'object')) return { encoder, form };
  }
  return null;
}

/** The encoding for a refusal, or null for JSON, which every client reads. */
export function errorEncoder(header: string, encoders: Encoders): Encoder | null {
  const [json] = encoders;
  const found = parseAccept(header).map(({ mediaType }) => encoders.find(encoder => encoder.mediaType === mediaType)).find(encoder => encoder !== undefined);
  return found === undefined || found === json ? null : found;
}

const FORMS: Readonly<Record<string, (apiVersion: string, query: URLSearchParams) => Form>> = {
  PartialObjectMetadata: apiVersion => ({ form: 'partial', list: false, apiVersion }),
  PartialObjectMetadataList: apiVersion => ({ form: 'partial', list: true, apiVersion }),
  Table: (apiVersion, query) => ({ form: 'table', apiVersion, include: tableInclude(query) }),
};

/** The form that the parameters `as`, `g` and `v` ask for, or null when it is not served. */
function formOf(parameters: ReadonlyMap<string, string>, query: URLSearchParams): Form | null {
  const as = parameters.get('as') ?? '';
  const group = parameters.get('g') ?? '';
  const version = parameters.get('v') ?? '';
  if (as === '' && group === '' && version === '') return AS_ITSELF;
  if (group !== META_GROUP || !META_VERSIONS.has(version) || !Object.hasOwn(FORMS, as)) return null;
  return FORMS[as]?.(`${group}/${version}`, query) ?? null;
}

function tableInclude(query: URLSearchParams): TableInclude {
  const include = query.get('includeObject') ?? '';
  if (include === '') return 'Metadata';
  if (include === 'None' || include === 'Metadata' || include === 'Object') return include;
  throw badRequest(`Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`);
}
