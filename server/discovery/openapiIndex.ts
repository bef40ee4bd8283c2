import { createHash } from 'node:crypto';
import type { JsonObject } from '../api/object.js';
import { apiVersionOf } from '../api/resource.js';
import type { Catalogue, ServedGroup, ServedResource, ServedVersion } from '../catalogue/resources.js';

/**
 * The least of OpenAPI v3 that clients rely on: which operations a kind has and which query parameters they take. kubectl looks there
 * before it leaves the validation of fields to the server. Schemas are not part of it yet.
 */
export interface OpenApiIndex {
  /** `/openapi/v3`: documents by group version, with a hash of each in its address so that clients can cache. */
  readonly index: JsonObject;
  /** The document at `/openapi/v3/PATH`, or null. */
  document(path: string): JsonObject | null;
}

const rootOf = (group: string, version: string): string => (group === '' ? `api/${version}` : `apis/${group}/${version}`);

export function createOpenApiIndex({ groups }: Catalogue): OpenApiIndex {
  const documents = new Map(groups.flatMap(group => group.versions.map(version => [rootOf(group.name, version.version), documentOf(group, version)] as const)));
  const paths = Object.fromEntries([...documents].map(([path, document]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(document)}` }]));
  return { index: { paths }, document: path => documents.get(path) ?? null };
}

const hashOf = (document: JsonObject): string => createHash('sha256').update(JSON.stringify(document)).digest('hex').toUpperCase().slice(0, 64);

const documentOf = ({ name }: ServedGroup, { version, resources }: ServedVersion): JsonObject => ({
  openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.36' },
  paths: Object.fromEntries(resources.flatMap(resource => pathsOf(`/${rootOf(name, version)}`, resource))),
  components: { schemas: {} },
});

type Verbs = readonly (readonly [method: string, verb: string])[];
const COLLECTION: Verbs = [['get', 'list'], ['post', 'create'], ['delete', 'deletecollection']];
const OBJECT: Verbs = [['get', 'get'], ['put', 'update'], ['patch', 'patch'], ['delete', 'delete']];

const WRITE_PARAMETERS = ['pretty', 'dryRun', 'fieldManager', 'fieldValidation'] as const;
const LIST_PARAMETERS = ['pretty', 'allowWatchBookmarks', 'continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch', 'sendInitialEvents', 'timeoutSeconds', 'watch'] as const;
const DELETE_PARAMETERS = ['pretty', 'dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'] as const;
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  list: LIST_PARAMETERS, create: WRITE_PARAMETERS, update: WRITE_PARAMETERS, patch: [...WRITE_PARAMETERS, 'force'], delete: DELETE_PARAMETERS,
  deletecollection: [...DELETE_PARAMETERS, ...LIST_PARAMETERS.slice(2)], get: ['pretty'],
};

const PARAMETER_TYPES: Readonly<Record<string, string>> = { limit: 'integer', timeoutSeconds: 'integer', gracePeriodSeconds: 'integer', watch: 'boolean', allowWatchBookmarks: 'boolean', sendInitialEvents: 'boolean', orphanDependents: 'boolean', force: 'boolean' };

function pathsOf(root: string, resource: ServedResource): (readonly [string, JsonObject])[] {
  const collection = `${root}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`;
  const entries = [[collection, COLLECTION], [`${collection}/{name}`, OBJECT]] as const;
  return entries.map(([path, verbs]) => [path, operations(path, verbs, resource)] as const).filter(([, operation]) => Object.keys(operation).length > 0);
}

const operations = (path: string, verbs: Verbs, resource: ServedResource): JsonObject => {
  const served = verbs.filter(([, verb]) => resource.verbs.has(verb)).map(([method, verb]) => [method, operation(verb, resource)] as const);
  const inPath = ['namespace', 'name'].filter(name => path.includes(`{${name}}`)).map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  return served.length === 0 ? {} : { ...Object.fromEntries(served), ...(inPath.length === 0 ? {} : { parameters: inPath }) };
};

const operation = (verb: string, { group, version, kind, resource }: ServedResource): JsonObject => ({
  tags: [`${group === '' ? 'core' : group.split('.')[0]}_${version}`], operationId: `${verb} ${apiVersionOf({ group, version })} ${resource}`.replace(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
  parameters: (PARAMETERS[verb] ?? []).map(name => ({ name, in: 'query', schema: { type: PARAMETER_TYPES[name] ?? 'string', uniqueItems: true } })),
  responses: { 200: { description: 'OK' }, 401: { description: 'Unauthorized' } },
  'x-kubernetes-action': verb === 'create' ? 'post' : verb === 'update' ? 'put' : verb,
  'x-kubernetes-group-version-kind': { group, version, kind },
});
