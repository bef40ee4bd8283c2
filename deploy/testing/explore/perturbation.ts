import { placeText, type Place } from './record.js';

/** One disturbance in a run, at a place that is counted in the operator's requests. */
export type Perturbation =
  | { readonly kind: 'crash'; readonly at: Place; readonly when: 'before' | 'after' }
  | { readonly kind: 'refusal'; readonly at: Place; readonly status: 429 | 500 | 503 }
  | { readonly kind: 'lostAnswer'; readonly at: Place; readonly how: 'timeout' | 'break' }
  /** Somebody else changes the object just before: preconditions meet a real conflict. */
  | { readonly kind: 'foreignWrite'; readonly at: Place };

const guesses: Readonly<Record<Perturbation['kind'], string>> = {
  crash: 'state is lost between two writes',
  refusal: 'an error of the server is not tried again',
  lostAnswer: 'a write without an answer is taken for one that was not done',
  foreignWrite: 'a conflict is not tried again on a new read',
};

export const guessOf = ({ kind }: Perturbation): string => guesses[kind];

export function perturbationText(perturbation: Perturbation): string {
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
  }
}
