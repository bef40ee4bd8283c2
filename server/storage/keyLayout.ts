import type { GroupResource } from '../../api/resource.js';

/** No part may begin with another one and a slash. */
export interface KeyLayout {
  partOf(resource: GroupResource): string;
  resourceAt(segments: readonly string[]): { readonly resource: GroupResource; readonly rest: readonly string[] } | null;
}

const coreGroup = 'core';

/** `<group, or "core">/<resource>`. */
export const groupedLayout: KeyLayout = {
  partOf: ({ group, resource }) => `${group === '' ? coreGroup : group}/${resource}`,
  resourceAt([group, resource, ...rest]) {
    return group === undefined || resource === undefined ? null : { resource: { group: group === coreGroup ? '' : group, resource }, rest };
  },
};

/** kube-apiserver's keys are older than its API. */
const oddParts: readonly (readonly [group: string, resource: string, part: string])[] = [
  ['', 'nodes', 'minions'],
  ['', 'replicationcontrollers', 'controllers'],
  ['', 'services', 'services/specs'],
  ['', 'endpoints', 'services/endpoints'],
  ['networking.k8s.io', 'ingresses', 'ingress'],
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'apiextensions.k8s.io/customresourcedefinitions'],
  ['apiregistration.k8s.io', 'apiservices', 'apiregistration.k8s.io/apiservices'],
  // Resources without an API: allocated node ports, and running servers.
  ['', 'servicenodeportallocations', 'ranges'],
  ['', 'apiServerIPInfo', 'masterleases'],
];

/** Returns whether only the key has an object's name: the reference's internal objects. */
export const isNameless = ({ group, resource }: GroupResource): boolean =>
  group === '' && (resource === 'servicenodeportallocations' || resource === 'apiServerIPInfo');

/** Returns a built-in resource's part if it differs from the name, or null. */
export const oddPartOf = ({ group, resource }: GroupResource): string | null =>
  oddParts.find((odd) => odd[0] === group && odd[1] === resource)?.[2] ?? null;

/** Built-in objects are under the resource's name, others under group and resource. A segment with a dot is a group. */
export function referenceLayout(builtIn: Iterable<GroupResource>): KeyLayout {
  const parts = new Map<string, string>();
  const resources = new Map<string, GroupResource>();
  const add = ({ group, resource }: GroupResource, part: string): void => {
    parts.set(`${group}/${resource}`, part);
    resources.set(part, { group, resource });
  };
  for (const each of builtIn) add(each, each.resource);
  for (const [group, resource, part] of oddParts) {
    // The plain name belongs to another resource, or to none.
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
