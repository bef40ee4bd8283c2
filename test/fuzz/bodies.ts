import { createCatalogue } from '../../server/kinds/index.js';
import type { ServedResource } from '../../server/registry/resources.js';
import { typeOfKind } from '../../api/catalogue/types.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { EncodingName } from '../../workers/codecs/contract.js';
import { runEncode } from '../../workers/job.js';
import type { ApiClient } from '../fixtures/apiClient.js';
import type { Prng } from '../simulation/prng.js';
import { applyPatch, jsonPatch, mergePatch, strategicPatch } from '../attacks/tries.js';
import { randomObject } from '../unit/workers/codecs/randomObjects.js';
import { timeLimitMs, within, type Campaign, type Step } from './campaign.js';
import { mutatedBytes, mutatedValue, oddValue } from './mutations.js';
import { hasValidContent, validObject } from './validObjects.js';

export const fuzzNamespace = 'fuzz';
const names = ['f0', 'f1', 'f2', 'f3'] as const;
const encodings: readonly EncodingName[] = ['json', 'json', 'yaml', 'protobuf', 'cbor'];
const mediaTypes: Readonly<Record<EncodingName, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
};
const patches = [mergePatch, strategicPatch, applyPatch, jsonPatch, 'application/apply-patch+cbor'] as const;
/** They lead to absent nodes. */
const toNodes: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);
const parameters = [
  'fieldValidation=Strict',
  'fieldValidation=Ignore',
  'fieldValidation=x',
  'dryRun=All',
  'dryRun=x',
  'fieldManager=f',
  'fieldManager=%00',
  'force=true',
  'force=x',
  'pretty=true',
  'limit=1',
  'limit=x',
  'continue=x',
  'resourceVersion=0',
  'resourceVersion=1',
  'resourceVersion=x',
  'resourceVersion=99999999999999999999',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=NotOlderThan',
  'sendInitialEvents=true',
  'allowWatchBookmarks=true',
  'labelSelector=a%3Db',
  'labelSelector=a%20in%20(',
  'fieldSelector=metadata.name%3Df0',
  'fieldSelector=x',
  'gracePeriodSeconds=0',
  'gracePeriodSeconds=-1',
  'gracePeriodSeconds=x',
  'propagationPolicy=Foreground',
  'propagationPolicy=x',
  'orphanDependents=true',
  'ignoreStoreReadErrorWithClusterBreakingPotential=true',
  'timeout=1s',
  'timeout=x',
] as const;

const resources: readonly ServedResource[] = createCatalogue().groups.flatMap(({ versions }) =>
  versions.flatMap((version) => version.resources),
);

/** Kinds that change the server itself: requests are dry runs. */
const onlyTried = ({ namespaced, group }: ServedResource): boolean => !namespaced || group === 'rbac.authorization.k8s.io';

interface Drawn {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly raw: Buffer | undefined;
}

function pathOf(prng: Prng, resource: ServedResource, named: boolean): string {
  const base = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const collection = `${base}${resource.namespaced ? `/namespaces/${fuzzNamespace}` : ''}/${resource.resource}`;
  if (!named) return collection;
  const subresources = [...resource.subresources.keys()].filter((name) => !toNodes.has(name));
  return `${collection}/${prng.pick(names)}${subresources.length > 0 && prng.chance(250) ? `/${prng.pick(subresources) ?? ''}` : ''}`;
}

function queryOf(prng: Prng, tried: boolean, extra: string): string {
  const chosen = Array.from({ length: prng.chance(300) ? prng.between(1, 3) : 0 }, () => prng.pick(parameters));
  return [...(tried ? ['dryRun=All'] : []), ...(extra === '' ? [] : [extra]), ...chosen].join('&');
}

/** Valid at first; nine of ten are then changed. */
function valueOf(prng: Prng, { group, version, kind }: ServedResource): unknown {
  const type = typeOfKind({ group, version, kind });
  let value: unknown =
    type !== undefined && !hasValidContent(group, kind) && prng.chance(600)
      ? {
          ...randomObject(type, prng.below(2 ** 31)),
          apiVersion: group === '' ? version : `${group}/${version}`,
          kind,
          metadata: { name: prng.pick(names) },
        }
      : validObject(group, version, kind, prng.pick(names));
  for (let left = prng.below(4); left > 0; left -= 1) value = mutatedValue(prng, value);
  return value;
}

function operations(prng: Prng, value: unknown): unknown {
  const places = [
    '/metadata/labels/app',
    '/metadata/annotations',
    '/spec',
    '/spec/replicas',
    '/data/a',
    '',
    '/',
    '/metadata/finalizers/-',
    '/metadata/ownerReferences/0',
    '/spec/containers/0/image',
    '/spec/template/spec/containers/-',
    '/a~1b',
    '/~2',
    '/metadata/name',
    '/status',
  ] as const;
  const made = Array.from({ length: prng.between(0, 4) }, () => ({
    op: prng.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
    path: prng.pick(places),
    from: prng.pick(places),
    value: prng.chance(300) ? value : oddValue(prng),
  }));
  return prng.chance(150) ? mutatedValue(prng, made) : made;
}

