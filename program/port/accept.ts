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
const parsed = new Map<string, readonly AcceptEntry[]>();
const parsedMax = 256;
const parsedCharactersMax = 256;

/**
 * Returns entries by falling quality; equal ones keep their order. A quality of 0 does not exclude, as in the reference, where an invalid number counts as 0.
 */
export function parseAccept(header: string): readonly AcceptEntry[] {
  const known = parsed.get(header);
  if (known !== undefined) return known;
  const entries = header
    .split(',', acceptEntriesMax)
    .map(parseEntry)
    .sort((a, b) => b.quality - a.quality);
  if (parsed.size >= parsedMax) parsed.clear();
  if (header.length <= parsedCharactersMax) parsed.set(header, entries);
  return entries;
}

function parseEntry(text: string): AcceptEntry {
  const [mediaType = '', ...rest] = text.split(';').map((part) => part.trim());
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
