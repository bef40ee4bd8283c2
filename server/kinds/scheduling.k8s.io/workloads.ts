import type { Workload } from '../../../api/types/scheduling/v1alpha2.js';
import { Path } from '../../registry/validation/field.js';
import { below } from '../gated.js';
import type { Draft, Kind } from '../kind.js';
import { declaredWorkload, groupGates } from './podGroupRules.js';

export const workloads: Kind<Draft<Workload>> = {
  name: 'workloads.scheduling.k8s.io',
  gated: [below('spec.podGroupTemplates[]', groupGates)],
  validate: (workload) => declaredWorkload(workload, null, Path.root),
  update: { review: ['objectMetaUpdate', (workload, old) => declaredWorkload(workload, { value: old }, Path.root)] },
};
