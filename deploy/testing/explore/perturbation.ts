import { changeText, type Change } from './change.js';
import { placeText, type Place } from './record.js';

/** A start that lags far behind sees one of these. */
const pastViews = { stepBefore: 'before the first write of the step before', restBefore: 'at rest before the step' } as const;
export type PastView = keyof typeof pastViews;
export const everyPastView = Object.keys(pastViews) as PastView[];

/** One disturbance of a run, at a place counted by the operator's requests. */
export type Perturbation =
  | { readonly kind: 'crash'; readonly at: Place; readonly when: 'before' | 'after' }
  | { readonly kind: 'refusal'; readonly at: Place; readonly status: 409 | 429 | 500 | 503 }
  | { readonly kind: 'lostAnswer'; readonly at: Place; readonly how: 'timeout' | 'break' }
  /** Another client changes the object just before, so that preconditions meet a real conflict. */
  | { readonly kind: 'foreignWrite'; readonly at: Place }
  /** A crash after the write; reads that may be stale then return an earlier state, as from a lagging replica, until the operator rests. */
  /** Lists of the resources `of`, or of all, are old. */
  | { readonly kind: 'past'; readonly at: Place; readonly from?: PastView; readonly of?: readonly string[] }
  /** A crash; the old process's write arrives when the new one rests, that of an update one step later. */
  | { readonly kind: 'lateWrite'; readonly at: Place }
  /** Delays events of the resource from this one on until the operator rests: all others are faster. */
  | { readonly kind: 'late'; readonly at: Place }
  /** Hides all events of the resource from this one to the end of the next step; then the watch ends with 410, and a list shows the result. */
  | { readonly kind: 'missed'; readonly at: Place }
  /** Instead of this event the watch ends with 410. */
  | { readonly kind: 'expired'; readonly at: Place };

/** One trial of a run: a disturbance, or a change of an object. */
export type Plan = Perturbation | Change;

const guesses: Readonly<Record<Plan['kind'], string>> = {
  change: 'the state depends on the way to it',
  crash: 'state is lost between two writes',
  refusal: 'an error of the server is not tried again',
  lostAnswer: 'a write without an answer is taken for one that was not done',
  foreignWrite: 'a conflict is not tried again on a new read, or written over',
  past: 'an old view after a restart is taken for the present',
  lateWrite: 'a write without precondition meets a newer object',
  late: 'events of two kinds are expected in an order',
  missed: 'each state is expected to be seen',
  expired: 'a watch that ends is not begun again with a list',
};

export const guessOf = ({ kind }: Plan): string => guesses[kind];

export function planText(plan: Plan): string {
  return plan.kind === 'change' ? changeText(plan) : perturbationText(plan);
}

function perturbationText(perturbation: Perturbation): string {
  const place = placeText(perturbation.at);
  switch (perturbation.kind) {
    case 'crash':
      return perturbation.when === 'before'
        ? `crash before "${place}" is carried out`
        : `crash after "${place}" is carried out, before its answer`;
    case 'refusal':
      return `"${place}" is refused with ${perturbation.status}`;
    case 'lostAnswer':
      return `"${place}" is carried out, and the ${perturbation.how === 'timeout' ? 'answer is 504, a time-out' : 'connection breaks before the answer'}`;
    case 'foreignWrite':
      return `somebody else changes the object just before "${place}"`;
    case 'past':
      return `crash after "${place}"; the new start reads ${pastText(perturbation)}`;
    case 'lateWrite':
      return `crash before "${place}", which arrives after the work of the new start`;
    case 'late':
      return `events are late, from "${place}" on`;
    case 'missed':
      return `states are missed, from "${place}" on`;
    case 'expired':
      return `the watch ends with 410 instead of "${place}"`;
  }
}

const pastText = ({ from, of }: Extract<Perturbation, { readonly kind: 'past' }>): string =>
  `what was ${from === undefined ? 'before it' : pastViews[from]}${of === undefined ? '' : `, but only of ${of.join(', ')}`}`;
