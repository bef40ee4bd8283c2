import { forbidden } from '../../../api/status.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';

const workloads = { group: 'scheduling.k8s.io', resource: 'workloads' };

export const podGroupWorkloadExists = (lookup: Lookup): AdmissionPlugin => ({
  name: 'PodGroupWorkloadExists',
  resources: ['podgroups.scheduling.k8s.io'],
  async validate({ operation, subresource, resource, namespace, name, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === null) return;
    const source = memberAt(object, 'spec', 'podGroupTemplateRef', 'workload') ?? null;
    if (source === null) return;
    const [workload, template] = [textAt(source, 'workloadName'), textAt(source, 'podGroupTemplateName')];
    const found = await lookup.find(workloads, namespace, workload);
    const refuse = (why: string): never => {
      throw forbidden(resource.storage, name, `PodGroup rejected: ${why}`);
    };
    const quoted = JSON.stringify(workload);
    if (found === null) return refuse(`Workload ${quoted} not found`);
    if (found.metadata.deletionTimestamp !== undefined) return refuse(`Workload ${quoted} is being deleted`);
    if (itemsOf(memberAt(found, 'spec', 'podGroupTemplates')).some((each) => textAt(each, 'name') === template)) return;
    refuse(`PodGroupTemplate ${JSON.stringify(template)} not found in Workload ${quoted}`);
  },
});
