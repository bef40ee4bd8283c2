import type { JsonObject, JsonValue } from '../../api/object.js';
import { everything } from '../registry/everything.js';
import { readFailure } from '../registry/failures.js';
import { itemsOf, membersOf } from '../../api/json/members.js';
import type { Storage } from '../storage/contract.js';
import { jsonCodec } from '../../workers/codecs/json.js';
import type { ApiService } from './apiServices.js';
import { failed, local, passed, serviceProblem, type Availability } from './availability.js';
import { hostOf, type ServiceConnections } from './connections.js';
import { aggregatedResources, resourcesInList } from './discovered.js';

const timeoutMs = 5_000;
const answerBytesMax = 4 * 1024 * 1024;
const depthMax = 50;

const services = { group: '', resource: 'services' };
const slicesResource = { group: 'discovery.k8s.io', resource: 'endpointslices' };
const ofService = 'kubernetes.io/service-name';

export interface Check {
  readonly availability: Availability;
  /** Entries of aggregated discovery; null if unavailable. */
  readonly resources: readonly JsonObject[] | null;
}

export interface CheckParts {
  readonly storage: Pick<Storage, 'get' | 'list'>;
  readonly connections: ServiceConnections;
}

/** Checks whether a group version is available. Rejects if this server's storage is unreadable. */
export async function check(service: ApiService, parts: CheckParts): Promise<Check> {
  const { target } = service;
  if (target === null) return { availability: local, resources: null };
  const found = await parts.storage.get({ resource: services, namespace: target.namespace, name: target.name }, { at: 'any' });
  if (found.outcome !== 'found' && found.outcome !== 'absent') throw readFailure(found);
  const slices = await parts.storage.list({
    ...everything,
    resource: slicesResource,
    namespace: target.namespace,
    labels: [{ key: ofService, operator: 'in', values: [target.name] }],
  });
  if (slices.outcome !== 'found') throw readFailure(slices);
  const problem = serviceProblem(
    target,
    found.outcome === 'found' ? found.object.decode() : null,
    slices.items.map((item) => item.decode()),
  );
  return problem === null ? askForResources(service, parts.connections) : { availability: problem, resources: null };
}

/** Resources are shown while the server lists them, available or not, as in the reference. */
async function askForResources(service: ApiService, connections: ServiceConnections): Promise<Check> {
  const path = pathOf(service);
  const url = `https://${hostOf(service)}:${service.target?.port ?? ''}${path}`;
  try {
    // Any encoding of the response will do.
    const { code } = await ask(service, connections, { path, accept: null });
    const availability = code < 200 || code > 299 ? failed(url, `bad status from ${url}: ${code}`) : passed;
    return { availability, resources: await discover(service, connections).catch(() => null) };
  } catch (error) {
    return { availability: failed(url, (error as Error).message), resources: null };
  }
}

/** Reads a version from aggregated discovery, or from its resource list where that is not supported. Rejects when neither is available. */
async function discover(service: ApiService, connections: ServiceConnections): Promise<readonly JsonObject[]> {
  const whole = await ask(service, connections, { path: '/apis', accept: aggregatedTypes.join(',') });
  if (whole.code === 503) throw new Error('the program does not say what it serves');
  if (whole.code === 200 && isAggregated(whole.contentType)) return resourcesInList(decoded(whole.body), service);
  const list = await ask(service, connections, { path: pathOf(service), accept: 'application/json' });
  if (list.code !== 200) throw new Error(`the program answered ${list.code}`);
  return aggregatedResources(itemsOf(membersOf(decoded(list.body))['resources']).map(membersOf), service);
}

const pathOf = ({ group, version }: ApiService): string => `/apis/${group}/${version}`;

const aggregatedTypes = ['v2', 'v2beta1'].map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`);
const isAggregated = (contentType: string): boolean => {
  const parts = contentType.split(';').map((part) => part.trim());
  return aggregatedTypes.some((type) => type.split(';').every((part) => parts.includes(part)));
};

function decoded(body: Buffer): JsonValue {
  const parsed = jsonCodec.decode(body, { findDuplicates: false, depthMax });
  if (!parsed.ok) throw new Error('the program answered with something else than JSON');
  return parsed.value as JsonValue;
}

interface Answered {
  readonly code: number;
  readonly contentType: string;
  readonly body: Buffer;
}

async function ask(
  service: ApiService,
  connections: ServiceConnections,
  { path, accept }: { readonly path: string; readonly accept: string | null },
): Promise<Answered> {
  const { response } = await connections.send(service, {
    method: 'GET',
    path,
    headers: { ...(accept === null ? {} : { accept }), 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' },
    body: null,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { code: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', body: await bodyOf(response) };
}

async function bodyOf(response: AsyncIterable<unknown> & { destroy(): unknown }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax) throw new Error(`the answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
