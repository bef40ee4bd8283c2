import type { GroupResource } from '../../api/resource.js';

export interface EtcdOverride {
  readonly resource: GroupResource;
  readonly servers: readonly string[];
}

const written = /^([a-z0-9.-]*)\/([a-z0-9-]+)#((?:https?|unixs?):\/\/[^\s;]+(?:;(?:https?|unixs?):\/\/[^\s;]+)*)$/;

/** Parses `group/resource#url;url`; the core group is empty. Null for another form. */
export function readEtcdOverride(text: string): EtcdOverride | null {
  const [, group, resource, servers] = written.exec(text) ?? [];
  return group === undefined || resource === undefined || servers === undefined
    ? null
    : { resource: { group, resource }, servers: servers.split(';') };
}

export const etcdOverride = (text: string): string | null =>
  readEtcdOverride(text) === null ? 'group/resource#url;url, such as /events#https://10.0.0.1:2379' : null;

/** One transaction needs one store: services, and their claimed addresses. */
const together = ['/services', 'networking.k8s.io/ipaddresses'] as const;

export function conflictingOverrides(overrides: readonly EtcdOverride[]): string | null {
  const places = new Map(overrides.map(({ resource: { group, resource }, servers }) => [`${group}/${resource}`, servers.join(';')]));
  if (places.size < overrides.length) return '--etcd-servers-overrides names a resource twice';
  const [services, addresses] = together.map((name) => places.get(name));
  return services === addresses
    ? null
    : `--etcd-servers-overrides must name the same servers for ${together.join(' and ')}: they are written together`;
}
