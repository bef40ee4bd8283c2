import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { badRequest, notFound, StatusError } from '../../../api/status.js';
import { schemeNamePort } from '../../kinds/core/pod/connect.js';
import { textAt } from '../../../api/json/members.js';
import { admitConnection } from '../admitting.js';
import { candidates, declaredPort, podIps, portName, type Candidate, type Location } from '../backends/location.js';
import { cleanPath, encodePath, proxiedPath, proxyPrefix, sentQuery } from '../backends/paths.js';
import { isProxyable } from '../backends/proxyable.js';
import { relayRequest, unreachable } from '../backends/relay.js';
import type { Route } from '../routing.js';
import { targetOf, type VerbDeps, type VerbHandler } from '../verbs/deps.js';
import { agentOf, backendsOf } from './agents.js';

interface Wanted {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}
type Place = Omit<Location, 'path' | 'query'>;

const schemeOf = (scheme: string): Location['scheme'] => (scheme === 'https' ? 'https' : 'http');

const proxies: Readonly<Record<string, (route: Route, wanted: Wanted, deps: VerbDeps) => Promise<Place>>> = {
  pods: async (route, { scheme, name, port }, { registry }) => {
    const pod = (await registry.get({ ...targetOf(route), name }, { at: 'mostRecent' })).decode();
    const [ip = ''] = podIps(pod);
    if (!isProxyable(ip)) throw badRequest('address not allowed');
    return { scheme: schemeOf(scheme), host: ip, port: port === '' ? declaredPort(pod) : port, agent: false, addresses: only(ip) };
  },
  services: async (route, { scheme, name, port }, deps) => {
    const { registry, catalogue } = deps;
    const service = (await registry.get({ ...targetOf(route), name }, { at: 'mostRecent' })).decode();
    const named = portName(service, port);
    if (named === null) throw unreachable(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const endpoints = catalogue.resource('', 'v1', 'endpoints');
    if (endpoints === null) throw notFound({ group: '', resource: 'services' }, name);
    const found = await registry.get({ ...targetOf(route), resource: endpoints, name }, { at: 'any' }).catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 404 ? notFound({ group: '', resource: 'services' }, name) : error;
    });
    const chosen = await anyOf(candidates(found.decode(), named), route, deps);
    if (chosen === null) throw unreachable(`no endpoints available for service ${JSON.stringify(name)}`);
    return { scheme: schemeOf(scheme), host: chosen.ip, port: chosen.port, agent: false, addresses: only(chosen.ip) };
  },
  nodes: async (_route, { scheme, name, port }, deps) => {
    const agent = await agentOf(name, deps);
    const addresses = await backendsOf(deps).proxyable(agent.host);
    // Only the agent's own port receives the user's identity.
    return port === '' || port === agent.port
      ? { ...agent, addresses }
      : { scheme: schemeOf(scheme), host: agent.host, port, agent: false, addresses };
  },
};

const only = (ip: string): LookupAddress[] => [{ address: ip, family: isIP(ip) }];

/** The address must belong to the claimed pod: writers of endpoints may not reach everything. */
async function anyOf(list: readonly Candidate[], route: Route, { registry, catalogue }: VerbDeps): Promise<Candidate | null> {
  const pods = catalogue.resource('', 'v1', 'pods');
  const start = Math.floor(Math.random() * list.length);
  for (let each = 0; each < list.length && pods !== null; each++) {
    const candidate = list[(start + each) % list.length];
    if (candidate === undefined || textAt(candidate.target ?? {}, 'kind') !== 'Pod' || !isProxyable(candidate.ip)) continue;
    const name = textAt(candidate.target ?? {}, 'name');
    const pod = await registry.get({ resource: pods, namespace: route.namespace ?? '', name }, { at: 'any' }).catch(() => null);
    if (pod !== null && podIps(pod.decode()).includes(candidate.ip)) return candidate;
  }
  return null;
}

export const proxy: VerbHandler = async (context, route, deps) => {
  const { resource, name } = route;
  const parsed = schemeNamePort(name);
  if (parsed === null) throw badRequest(`invalid ${resource.singular} request ${JSON.stringify(name)}`);
  await admitConnection(context, route, deps);
  const place = await proxies[resource.resource]?.(route, parsed, deps);
  if (place === undefined) throw new Error(`broken invariant: ${resource.resource} have no proxy`);
  const path = encodePath(cleanPath(proxiedPath(context.info)));
  await relayRequest(context, backendsOf(deps), { ...place, path, query: sentQuery(context.request.url ?? '') }, proxyPrefix(context.info));
};
