import { aboutStep } from '../golden/scenario.js';
import { differencesOf, isWording, type Difference } from '../golden/differences.js';
import { normalised } from './normalise.js';
import type { AskedStep, Sequence } from './area.js';
import type { Played } from './play.js';

/** A difference and its request. `want` is the other server's value, `got` ours. */
export interface Found extends Difference {
  readonly step: number;
  readonly request: string;
  /** Cases of one rule differ alike, in the same place, for the same method. */
  readonly rule: Rule;
}

export interface Rule {
  /** The kind of difference; a folder of the report. */
  readonly group: 'status' | 'message' | 'warning' | 'header' | 'body' | 'events';
  readonly key: string;
}

/** All differences between two results of a sequence. */
export function compare({ steps }: Sequence, theirs: Played, ours: Played): Found[] {
  return steps.flatMap((step, index) => {
    if (lacksStorage(theirs[index]) || isBehind(step, theirs[index])) return [];
    const all = differencesOf(normalised(theirs[index] ?? null), normalised(ours[index] ?? null));
    const reported = telling(all);
    return reported.map((difference) => {
      const request = step.quiet === undefined ? aboutStep(step) : `quiet ${step.quiet.join(' ')}`;
      const shown = difference.at === '/status' ? withMessages(difference, theirs[index]?.body, ours[index]?.body) : difference;
      return { ...shown, step: index, request, rule: ruleOf(shown, request) };
    });
  });
}

/** The other server's etcd lacks a feature. */
const lacksStorage = (answer: unknown): boolean => JSON.stringify(answer ?? null).includes('the required storage feature ');

/** The other server's cache was late: the request names no future version. */
const isBehind = (step: AskedStep, answer: unknown): boolean =>
  step.do?.includes('resourceVersion=') === false && JSON.stringify(answer ?? null).includes('Too large resource version: ');

/** The decisive differences, from which others follow: the first of these places, or else the types of events. */
const decisive = ['/status', '/body/kind', '/body/message'] as const;

function telling(all: readonly Difference[]): readonly Difference[] {
  const first = decisive.map((place) => all.find(({ at }) => at === place)).find((each) => each !== undefined);
  if (first !== undefined) return [first];
  const types = all.filter(({ at }) => /^\/events\/\d+(\/type)?$/.test(at));
  return types.length > 0 ? types : all;
}

/** Adds the message to a differing status. */
function withMessages({ at, want, got }: Difference, theirs: unknown, ours: unknown): Difference {
  const said = (status: unknown, body: unknown): string => {
    const message = (body as { readonly message?: unknown } | null | undefined)?.message;
    return `${String(status)}${typeof message === 'string' ? ` ${message}` : ''}`;
  };
  return { at, want: said(want, theirs), got: said(got, ours) };
}

/** The likely rule of a difference: without values and positions. */
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

/** A text without quoted parts and numbers. */
const shapeOf = (text: string): string =>
  text
    .replace(/"(\\.|[^"\\])*"/g, '""')
    .replace(/\[\d+\]/g, '[*]')
    .replace(/\d+/g, (number) => (number.length === 3 && text.startsWith(number) ? number : '#'))
    .slice(0, 200);