function encoded(prng: Prng, value: unknown, encoding: EncodingName, { group, version, kind }: ServedResource): Buffer {
  const result = runEncode({ value, encoding, kind: { group, version, kind } });
  const bytes = result.ok ? Buffer.from(result.bytes) : Buffer.from(writeJson(value));
  return prng.chance(250) ? mutatedBytes(prng, bytes) : bytes;
}

function patchOf(prng: Prng, resource: ServedResource): Drawn {
  const type = prng.pick(patches);
  const value = valueOf(prng, resource);
  const raw = encoded(prng, type === jsonPatch ? operations(prng, value) : value, type.endsWith('cbor') ? 'cbor' : 'json', resource);
  const query = queryOf(prng, onlyTried(resource), type.includes('apply') && prng.chance(950) ? 'fieldManager=f' : '');
  return { method: 'PATCH', path: `${pathOf(prng, resource, true)}?${query}`, type, raw };
}

function drawn(prng: Prng): Drawn {
  const resource = prng.pick(resources) ?? resources[0]!;
  const tried = onlyTried(resource);
  const encoding = prng.pick(encodings) ?? 'json';
  const type = prng.chance(970) ? mediaTypes[encoding] : prng.pick(['', 'text/plain', 'application/json;stream=watch', '*/*']);
  const kindOfRequest = prng.below(10);
  if (kindOfRequest < 3)
    return {
      method: 'POST',
      path: `${pathOf(prng, resource, prng.chance(150))}?${queryOf(prng, tried, '')}`,
      type,
      raw: encoded(prng, valueOf(prng, resource), encoding, resource),
    };
  if (kindOfRequest < 5)
    return {
      method: 'PUT',
      path: `${pathOf(prng, resource, true)}?${queryOf(prng, tried, '')}`,
      type,
      raw: encoded(prng, valueOf(prng, resource), encoding, resource),
    };
  if (kindOfRequest < 8) return patchOf(prng, resource);
  if (kindOfRequest === 8) {
    const options = mutatedValue(prng, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'x' },
      propagationPolicy: 'Background',
    });
    // A body's options override the query, which may request the dry run.
    const raw = !tried && prng.chance(500) ? Buffer.from(JSON.stringify(options) ?? '') : undefined;
    return {
      method: 'DELETE',
      path: `${pathOf(prng, resource, prng.chance(800))}?${queryOf(prng, tried, '')}`,
      type: mediaTypes.json,
      raw,
    };
  }
  return {
    method: 'GET',
    path: `${pathOf(prng, resource, prng.chance(300))}?${queryOf(prng, false, prng.chance(400) ? 'watch=true&timeoutSeconds=1' : '')}`,
    type,
    raw: undefined,
  };
}

/** Errors without a reason in the reference: watch versions, unknown fields of apply, misfitting values. Unintended failures have the reason InternalError. */
const isMeant = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && (body as { readonly reason?: unknown }).reason === undefined;

/** Creates objects for patches and updates; refused ones are left out. */
export async function prepareObjects(client: ApiClient): Promise<void> {
  for (const resource of resources) {
    const { group, version, kind, namespaced } = resource;
    if (!namespaced || !resource.verbs.has('update') || !hasValidContent(group, kind)) continue;
    const collection = `${group === '' ? '/api' : `/apis/${group}`}/${version}/namespaces/${fuzzNamespace}/${resource.resource}`;
    for (const name of names.slice(0, 2)) await client.request('POST', collection, { body: validObject(group, version, kind, name) });
  }
}

/** Valid and invalid objects of every kind in five encodings, with every verb. */
export function bodiesCampaign(client: ApiClient): Campaign {
  return {
    name: 'bodies',
    async step(prng: Prng): Promise<Step> {
      const { method, path, type, raw } = drawn(prng);
      const did = `${method} ${path} ${type} ${raw === undefined ? '' : /json|yaml/.test(type) ? raw.toString() : `hex ${raw.toString('hex')}`}`;
      const answer = await within(
        client
          .request(method, path, { type, timeoutMs: 2 * timeLimitMs, ...(raw === undefined ? {} : { raw }) })
          .catch((error: unknown) => String(error)),
      );
      if (answer === 'late') return { did, outcome: 'late', wrong: 'no answer came' };
      if (typeof answer === 'string') return { did, outcome: 'broken', wrong: answer };
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      const faulty = answer.status === 500 && !isMeant(answer.body);
      return {
        did,
        outcome: String(answer.status),
        wrong: faulty || answer.status > 505 ? `answered ${answer.status}: ${text.slice(0, 800)}` : null,
      };
    },
  };
}
