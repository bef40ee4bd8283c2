import type { ServedResource } from './resources.js';

/** One object of a served resource type. `namespace` is empty for cluster-scoped types. */
export interface Target {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}
