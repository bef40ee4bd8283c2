import { BoundedMap } from '../../api/boundedMap.js';
import { realWord } from '../../api/catalogue/vocabulary.js';
import { prettyJsonForm, yamlForm, type DocumentForm, type DocumentForms } from './documentForms.js';
import type { Request } from './message.js';

interface Asked {
  readonly request: Request;
  readonly query: URLSearchParams;
}

/** Upper bound of parsed Accept entries; no client sends more. */
const acceptEntriesMax = 64;

export interface AcceptEntry {
  readonly mediaType: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Clients send the same few headers with all their requests. */
const parsed = new BoundedMap<string, readonly AcceptEntry[]>(256);
const parsedCharactersMax = 256;

/**
 * Returns entries in the order in which they are tried: better quality first, ranges after what they may stand for, otherwise as written. A quality of 0 does
 * not exclude, as in the reference, where an invalid number counts as 0.
 */
export function parseAccept(header: string): readonly AcceptEntry[] {
  return header.length <= parsedCharactersMax ? parsed.of(header, parse) : parse(header);
}

function parse(header: string): readonly AcceptEntry[] {
  const entries: AcceptEntry[] = [];
  for (const text of header.split(',', acceptEntriesMax)) {
    const entry = parseEntry(text);
    if (entry !== null) insert(entries, entry);
  }
  return entries;
}

/** The order is not one of a total order: as in the reference, an entry moves to the front as long as it precedes its neighbour. */
function insert(entries: AcceptEntry[], entry: AcceptEntry): void {
  let at = entries.length;
  while (at > 0 && precedes(entry, entries[at - 1] as AcceptEntry)) at--;
  entries.splice(at, 0, entry);
}

function precedes(a: AcceptEntry, b: AcceptEntry): boolean {
  const isRange = ({ mediaType }: AcceptEntry): boolean => mediaType.endsWith('/*');
  const isAnyType = ({ mediaType }: AcceptEntry): boolean => mediaType.startsWith('*/');
  return a.quality > b.quality || (!isAnyType(a) && isAnyType(b)) || (!isRange(a) && isRange(b));
}

/** Null for what is no media type. */
function parseEntry(text: string): AcceptEntry | null {
  const [written = '', ...rest] = text.split(';').map((part) => part.trim());
  const mediaType = written === '*' ? '*/*' : written;
  if (!/^[^/]*\/[^/]+$/.test(mediaType)) return null;
  const parameters = new Map(
    rest.map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name.trim(), value.trim().replace(/^"(.*)"$/, '$1')];
    }),
  );
  const quality = Number(parameters.get('q') ?? 1);
  return { mediaType, quality: Number.isFinite(quality) ? quality : 0, parameters };
}

/** Values that mean true to the reference; any other means false. */
const yes: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
/** User agents of programs with which people read responses. */
const readers = ['curl', 'Wget', 'Mozilla/5.0'];

/** Decides whether JSON is indented: the query decides, otherwise it is for browsers and the like. */
export function isForPeople({ request, query }: Asked): boolean {
  const asked = query.size === 0 ? '' : (query.get('pretty') ?? '');
  if (asked !== '') return yes.has(asked);
  const agent = request.headers['user-agent'] ?? '';
  return readers.some((reader) => agent.startsWith(reader));
}

/** Parameters that request another form of the response, which a refusal does not have (`DefaultEndpointRestrictions` of k8s.io/apiserver). */
const transforming = ['as', 'g', 'v', 'sv'];

/** Returns whether an entry accepts a refusal in a form: plain, or as a stream of it. */
function takes({ mediaType, parameters }: AcceptEntry, form: DocumentForm): boolean {
  if (form.mediaType !== realWord(mediaType) || transforming.some((name) => (parameters.get(name) ?? '') !== '')) return false;
  const stream = parameters.get('stream') ?? '';
  return stream === '' || (stream === 'watch' && form.mediaType !== yamlForm.mediaType);
}

/** Returns the form of a refusal: the first that the client accepts, or JSON, which comes first and every client reads. */
export function acceptedForm(asked: Asked, forms: DocumentForms): DocumentForm {
  const [json] = forms;
  const found = parseAccept(asked.request.headers.accept ?? '')
    .map((entry) => forms.find((form) => takes(entry, form)))
    .find((form) => form !== undefined);
  return found === undefined || found === json ? (isForPeople(asked) ? prettyJsonForm : json) : found;
}
