import { realWord } from '../../api/catalogue/vocabulary.js';
import { prettyJsonForm, yamlForm, type DocumentForm, type DocumentForms } from './documentForms.js';
import type { Request } from './message.js';

/** What a client says about the form of the answer. */
interface Asked {
  readonly request: Request;
  readonly query: URLSearchParams;
}

/** The longest Accept header that is looked at; longer ones are no client's doing. */
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

/** Entries by falling quality; equal ones keep their order. A quality of 0 does not exclude, as in the reference, where one that is no number counts as 0. */
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

/** Values that mean yes to the reference; any other means no. */
const yes: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
/** How the programs introduce themselves that people use to look at answers. */
const readers = ['curl', 'Wget', 'Mozilla/5.0'];

/** Whether JSON is laid out: as the query says, otherwise for browsers and the like. */
export function isForPeople({ request, query }: Asked): boolean {
  const asked = query.size === 0 ? '' : (query.get('pretty') ?? '');
  if (asked !== '') return yes.has(asked);
  const agent = request.headers['user-agent'] ?? '';
  return readers.some((reader) => agent.startsWith(reader));
}

/** Parameters that ask for another form of the answer, which a refusal does not have (`DefaultEndpointRestrictions` of k8s.io/apiserver). */
const transforming = ['as', 'g', 'v', 'sv'];

/** Whether an entry takes a refusal in a form: as it is, or as a stream would be that is one. */
function takes({ mediaType, parameters }: AcceptEntry, form: DocumentForm): boolean {
  if (form.mediaType !== realWord(mediaType) || transforming.some((name) => (parameters.get(name) ?? '') !== '')) return false;
  const stream = parameters.get('stream') ?? '';
  return stream === '' || (stream === 'watch' && form.mediaType !== yamlForm.mediaType);
}

/** How a refusal is written: in the first form that the client takes, or in JSON, which comes first and every client reads. */
export function acceptedForm(asked: Asked, forms: DocumentForms): DocumentForm {
  const [json] = forms;
  const found = parseAccept(asked.request.headers.accept ?? '')
    .map((entry) => forms.find((form) => takes(entry, form)))
    .find((form) => form !== undefined);
  return found === undefined || found === json ? (isForPeople(asked) ? prettyJsonForm : json) : found;
}
