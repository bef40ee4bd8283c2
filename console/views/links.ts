import { resourceOfKind, type Resource } from '../api/resources.js';
import { hashOf } from '../model/place.js';

export interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Ignored for kinds without namespaces. */
  readonly namespace: string;
}

/** Returns the address of an object; undefined if its kind is not listed. */
export function linkTo({ apiVersion, kind, name, namespace }: Named, resources: readonly Resource[]): string | undefined {
  const resource = resourceOfKind(resources, apiVersion, kind);
  return resource === undefined ? undefined : hashOf({ ...resource, namespace: resource.namespaced ? namespace : '', name });
}
