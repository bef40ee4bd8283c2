import { notFound } from '../../../api/status.js';
import type { Backends } from '../backends/connection.js';
import { agentPort, nodeAddress, type Location } from '../backends/location.js';
import { noBackends, unreachable } from '../backends/relay.js';
import type { VerbDeps } from '../verbs/deps.js';

export function backendsOf({ backends }: Pick<VerbDeps, 'backends'>): Backends {
  if (backends === null) throw noBackends();
  return backends;
}

/** Throws 404 for a missing node, 503 without an address. */
export async function agentOf(name: string, deps: VerbDeps): Promise<Omit<Location, 'path' | 'query'>> {
  const { registry, catalogue } = deps;
  const nodes = catalogue.resource('', 'v1', 'nodes');
  if (nodes === null) throw notFound({ group: '', resource: 'nodes' }, name);
  const node = (await registry.get({ resource: nodes, namespace: '', name }, { at: 'any' })).decode();
  const host = nodeAddress(node, backendsOf(deps).preferredAddresses);
  if (host === null) throw unreachable(`node ${JSON.stringify(name)} has no address of the preferred types`);
  return { scheme: 'https', host, port: agentPort(node), agent: true, addresses: null };
}
