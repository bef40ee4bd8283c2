import { isObject } from '../../../api/json/json.js';
import type { Pod } from '../../../api/types/core/v1.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import { qosClass } from '../../../api/podQos.js';
import { checkPluginConfiguration, type PluginKind } from '../configuration.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { covers, mergeTolerations } from './tolerations.js';

/** Defaults for namespaces without their own. */
export interface TolerationRules {
  readonly byDefault: readonly JsonObject[];
  readonly allowed: readonly JsonObject[];
}

const pods = { group: '', resource: 'pods' };
const namespaces = { group: '', resource: 'namespaces' };
const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const allowedAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
/** Nodes under memory pressure take no best-effort pods. */
const memoryPressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };
const toleration = { fields: { key: 'text', operator: 'text', value: 'text', effect: 'text', tolerationSeconds: 'integer' } } as const;
export const tolerationRestrictionKind: PluginKind = {
  kind: 'Configuration',
  apiVersions: ['podtolerationrestriction.admission.k8s.io/v1alpha1'],
  fields: { default: { list: toleration }, whitelist: { list: toleration } },
};

/** Throws for an invalid configuration. */
export function tolerationRulesIn(configuration: JsonObject | null): TolerationRules {
  if (configuration !== null) checkPluginConfiguration('PodTolerationRestriction', configuration, tolerationRestrictionKind);
  const list = (member: string): JsonObject[] => itemsOf(configuration?.[member]).map(membersOf);
  return { byDefault: list('default'), allowed: list('whitelist') };
}

/** Adds the namespace's tolerations to pods, and refuses those outside its whitelist. */
export const podTolerationRestriction = (lookup: Lookup, rules: TolerationRules): AdmissionPlugin => ({
  name: 'PodTolerationRestriction',
  resources: ['pods'],
  async admit(request) {
    if (request.object === null || request.subresource !== '' || request.operation === 'DELETE') return;
    const added =
      request.operation === 'CREATE' ? await listOf(request, { lookup, annotation: defaultsAnnotation, otherwise: rules.byDefault }) : [];
    const spec = ensureObject(request.object, 'spec');
    const promised = qosClass(request.object as Pod) === 'BestEffort' ? [] : [memoryPressure];
    const merged = mergeTolerations(mergeTolerations(added, objectsIn(spec, 'tolerations')), promised);
    if (merged.length > 0) spec['tolerations'] = merged;
  },
  async validate(request) {
    if (request.object === null || request.subresource !== '' || request.operation === 'DELETE') return;
    const allowed = await listOf(request, { lookup, annotation: allowedAnnotation, otherwise: rules.allowed });
    const had = objectsIn(objectAt(request.object, 'spec') ?? {}, 'tolerations');
    if (allowed.length === 0 || had.every((toleration) => allowed.some((each) => covers(each, toleration)))) return;
    throw forbidden(
      pods,
      request.name,
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    );
  },
});

interface ListSource {
  readonly lookup: Lookup;
  readonly annotation: string;
  readonly otherwise: readonly JsonObject[];
}

/** Reads a namespace's JSON annotation; empty text is an empty list. */
async function listOf(
  { namespace, name }: AdmissionRequest,
  { lookup, annotation, otherwise }: ListSource,
): Promise<readonly JsonObject[]> {
  const text = textIn(await lookup.find(namespaces, '', namespace), annotation);
  if (text === undefined) return otherwise;
  if (text === '') return [];
  const read = parsed(text);
  if (read === null) throw forbidden(pods, name, `annotation ${annotation} of namespace ${namespace} is no list of tolerations in JSON`);
  return read;
}

const textIn = (namespace: ApiObject | null, annotation: string): string | undefined => namespace?.metadata.annotations?.[annotation];

function parsed(text: string): readonly JsonObject[] | null {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) && value.every((item) => isObject<JsonObject>(item)) ? (value as JsonObject[]) : null;
  } catch {
    return null;
  }
}
