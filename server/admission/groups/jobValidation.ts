import type { ApiObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { isSet, itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';

const groups = { group: 'scheduling.k8s.io', resource: 'podgroups' };

/** Keeps the parallelism of a gang-scheduled Job, because its group cannot follow. */
export const jobValidation = (lookup: Lookup): AdmissionPlugin => ({
  name: 'JobValidation',
  resources: ['jobs.batch'],
  async validate({ operation, subresource, resource, name, object, old }) {
    if (operation !== 'UPDATE' || subresource !== '' || object === null || old === null) return;
    if ((memberAt(object, 'spec', 'parallelism') ?? null) === (memberAt(old, 'spec', 'parallelism') ?? null)) return;
    const gang = (await groupsOf(old, lookup)).find((group) => isSet(memberAt(group, 'spec', 'schedulingPolicy', 'gang')));
    if (gang === undefined) return;
    const why = `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${JSON.stringify(gang.metadata.name)}`;
    throw forbidden(resource.storage, name, why);
  },
});

/** Returns the group that a Job names for its pods, else its own groups. */
async function groupsOf(job: ApiObject, lookup: Lookup): Promise<readonly ApiObject[]> {
  const { namespace = '', uid } = job.metadata;
  const named = textAt(job, 'spec', 'template', 'spec', 'schedulingGroup', 'podGroupName');
  if (named === '')
    return (await lookup.list(groups, namespace)).filter(({ metadata }) =>
      itemsOf(metadata.ownerReferences).some((owner) => owner.controller === true && owner.uid === uid),
    );
  const group = await lookup.find(groups, namespace, named);
  return group === null ? [] : [group];
}
