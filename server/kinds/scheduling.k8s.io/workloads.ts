import type { Workload } from '../../../api/types/scheduling/v1alpha2.js';
import { below, type Draft, type Kind } from '../language.js';
import { workloadRules, groupGates } from './podGroupRules.js';

export const workloads: Kind<Draft<Workload>> = {
  name: 'workloads.scheduling.k8s.io',
  gated: [below('spec.podGroupTemplates[]', groupGates)],
  validate: workloadRules.created,
  update: { review: ['objectMetaUpdate', workloadRules.changed] },
};
