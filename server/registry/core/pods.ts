import { textAt } from '../members.js';
import type { Strategy } from '../strategy.js';

const DEFAULT_GRACE_SECONDS = 30;
const FINISHED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** Defaults and validation of the pod's specification are still to come; see `registry/DESIGN.md`. */
export const pods: Strategy = {
  generationOf: ['spec'],
  prepareForCreate(pod) { pod['status'] = { phase: 'Pending', qosClass: 'BestEffort' }; },
  prepareForUpdate(pod, old) { pod['status'] = old['status']; },
  // A pod that no node runs, or that has ended, has nobody to wait for.
  graceSeconds(pod, requested) {
    if (textAt(pod, 'spec', 'nodeName') === '' || FINISHED.has(textAt(pod, 'status', 'phase'))) return 0;
    const wanted = requested ?? Number(textAt(pod, 'spec', 'terminationGracePeriodSeconds') || DEFAULT_GRACE_SECONDS);
    return wanted < 0 ? 1 : wanted;
  },
  deleteAnswers: 'object',
  selectableFieldNames: [
    'spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'spec.hostNetwork', 'status.phase', 'status.podIP', 'status.podIPs',
    'status.nominatedNodeName',
  ],
  fieldAliases: { 'spec.host': 'spec.nodeName' },
  selectableFields: pod => ({
    'spec.nodeName': textAt(pod, 'spec', 'nodeName'),
    'spec.restartPolicy': textAt(pod, 'spec', 'restartPolicy'),
    'spec.schedulerName': textAt(pod, 'spec', 'schedulerName'),
    'spec.serviceAccountName': textAt(pod, 'spec', 'serviceAccountName'),
    'spec.hostNetwork': textAt(pod, 'spec', 'hostNetwork') || 'false',
    'status.phase': textAt(pod, 'status', 'phase'),
    'status.podIP': textAt(pod, 'status', 'podIP'),
    'status.podIPs': textAt(pod, 'status', 'podIPs'),
    'status.nominatedNodeName': textAt(pod, 'status', 'nominatedNodeName'),
  }),
};
