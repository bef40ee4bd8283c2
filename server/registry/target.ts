import type { ServedResource } from './resources.js';

/** `namespace` is empty for cluster-scoped types. */
export interface Target {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}
