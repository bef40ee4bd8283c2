export { apiVersionOf, groupResourceOf as qualifiedName } from './meta/resource.js';

export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}
