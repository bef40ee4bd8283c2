export { apiVersionOf, groupResourceOf as qualifiedName } from './meta/resource.js';

/** Names a resource type without its version: what storage keys, authorization rules and error details speak of. */
export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}
