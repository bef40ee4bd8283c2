import type { ApiObject } from '../../../api/object.js';
import { badRequest, forbidden, internalError, invalidObject } from '../../../api/status.js';
import { attributesOf } from '../../authorization/authorizer.js';
import { chosenContainer, validateLogQuery } from '../../kinds/core/pod/connect.js';
import { textAt } from '../../../api/json/members.js';
import { toCause } from '../../registry/validation/field.js';
import { admitConnection } from '../admitting.js';
import { BackendError } from '../backends/answer.js';
import { agentRequests, agentPath, type Location } from '../backends/location.js';
import { relayLog, relayStream } from '../backends/relay.js';
import type { RequestContext } from '../context.js';
import { booleanParameter, integerParameter } from '../options/values.js';
import type { Route } from '../routing.js';
import { targetOf, type VerbDeps, type VerbHandler } from '../verbs/deps.js';
import { webSocketUpgrade } from '../webSockets.js';
import { logOf } from './logMessages.js';
import { agentOf, backendsOf } from './agents.js';

const noContent = 204;

/** The log of a pod without a node is empty. */
export const podLog: VerbHandler = async (context, route, deps) => {
  const { query } = context;
  const log = {
    tailLines: integerParameter(query, 'tailLines'),
    limitBytes: integerParameter(query, 'limitBytes'),
    sinceSeconds: integerParameter(query, 'sinceSeconds'),
    sinceTime: query.get('sinceTime'),
    stream: query.get('stream'),
  };
  const findings = validateLogQuery(log, deps.splitsLogs);
  if (findings.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, route.name, findings.map(toCause));
  const pod = await podOf(route, deps);
  const container = chosenContainer(pod, query.get('container') ?? '');
  if (textAt(pod, 'spec', 'nodeName') !== '') {
    const location = await atAgent(context, route, { pod, container }, deps);
    const trusting = booleanParameter(query, 'insecureSkipTLSVerifyBackend') ?? false;
    deps.counts.log(trusting);
    try {
      return await relayLog(context, backendsOf(deps), location, { name: route.name, trusting, to: logOf(context) });
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof BackendError && cause.untrusted) deps.counts.untrustedLog();
      throw error;
    }
  }
  context.response.writeHead(noContent);
  context.response.end();
};

/** `pods/NAME/exec` and `attach` for one container; `portforward` for the whole pod. */
export const podStream: VerbHandler = async (context, route, deps) => {
  await admitConnection(context, route, deps);
  if (deps.streamsNeedCreate) await demandCreate(context, route, deps);
  const pod = await podOf(route, deps);
  const container =
    agentRequests[route.subresource?.name ?? '']?.ofContainer === true ? chosenContainer(pod, context.query.get('container') ?? '') : null;
  if (textAt(pod, 'spec', 'nodeName') === '') throw badRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`);
  if (webSocketUpgrade(context) !== null) deps.counts.webSocket(route.subresource?.name ?? '');
  await relayStream(context, backendsOf(deps), await atAgent(context, route, { pod, container }, deps));
};

/** A WebSocket stream begins with a GET, but needs the right to POST, as in the reference since 1.35. */
async function demandCreate({ user, info, request }: RequestContext, { resource, name }: Route, { authorize }: VerbDeps): Promise<void> {
  if (info.verb === 'create') return;
  const { decision, reason, error } = await authorize({ ...attributesOf(user, info, request.method ?? ''), verb: 'create' });
  if (decision === 'allow') return;
  throw error === undefined ? forbidden(resource, name, reason) : internalError(error);
}

async function podOf(route: Route, { registry }: VerbDeps): Promise<ApiObject> {
  return (await registry.get(targetOf(route), { at: 'mostRecent' })).decode();
}

interface Subject {
  readonly pod: ApiObject;
  readonly container: string | null;
}

async function atAgent({ query }: RequestContext, { subresource }: Route, { pod, container }: Subject, deps: VerbDeps): Promise<Location> {
  const asked = agentRequests[subresource?.name ?? ''];
  if (asked === undefined) throw new Error(`broken invariant: no agent answers ${subresource?.name ?? ''}`);
  const agent = await agentOf(textAt(pod, 'spec', 'nodeName'), deps);
  return { ...agent, path: agentPath(asked.path, pod, container), query: asked.query(query) };
}
