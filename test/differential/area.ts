import type { Step } from '../golden/recordings.js';
import type { Random } from './random.js';

/**
 * Requests for both servers: golden scenarios (`test/golden/recordings/README.md`) without expectations. `${ns}` is the case's namespace, with an account
 * `default`; `${r}` is a random word for cluster-scoped objects, which are deleted afterwards.
 */
export interface Sequence {
  readonly steps: readonly AskedStep[];
}

/** A step of a scenario, or one that needs controllers. */
export interface AskedStep extends Step {
  /** Waits until these lists no longer change, and returns their objects by kind. */
  readonly quiet?: readonly string[];
  /** Acts as a kubelet: brings the namespace's unfinished pods into this state, and removes terminating ones. */
  readonly pods?: PodState;
}

/**
 * `gone`: only removes terminating pods. `refused` ends with exit code 42, `disrupted` with a disruption condition, `mixed` alternates ready and failed,
 * `first...` changes only the first by name.
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

export interface Area {
  readonly name: string;
  /** The subject in one line. */
  readonly about: string;
  /** Requires controllers on both sides. Such areas run only on request, since controllers disturb others. */
  readonly needsControllers?: boolean;
  /** Cluster-scoped objects on both sides during the cases. */
  readonly standing?: readonly AskedStep[];
  /** Whether a reduced sequence still tests what the area is for; default yes. */
  readonly isSound?: (sequence: Sequence) => boolean;
  /** Draws everything from `random`; keeps no state between cases. */
  generate(random: Random): Sequence;
}
