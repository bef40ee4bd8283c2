import type { JsonObject, JsonValue } from '../../api/object.js';
import { everything } from '../registry/everything.js';
import { readFailure } from '../registry/failures.js';
import { itemsOf, membersOf } from '../../api/json/members.js';
import type { Storage } from '../storage/contract.js';
import { jsonCodec } from '../../workers/codecs/json.js';
import type { ApiService } from './apiServices.js';
import { failed, local, passed, serviceProblem, type Availability } from './availability.js';
import { hostOf, type ServiceConnections } from './connections.js';

/** How long a program may take to say what it serves. */
const timeoutMs = 5_000;
const answerBytesMax = 4 * 1024 * 1024;
const depthMax = 50;

const services = { group: '', resource: 'services' };
const slicesResource = { group: 'discovery.k8s.io', resource: 'endpointslices' };
const ofService = 'kubernetes.io/service-name';

export interface Check {
  readonly availability: Availability;
  /** Entries of the program's list of resources; null when it could not be asked. */
  readonly resources: readonly JsonObject[] | null;
}

export interface CheckParts {
  readonly storage: Pick<Storage, 'get' | 'list'>;
  readonly connections: ServiceConnections;
}

/** Finds out whether a version of a group can be used now. Rejects when this server's own storage cannot be read. */
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

async function askForResources(service: ApiService, connections: ServiceConnections): Promise<Check> {
  const path = `/apis/${service.group}/${service.version}`;
  const url = `https://${hostOf(service)}:${service.target?.port ?? ''}${path}`;
  try {
    const answer = await connections.send(service, {
      method: 'GET',
      path,
      headers: { accept: 'application/json', 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' },
      body: null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const code = answer.response.statusCode ?? 0;
    const body = await bodyOf(answer.response);
    if (code < 200 || code > 299) return { availability: failed(url, { why: `bad status from ${url}: ${code}` }), resources: null };
    const parsed = jsonCodec.decode(body, { findDuplicates: false, depthMax: depthMax });
    return { availability: passed, resources: parsed.ok ? itemsOf(membersOf(parsed.value as JsonValue)['resources']).map(membersOf) : [] };
  } catch (error) {
    return { availability: failed(url, { why: (error as Error).message }), resources: null };
  }
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
