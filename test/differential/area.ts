import type { Step } from '../golden/recordings.js';
import type { Random } from './random.js';

/**
 * Requests that are sent to both servers one after the other, in the form of golden scenarios (`test/golden/recordings/README.md`) without what is
 * expected. `${ns}` is a namespace of the case, with an account `default`; `${r}` a random word, the same on both sides, for names of cluster-scoped objects. What
 * a step saves, later ones may name. What was created outside of namespaces is deleted afterwards.
 */
export interface Sequence {
  readonly steps: readonly Step[];
}

/** A source of cases. */
export interface Area {
  readonly name: string;
  /** What it asks about, in one line. */
  readonly about: string;
  /** Takes every choice from `random` and keeps nothing between cases. */
  generate(random: Random): Sequence;
}
