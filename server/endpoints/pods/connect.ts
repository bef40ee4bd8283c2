import { isIP } from 'node:net';
import type { ApiObject } from '../../api/object.js';
import { badRequest, invalidObject, notFound, StatusError } from '../../api/status.js';
import { chosenContainer, schemeNamePort, validateLogWish } from '../../registry/core/pod/connect.js';
import { textAt } from '../../registry/members.js';
import { toCause } from '../../registry/validation/field.js';
import { admitConnection } from '../admitting.js';
import type { Backends } from '../backends/connection.js';
import { AGENT_REQUESTS, agentPath, agentPort, candidates, declaredPort, isLocalAddress, nodeAddress, podIps, portName, proxiedPath, type Candidate, type Location } from '../backends/location.js';
import { noBackends, relayLog, relayRequest, relayStream, unreachable } from '../backends/relay.js';
import type { RequestContext } from '../context.js';
import { booleanParameter, integerParameter } from '../options/values.js';
import type { Route } from '../routing.js';
import { targetOf, type VerbDeps, type VerbHandler } from '../verbs/deps.js';

/** Requests that the agent of a node or a program in the cluster answers: logs, processes, streams, proxies. */

const NO_CONTENT = 204;

/** GET of `pods/NAME/log`. A pod without a node has written nothing. */
export const podLog: VerbHandler = async (context, route, deps) => {
  const { query } = context;
  const wish = {
    tailLines: integerParameter(query, 'tailLines'), limitBytes: integerParameter(query, 'limitBytes'),
    sinceSeconds: integerParameter(query, 'sinceSeconds'), sinceTime: query.get('sinceTime'),
  };
  const findings = validateLogWish(wish);
  if (findings.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, route.name, findings.map(toCause));
  const pod = await podOf(route, deps);
  const container = chosenContainer(pod, query.get('container') ?? '');
  if (textAt(pod, 'spec', 'nodeName') !== '') {
    const location = await atAgent(context, pod, container, route, deps);
    return relayLog(context, backendsOf(deps), location, { name: route.name, trusting: booleanParameter(query, 'insecureSkipTLSVerifyBackend') ?? false });
  }
  context.response.writeHead(NO_CONTENT);
  context.response.end();
};

/** `pods/NAME/exec` and `attach`, about one container; `portforward`, about the pod as a whole. */
export const podStream: VerbHandler = async (context, route, deps) => {
  await admitConnection(context, route, deps);
  const pod = await podOf(route, deps);
  const container = AGENT_REQUESTS[route.subresource?.name ?? '']?.ofContainer === true ? chosenContainer(pod, context.query.get('container') ?? '') : null;
  if (textAt(pod, 'spec', 'nodeName') === '') throw badRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
  await relayStream(context, backendsOf(deps), await atAgent(context, pod, container, route, deps));
};

async function podOf(route: Route, { registry }: VerbDeps): Promise<ApiObject> {
  return (await registry.get(targetOf(route), { at: 'mostRecent' })).decode();
}

function backendsOf({ backends }: VerbDeps): Backends {
  if (backends === null) throw noBackends();
  return backends;
}

async function atAgent({ query }: RequestContext, pod: ApiObject, container: string | null, { subresource }: Route, deps: VerbDeps): Promise<Location> {
  const asked = AGENT_REQUESTS[subresource?.name ?? ''];
  if (asked === undefined) throw new Error(`broken invariant: no agent answers ${subresource?.name ?? ''}`);
  const agent = await agentOf(textAt(pod, 'spec', 'nodeName'), deps);
  return { ...agent, path: agentPath(asked.path, pod, container), query: asked.query(query) };
}

/** Where the agent of a node listens. A node that is not there is what the client should hear of. Throws 404, or 503 when the node has told no address. */
async function agentOf(name: string, deps: VerbDeps): Promise<Omit<Location, 'path' | 'query'>> {
  const { registry, catalogue } = deps;
  const nodes = catalogue.resource('', 'v1', 'nodes');
  if (nodes === null) throw notFound({ group: '', resource: 'nodes' }, name);
  const node = (await registry.get({ resource: nodes, namespace: '', name }, { at: 'any' })).decode();
  const host = nodeAddress(node, backendsOf(deps).preferredAddresses);
  if (host === null) throw unreachable(`node ${JSON.stringify(name)} has no address of the preferred types`);
  return { scheme: 'https', host, port: agentPort(node), agent: true };
}

interface Wanted { readonly scheme: string; readonly name: string; readonly port: string }
type Place = Omit<Location, 'path' | 'query'>;

const schemeOf = (scheme: string): Location['scheme'] => (scheme === 'https' ? 'https' : 'http');

/** What the proxy path of a resource leads to. Throws what stands in the way. */
const PROXIES: Readonly<Record<string, (route: Route, wanted: Wanted, deps: VerbDeps) => Promise<Place>>> = {
  pods: async (route, { scheme, name, port }, { registry }) => {
    const pod = (await registry.get({ ...targetOf(route), name }, { at: 'mostRecent' })).decode();
    const [ip = ''] = podIps(pod);
    if (isIP(ip) === 0 || isLocalAddress(ip)) throw badRequest('address not allowed');
    return { scheme: schemeOf(scheme), host: ip, port: port === '' ? declaredPort(pod) : port, agent: false };
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
    return { scheme: schemeOf(scheme), host: chosen.ip, port: chosen.port, agent: false };
  },
  nodes: async (_route, { scheme, name, port }, deps) => {
    const agent = await agentOf(name, deps);
    if (port === '' || port === agent.port) return agent;
    if (agent.host === 'localhost' || isLocalAddress(agent.host)) throw badRequest('address not allowed');
    return { scheme: schemeOf(scheme), host: agent.host, port, agent: false };
  },
};

/** One of the addresses, at random, that is really the pod's whom it claims to be: endpoints may be written by people who may not reach everything. */
async function anyOf(list: readonly Candidate[], route: Route, { registry, catalogue }: VerbDeps): Promise<Candidate | null> {
  const pods = catalogue.resource('', 'v1', 'pods');
  const start = Math.floor(Math.random() * list.length);
  for (let each = 0; each < list.length && pods !== null; each++) {
    const candidate = list[(start + each) % list.length];
    if (candidate === undefined || textAt(candidate.target ?? {}, 'kind') !== 'Pod' || isLocalAddress(candidate.ip)) continue;
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
  const place = await PROXIES[resource.resource]?.(route, parsed, deps);
  if (place === undefined) throw new Error(`broken invariant: ${resource.resource} have no proxy`);
  const [sent = '', query = ''] = splitOnce(context.request.url ?? '', '?');
  const path = proxiedPath(sent);
  await relayRequest(context, backendsOf(deps), { ...place, path, query }, sent.slice(0, sent.length - path.length));
};

const splitOnce = (text: string, at: string): readonly string[] => {
  const position = text.indexOf(at);
  return position < 0 ? [text] : [text.slice(0, position), text.slice(position + 1)];
};
