import type { Workload } from '../../../api/types/scheduling/v1alpha2.js';
import { below } from '../gated.js';
import type { Draft, Kind } from '../kind.js';
import { workloadRules, groupGates } from './podGroupRules.js';

export const workloads: Kind<Draft<Workload>> = {
  name: 'workloads.scheduling.k8s.io',
  gated: [below('spec.podGroupTemplates[]', groupGates)],
  validate: workloadRules.created,
  update: { review: ['objectMetaUpdate', workloadRules.changed] },
};
