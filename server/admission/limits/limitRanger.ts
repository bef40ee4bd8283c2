import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { claimProblems, podProblems } from './problems.js';
import { setContainerResources } from './defaults.js';

const rangesResource = { group: '', resource: 'limitranges' };

/** Pods are resized, claims updated (`limitranger/admission.go`). */
const isLimited = ({ operation, resource, subresource, old }: AdmissionRequest): boolean =>
  old?.metadata.deletionTimestamp === undefined &&
  subresource === (operation === 'UPDATE' && resource.storage.resource === 'pods' ? 'resize' : '');

/** Amounts of limit ranges times containers of a pod, so that short lists cannot make a pod of any size. */
const combinationsMax = 100_000;
const reportedProblemsMax = 100;

const amountMembers = ['default', 'defaultRequest', 'min', 'max', 'maxLimitRequestRatio'];

function demandFew({ resource, name, object }: AdmissionRequest, ranges: readonly ApiObject[]): void {
  const spec = objectAt(object, 'spec');
  const containers = objectsIn(spec, 'containers').length + objectsIn(spec, 'initContainers').length;
  const amounts = ranges
    .flatMap(itemsOf)
    .filter((limit) => limit['type'] === 'Container')
    .reduce((sum, limit) => sum + amountMembers.reduce((count, member) => count + Object.keys(objectAt(limit, member) ?? {}).length, 0), 0);
  if (amounts * containers <= combinationsMax) return;
  throw forbidden(
    resource.storage,
    name,
    `limit ranges of the namespace name ${amounts} amounts for each of ${containers} containers, which is more than ${combinationsMax} together`,
  );
}

const itemsOf = (range: ApiObject): JsonObject[] => objectsIn(objectAt(range, 'spec'), 'limits');

/** Sets defaults and checks resources of pods and claims by their namespace's limit ranges. */
export const limitRanger = (lookup: Lookup): AdmissionPlugin => ({
  name: 'LimitRanger',
  resources: ['pods', 'persistentvolumeclaims'],
  async admit(request) {
    if (!isLimited(request) || request.resource.storage.resource !== 'pods' || request.object === null) return;
    const ranges = await lookup.list(rangesResource, request.namespace);
    demandFew(request, ranges);
    for (const range of ranges) setContainerResources(request.object, itemsOf(range));
  },
  async validate(request) {
    if (!isLimited(request) || request.object === null) return;
    const problemsOf = request.resource.storage.resource === 'pods' ? podProblems : claimProblems;
    const ranges = await lookup.list(rangesResource, request.namespace);
    // Later steps may have added containers.
    if (request.resource.storage.resource === 'pods') demandFew(request, ranges);
    for (const range of ranges) {
      const problems = [...new Set(problemsOf(objectAt(request.object, 'spec') ?? {}, itemsOf(range)))].slice(0, reportedProblemsMax);
      if (problems.length > 0)
        throw forbidden(request.resource.storage, request.name, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
    }
  },
});
