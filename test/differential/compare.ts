import { aboutStep } from '../golden/scenario.js';
import { differencesOf, isWording, type Difference } from '../golden/differences.js';
import { normalised } from './normalise.js';
import type { AskedStep, Sequence } from './area.js';
import type { Played } from './play.js';

/** A difference between two answers, and to which request. `want` is what the other server says, `got` what ours does. */
export interface Found extends Difference {
  readonly step: number;
  /** The request as it was generated. */
  readonly request: string;
  /** Cases of one rule differ in the same way, in the same place, to the same method. */
  readonly rule: Rule;
}

export interface Rule {
  /** What kind of difference it is; a folder of the report. */
  readonly group: 'status' | 'message' | 'warning' | 'header' | 'body' | 'events';
  readonly key: string;
}

/** Differences of all steps. */
export function compare({ steps }: Sequence, theirs: Played, ours: Played): Found[] {
  return steps.flatMap((step, index) => {
    if (lacksStorage(theirs[index]) || isBehind(step, theirs[index])) return [];
    const all = differencesOf(normalised(theirs[index] ?? null), normalised(ours[index] ?? null));
    const told = telling(all);
    return told.map((difference) => {
      const request = step.quiet === undefined ? aboutStep(step) : `quiet ${step.quiet.join(' ')}`;
      const shown = difference.at === '/status' ? withMessages(difference, theirs[index]?.body, ours[index]?.body) : difference;
      return { ...shown, step: index, request, rule: ruleOf(shown, request) };
    });
  });
}

/** The etcd of the other server is too old for what was asked. */
const lacksStorage = (answer: unknown): boolean => JSON.stringify(answer ?? null).includes('the required storage feature ');

/** The cache of the other server did not reach the state of the moment in time: nobody asked for a version of the future. */
const isBehind = (step: AskedStep, answer: unknown): boolean =>
  step.do?.includes('resourceVersion=') === false && JSON.stringify(answer ?? null).includes('Too large resource version: ');

/** What differs where the answers are of two kinds, or messages list several things: all else follows from it. The first that is there counts; of events, which come at all. */
const decisive = ['/status', '/body/kind', '/body/message'] as const;

function telling(all: readonly Difference[]): readonly Difference[] {
  const first = decisive.map((place) => all.find(({ at }) => at === place)).find((each) => each !== undefined);
  if (first !== undefined) return [first];
  const types = all.filter(({ at }) => /^\/events\/\d+(\/type)?$/.test(at));
  return types.length > 0 ? types : all;
}

/** A status says little without the message that explains it. */
function withMessages({ at, want, got }: Difference, theirs: unknown, ours: unknown): Difference {
  const said = (status: unknown, body: unknown): string => {
    const message = (body as { readonly message?: unknown } | null | undefined)?.message;
    return `${String(status)}${typeof message === 'string' ? ` ${message}` : ''}`;
  };
  return { at, want: said(want, theirs), got: said(got, ours) };
}

/** The rule that a difference is likely of: values and positions are left out. */
export function ruleOf({ at, want, got }: Difference, request: string): Rule {
  const place = at.replace(/\/\d+(?=\/|$)/g, '/*');
  const said = [want, got].map((value) => (typeof value === 'string' ? shapeOf(value) : kindOf(value)));
  return { group: groupOf({ at, want, got }), key: [request.split(' ')[0], place, ...said].join(' | ') };
}

function groupOf(difference: Difference): Rule['group'] {
  const { at } = difference;
  if (at === '/status') return 'status';
  if (at.startsWith('/headers/warning')) return 'warning';
  if (at.startsWith('/headers')) return 'header';
  if (at.startsWith('/events')) return 'events';
  return isWording(difference) ? 'message' : 'body';
}

const kindOf = (value: unknown): string =>
  value === undefined ? 'absent' : value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

/** A text without what is quoted, and without numbers. */
const shapeOf = (text: string): string =>
  text
    .replace(/"(\\.|[^"\\])*"/g, '""')
    .replace(/\[\d+\]/g, '[*]')
    .replace(/\d+/g, (number) => (number.length === 3 && text.startsWith(number) ? number : '#'))
    .slice(0, 200);
