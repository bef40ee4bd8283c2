import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden, plainError } from '../../../api/status.js';
import { sameValue } from '../../../api/json/equality.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { quoted } from '../../../workers/codecs/goQuotes.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { mergeTolerations } from './tolerations.js';

const classes = { group: 'node.k8s.io', resource: 'runtimeclasses' };
const pods = { group: '', resource: 'pods' };

/** Sets the overhead of the class; returns why the pod contradicts it, or null. */
function applyOverhead(spec: JsonObject, found: ApiObject): string | null {
  const fixed = objectAt(objectAt(found, 'overhead') ?? {}, 'podFixed');
  if (fixed === null) return null;
  const own = objectAt(spec, 'overhead');
  if (own !== null && Object.keys(own).length > 0 && !sameValue(own, fixed))
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  spec['overhead'] = structuredClone(fixed);
  return null;
}

/** Sets the scheduling of the class; returns why the pod contradicts it, or null. */
function applyScheduling(spec: JsonObject, found: ApiObject): string | null {
  const scheduling = objectAt(found, 'scheduling');
  if (scheduling === null) return null;
  const [selector, own] = [objectAt(scheduling, 'nodeSelector') ?? {}, objectAt(spec, 'nodeSelector') ?? {}];
  for (const [key, value] of Object.entries(selector)) {
    if (own[key] !== undefined && own[key] !== value)
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}; pod.spec.nodeSelector[${key}] = ${String(own[key])}`;
  }
  if (Object.keys(selector).length > 0) spec['nodeSelector'] = { ...own, ...selector };
  const tolerations = mergeTolerations(objectsIn(spec, 'tolerations'), structuredClone(objectsIn(scheduling, 'tolerations')));
  if (tolerations.length > 0) spec['tolerations'] = tolerations;
  return null;
}

async function classOf(spec: JsonObject, name: string, lookup: Lookup): Promise<ApiObject | null> {
  const className = textAt(spec, 'runtimeClassName');
  // The client that asks for the class refuses names that make no path, before the pod's faults (client-go/rest/request.go).
  if (spec['runtimeClassName'] === '') throw plainError(500, 'resource name may not be empty');
  if (className === '') return null;
  const problems = pathSegmentName(className, false);
  if (problems.length > 0) throw plainError(500, `invalid resource name ${quoted(className)}: [${problems.join(' ')}]`);
  const found = await lookup.find(classes, '', className);
  if (found === null) throw forbidden(pods, name, `pod rejected: RuntimeClass ${JSON.stringify(className)} not found`);
  return found;
}

const isNewPod = ({ operation, subresource, object }: AdmissionRequest): boolean =>
  operation === 'CREATE' && subresource === '' && object !== null;

export const runtimeClass = (lookup: Lookup): AdmissionPlugin => ({
  name: 'RuntimeClass',
  resources: ['pods'],
  async admit(request) {
    if (!isNewPod(request)) return;
    const spec = ensureObject(request.object as ApiObject, 'spec');
    const found = await classOf(spec, request.name, lookup);
    const problem = found === null ? null : (applyOverhead(spec, found) ?? applyScheduling(spec, found));
    if (problem !== null) throw forbidden(pods, request.name, problem);
  },
  async validate(request) {
    if (!isNewPod(request)) return;
    const spec = ensureObject(request.object as ApiObject, 'spec');
    const found = await classOf(spec, request.name, lookup);
    const fixed = found === null ? null : objectAt(objectAt(found, 'overhead') ?? {}, 'podFixed');
    const overhead = objectAt(spec, 'overhead') ?? {};
    if (fixed === null && Object.keys(overhead).length > 0)
      throw forbidden(pods, request.name, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    if (fixed !== null && !sameValue(fixed, overhead))
      throw forbidden(pods, request.name, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  },
});
