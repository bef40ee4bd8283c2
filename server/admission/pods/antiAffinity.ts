import { forbidden } from '../../../api/status.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';

const pods = { group: '', resource: 'pods' };
const host = 'kubernetes.io/hostname';

/** A pod may exclude others from its node, but not from a zone. */
export const limitHardAntiAffinity = (): AdmissionPlugin => ({
  name: 'LimitPodHardAntiAffinityTopology',
  resources: ['pods'],
  validate({ name, subresource, object }) {
    if (subresource !== '' || object === null) return;
    const rules = objectAt(objectAt(objectAt(object, 'spec') ?? {}, 'affinity') ?? {}, 'podAntiAffinity') ?? {};
    const wide = objectsIn(rules, 'requiredDuringSchedulingIgnoredDuringExecution')
      .map((term) => textAt(term, 'topologyKey'))
      .find((key) => key !== host);
    if (wide !== undefined)
      throw forbidden(
        pods,
        name,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide} but only key ${host} is allowed`,
      );
  },
});
