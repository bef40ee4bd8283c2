import type { ApiObject } from '../../api/object.js';
import { badRequest, invalidObject, notFound, StatusError } from '../../api/status.js';
import { isIP } from 'node:net';
import { chosenContainer, schemeNamePort, validateLogWish } from '../../registry/core/pod/connect.js';
import { objectsIn, objectAt } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { toCause } from '../../registry/validation/field.js';
import type { RequestContext } from '../context.js';
import { integerParameter } from '../options/values.js';
import type { Route } from '../routing.js';
import { targetOf, type VerbDeps, type VerbHandler } from '../verbs/deps.js';

/**
 * Requests that a node or a program in the cluster answers: logs, processes, streams, proxies. What can be told without them is told here;
 * connections to nodes are still to come.
 */

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
  chosenContainer(pod, query.get('container') ?? '');
  if (textAt(pod, 'spec', 'nodeName') !== '') await refuseNode(pod, route, deps);
  context.response.writeHead(NO_CONTENT);
  context.response.end();
};

/** `pods/NAME/exec` and `attach`, about one container. */
export const podStream: VerbHandler = async (context, route, deps) => {
  const pod = await podOf(route, deps);
  chosenContainer(pod, context.query.get('container') ?? '');
  await refuseStream(pod, route, deps);
};

/** `pods/NAME/portforward`, about the pod as a whole. */
export const podPorts: VerbHandler = async (_context, route, deps) => refuseStream(await podOf(route, deps), route, deps);

async function podOf(route: Route, { registry }: VerbDeps): Promise<ApiObject> {
  return (await registry.get(targetOf(route), { at: 'mostRecent' })).decode();
}

async function refuseStream(pod: ApiObject, route: Route, deps: VerbDeps): Promise<never> {
  if (textAt(pod, 'spec', 'nodeName') === '') throw badRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
  return refuseNode(pod, route, deps);
}

/** A node that is not there is what the client should hear of first. */
async function refuseNode(pod: ApiObject, route: Route, { registry, catalogue }: VerbDeps): Promise<never> {
  const nodes = catalogue.resource('', 'v1', 'nodes');
  if (nodes !== null) await registry.get({ resource: nodes, namespace: '', name: textAt(pod, 'spec', 'nodeName') }, { at: 'any' });
  throw notConnected(route);
}

const notConnected = ({ subresource }: Route): StatusError => new StatusError(501, 'NotImplemented', `this server does not connect to nodes, so ${subresource?.name ?? ''} is not available`, {});

/** What a proxy path of a resource leads to, as far as that can be told. Throws what stands in the way. */
const PROXIES: Readonly<Record<string, (route: Route, name: string, deps: VerbDeps) => Promise<void>>> = {
  pods: async (route, name, { registry }) => {
    const pod = (await registry.get({ ...targetOf(route), name }, { at: 'mostRecent' })).decode();
    const ip = textAt(objectsIn(objectAt(pod, 'status') ?? {}, 'podIPs')[0] ?? {}, 'ip') || textAt(pod, 'status', 'podIP');
    if (isIP(ip) === 0 || isLocal(ip)) throw badRequest('address not allowed');
  },
  services: async (route, name, { registry, catalogue }) => {
    await registry.get({ ...targetOf(route), name }, { at: 'mostRecent' });
    const endpoints = catalogue.resource('', 'v1', 'endpoints');
    if (endpoints === null) return;
    await registry.get({ ...targetOf(route), resource: endpoints, name }, { at: 'any' }).catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 404 ? notFound({ group: '', resource: 'services' }, name) : error;
    });
  },
  nodes: async (route, name, { registry }) => { await registry.get({ ...targetOf(route), name }, { at: 'mostRecent' }); },
};

/** Addresses of this machine and its neighbours, which nobody outside should reach through the server. */
const isLocal = (ip: string): boolean => /^(127\.|169\.254\.|0\.|22[4-9]\.|23\d\.|::1$|::$|fe80:|ff)/i.test(ip);

export const proxy: VerbHandler = async (_context: RequestContext, route, deps) => {
  const { resource, name } = route;
  const parsed = schemeNamePort(name);
  if (parsed === null) throw badRequest(`invalid ${resource.singular} request ${JSON.stringify(name)}`);
  await PROXIES[resource.resource]?.(route, parsed.name, deps);
  throw notConnected(route);
};
