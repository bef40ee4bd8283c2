import type { GroupResource } from '../../api/resource.js';

/** Which part of a key, between the prefix and the name, stands for a resource. No part may begin with another one and a slash. */
export interface KeyLayout {
  /** Without a slash at either end, such as `core/pods`. */
  partOf(resource: GroupResource): string;
  /** The resource at the beginning of a key without its prefix, and what follows its part; null for a key that is no object's. */
  resourceAt(segments: readonly string[]): { readonly resource: GroupResource; readonly rest: readonly string[] } | null;
}

const coreGroup = 'core';

/** `<group, or "core">/<resource>`: how the built-in store has always kept its objects. */
export const groupedLayout: KeyLayout = {
  partOf: ({ group, resource }) => `${group === '' ? coreGroup : group}/${resource}`,
  resourceAt([group, resource, ...rest]) {
    return group === undefined || resource === undefined ? null : { resource: { group: group === coreGroup ? '' : group, resource }, rest };
  },
};

/** Parts that are not the resource's name, as kube-apiserver has them in etcd. Its keys are older than its API. */
const oddParts: readonly (readonly [group: string, resource: string, part: string])[] = [
  ['', 'nodes', 'minions'],
  ['', 'replicationcontrollers', 'controllers'],
  ['', 'services', 'services/specs'],
  ['', 'endpoints', 'services/endpoints'],
  ['networking.k8s.io', 'ingresses', 'ingress'],
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'apiextensions.k8s.io/customresourcedefinitions'],
  ['apiregistration.k8s.io', 'apiservices', 'apiregistration.k8s.io/apiservices'],
  // No API serves these two: which node ports are taken, and which servers are there.
  ['', 'servicenodeportallocations', 'ranges'],
  ['', 'apiServerIPInfo', 'masterleases'],
];

/** Where an object has no name but that of its key: what the reference keeps beside the objects of its API. */
export const isNameless = ({ group, resource }: GroupResource): boolean =>
  group === '' && (resource === 'servicenodeportallocations' || resource === 'apiServerIPInfo');

/** The part of a built-in resource whose part is not its name; null for all others. */
export const oddPartOf = ({ group, resource }: GroupResource): string | null =>
  oddParts.find((odd) => odd[0] === group && odd[1] === resource)?.[2] ?? null;

/**
 * As kube-apiserver keeps its objects: built-in ones under the name of their resource alone, all others under group and resource. A segment with a dot is
 * a group.
 */
export function referenceLayout(builtIn: Iterable<GroupResource>): KeyLayout {
  const parts = new Map<string, string>();
  const resources = new Map<string, GroupResource>();
  const add = ({ group, resource }: GroupResource, part: string): void => {
    parts.set(`${group}/${resource}`, part);
    resources.set(part, { group, resource });
  };
  for (const each of builtIn) add(each, each.resource);
  for (const [group, resource, part] of oddParts) {
    // What stands there by the plain name is another one's, or nobody's.
    resources.delete(resource);
    add({ group, resource }, part);
  }
  return {
    partOf: ({ group, resource }) => parts.get(`${group}/${resource}`) ?? `${group}/${resource}`,
    resourceAt([first, second, ...rest]) {
      if (first === undefined || second === undefined) return null;
      const short = resources.get(first);
      if (short !== undefined) return { resource: short, rest: [second, ...rest] };
      const long = resources.get(`${first}/${second}`);
      if (long !== undefined) return { resource: long, rest };
      return first.includes('.') ? { resource: { group: first, resource: second }, rest } : null;
    },
  };
}
