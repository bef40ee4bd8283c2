import { typeOfKind, type ApiType } from '../../api/catalogue/types.js';
import { apiVersionOf } from '../../api/resource.js';
import type { JsonObject } from '../../api/object.js';
import { createCatalogue } from '../../server/kinds/index.js';
import type { ResourceNames, ServedResource } from '../../server/registry/resources.js';
import { hasValidContent, validObject } from '../fuzz/validObjects.js';
import { listVariations, readVariations } from '../golden/recordings.js';

/** A served resource with valid objects. */
export interface Sampled {
  readonly resource: ServedResource;
  readonly type: ApiType;
  /** The collection's path, with the case's namespace. */
  readonly path: string;
  readonly objects: readonly JsonObject[];
}

/** Every creatable resource with a known object, in each served version. */
export function sampledResources(): readonly Sampled[] {
  return (known ??= servedResources().flatMap((resource) => {
    const type = typeOfKind(resource);
    const objects = objectsOf(resource);
    return type === undefined || objects.length === 0 ? [] : [{ resource, type, path: pathOf(resource), objects }];
  }));
}

let known: readonly Sampled[] | undefined;

/** All resources served by default. */
export const servedResources = (): readonly ServedResource[] =>
  createCatalogue().groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));

export function pathOf(resource: ResourceNames): string {
  const root = resource.group === '' ? '/api/v1' : `/apis/${apiVersionOf(resource)}`;
  return `${root}${resource.namespaced ? '/namespaces/${ns}' : ''}/${resource.resource}`;
}

/** Recorded objects, or the fuzzer's. */
function objectsOf(resource: ResourceNames): readonly JsonObject[] {
  const recorded = recordedObjects().get(`${apiVersionOf(resource)} ${resource.kind}`);
  if (recorded !== undefined) return recorded;
  return hasValidContent(resource.group, resource.kind) && resource.verbs.has('create') ? [ownNames(resource)] : [];
}

const recordedObjects = (): ReadonlyMap<string, readonly JsonObject[]> =>
  (recordings ??= new Map(
    listVariations().map((name) => {
      const objects = Object.values(readVariations(name).bases) as JsonObject[];
      return [`${String(objects[0]?.['apiVersion'])} ${String(objects[0]?.['kind'])}`, objects];
    }),
  ));

let recordings: ReadonlyMap<string, readonly JsonObject[]> | undefined;

/** Cluster-scoped names are unique to a case, and so are groups of definitions and API services. */
function ownNames({ group, version, kind, namespaced }: ResourceNames): JsonObject {
  const object = validObject(group, version, kind, namespaced ? 'f0' : 'f-${r}');
  return JSON.parse(
    JSON.stringify(object).replaceAll('fuzz.example.com', '${r}.example.com').replaceAll('"fuzz"', '"${ns}"'),
  ) as JsonObject;
}

/** Kinds whose status the servers write after a while. */
const writtenByServers: ReadonlySet<string> = new Set([
  'FlowSchema',
  'ValidatingAdmissionPolicy',
  'CustomResourceDefinition',
  'APIService',
  'ServiceCIDR',
  'ResourceQuota',
]);
const ofStatus = [
  '/status',
  '/metadata/managedFields',
  '/rows/*/cells',
  '/rows/*/object/metadata/managedFields',
  '/rows/*/object/status',
] as const;
export const ignoredOf = ({ kind }: Pick<ResourceNames, 'kind'>): readonly string[] => (writtenByServers.has(kind) ? ofStatus : []);
