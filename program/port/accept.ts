import { BoundedMap } from '../../api/boundedMap.js';
import { realWord } from '../../api/catalogue/vocabulary.js';
import { prettyJsonForm, yamlForm, type DocumentForm, type DocumentForms } from './documentForms.js';
import type { Request } from './message.js';

interface Asked {
  readonly request: Request;
  readonly query: URLSearchParams;
}

const acceptEntriesMax = 64;

export interface AcceptEntry {
  readonly mediaType: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const parsed = new BoundedMap<string, readonly AcceptEntry[]>(256);
const parsedCharactersMax = 256;

/**
 * Sorts by quality, puts ranges after the types they match, and else keeps the written order. A quality of 0 does not exclude, as in the reference, where
 * invalid numbers count as 0.
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

/** The order is not total: as in the reference, an entry moves forward as long as it precedes its neighbour. */
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

/** The reference's values for true. */
const yes: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const readers = ['curl', 'Wget', 'Mozilla/5.0'];

/** Browsers and similar clients get indented JSON, unless the query decides. */
export function isForPeople({ request, query }: Asked): boolean {
  const asked = query.size === 0 ? '' : (query.get('pretty') ?? '');
  if (asked !== '') return yes.has(asked);
  const agent = request.headers['user-agent'] ?? '';
  return readers.some((reader) => agent.startsWith(reader));
}

/** Parameters of forms that refusals lack (`DefaultEndpointRestrictions` of k8s.io/apiserver). */
const transforming = ['as', 'g', 'v', 'sv'];

function takes({ mediaType, parameters }: AcceptEntry, form: DocumentForm): boolean {
  if (form.mediaType !== realWord(mediaType) || transforming.some((name) => (parameters.get(name) ?? '') !== '')) return false;
  const stream = parameters.get('stream') ?? '';
  return stream === '' || (stream === 'watch' && form.mediaType !== yamlForm.mediaType);
}

/** The first form that the client accepts, or JSON. */
export function acceptedForm(asked: Asked, forms: DocumentForms): DocumentForm {
  const [json] = forms;
  const found = parseAccept(asked.request.headers.accept ?? '')
    .map((entry) => forms.find((form) => takes(entry, form)))
    .find((form) => form !== undefined);
  return found === undefined || found === json ? (isForPeople(asked) ? prettyJsonForm : json) : found;
}
