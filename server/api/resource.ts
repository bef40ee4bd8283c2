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

/** `v1` for the core group, `group/version` otherwise. */
export const apiVersionOf = ({ group, version }: GroupVersion): string => (group === '' ? version : `${group}/${version}`);

/** `pods`, or `deployments.apps`: how messages name a resource type. */
export const qualifiedName = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`);
