import type * as v1 from '../../../../../api/types/core/v1.js';
import type { Writable } from '../../../language.js';

/** Valid volumes by name. */
export type Volumes = ReadonlyMap<string, Writable<v1.Volume>>;

export interface PodFacts {
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
  readonly graceSeconds: number;
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
  readonly ofTemplate: boolean;
}
