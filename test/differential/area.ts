import type { Step } from '../golden/recordings.js';
import type { Random } from './random.js';

/**
 * Requests for both servers, in the form of golden scenarios (`test/golden/recordings/README.md`) without what is expected. `${ns}` is a namespace of the case,
 * with an account `default`; `${r}` is a random word for names of cluster-scoped objects, which are deleted afterwards.
 */
export interface Sequence {
  readonly steps: readonly AskedStep[];
}

/** A step of a scenario, or what only makes sense where controllers run. */
export interface AskedStep extends Step {
  /** Waits until what these lists hold no longer changes, and shows it: the objects of each kind. */
  readonly quiet?: readonly string[];
  /** Does what a kubelet would: brings the pods of the namespace that have not ended into this state, and removes those that are terminating. */
  readonly pods?: PodState;
}

/**
 * `gone`: only the terminating ones are removed. `refused` ends with exit code 42, `disrupted` with the condition of a disruption, `mixed` makes every second one
 * ready and the others fail, `first...` touches the first by name alone.
 */
export type PodState =
  | 'ready'
  | 'unready'
  | 'failed'
  | 'refused'
  | 'disrupted'
  | 'succeeded'
  | 'mixed'
  | 'firstFailed'
  | 'firstRefused'
  | 'firstSucceeded'
  | 'gone';

/** A source of cases. */
export interface Area {
  readonly name: string;
  /** What it asks about, in one line. */
  readonly about: string;
  /** Controllers have to run on both sides. Such areas are only played when they are asked for, since controllers disturb the others. */
  readonly needsControllers?: boolean;
  /** What is there on both sides while cases are played: nothing of it is in a namespace. */
  readonly standing?: readonly AskedStep[];
  /** Whether a smaller sequence still asks what the area means to; without it, any does. */
  readonly isSound?: (sequence: Sequence) => boolean;
  /** Takes every choice from `random` and keeps nothing between cases. */
  generate(random: Random): Sequence;
}
