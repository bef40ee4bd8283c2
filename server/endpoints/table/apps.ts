import type { ApiObject } from '../../api/object.js';
import { itemsOf, memberAt, textAt } from '../../registry/members.js';
import {
  ageAt,
  age,
  at,
  atOr,
  booleanAt,
  condition,
  containersAt,
  countAt,
  duration,
  labelsText,
  NONE,
  numberAt,
  selectorText,
  type Cells,
} from './cell.js';

const POD_TEMPLATE = ['spec', 'template', 'spec'] as const;
const selector = (object: ApiObject): string => selectorText(memberAt(object, 'spec', 'selector'));

function jobStatus(job: ApiObject): string {
  for (const [type, text] of [
    ['Complete', 'Complete'],
    ['Failed', 'Failed'],
  ] as const)
    if (condition(job, type)?.['status'] === 'True') return text;
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const [type, text] of [
    ['Suspended', 'Suspended'],
    ['FailureTarget', 'FailureTarget'],
    ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
  ] as const) {
    if (condition(job, type)?.['status'] === 'True') return text;
  }
  return 'Running';
}

function completions(job: ApiObject): string {
  const done = textAt(job, 'status', 'succeeded') || '0';
  const wanted = textAt(job, 'spec', 'completions');
  if (wanted !== '') return `${done}/${wanted}`;
  const parallelism = Number(textAt(job, 'spec', 'parallelism') || 0);
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration(job: ApiObject, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  const end = textAt(job, 'status', 'completionTime');
  if (start === '') return '';
  return end === '' ? age(start, now) : duration((Date.parse(end) - Date.parse(start)) / 1000);
}

export const appsCells: Readonly<Record<string, Cells>> = {
  'controllerrevisions.apps': {
    Controller: (object) =>
      itemsOf(object.metadata.ownerReferences)
        .filter((owner) => memberAt(owner, 'controller') === true)
        .map(
          (owner) => `${textAt(owner, 'kind').toLowerCase()}.${textAt(owner, 'apiVersion').split('/')[0]}/${textAt(owner, 'name')}`,
        )[0] ?? NONE,
    Revision: numberAt('revision'),
  },
  'daemonsets.apps': {
    Desired: numberAt('status', 'desiredNumberScheduled'),
    Current: numberAt('status', 'currentNumberScheduled'),
    Ready: numberAt('status', 'numberReady'),
    'Up-to-date': numberAt('status', 'updatedNumberScheduled'),
    Available: numberAt('status', 'numberAvailable'),
    'Node Selector': (object) => labelsText(memberAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
    ...containersAt(...POD_TEMPLATE),
    Selector: selector,
  },
  'deployments.apps': {
    Ready: (object) => `${textAt(object, 'status', 'readyReplicas') || 0}/${textAt(object, 'spec', 'replicas') || 0}`,
    'Up-to-date': numberAt('status', 'updatedReplicas'),
    Available: numberAt('status', 'availableReplicas'),
    ...containersAt(...POD_TEMPLATE),
    Selector: selector,
  },
  'replicasets.apps': {
    Desired: numberAt('spec', 'replicas'),
    Current: numberAt('status', 'replicas'),
    Ready: numberAt('status', 'readyReplicas'),
    ...containersAt(...POD_TEMPLATE),
    Selector: selector,
  },
  'statefulsets.apps': {
    Ready: (object) => `${textAt(object, 'status', 'readyReplicas') || 0}/${textAt(object, 'spec', 'replicas') || 0}`,
    ...containersAt(...POD_TEMPLATE),
  },
  'cronjobs.batch': {
    Schedule: at('spec', 'schedule'),
    Timezone: at('spec', 'timeZone'),
    Suspend: booleanAt('spec', 'suspend'),
    Active: countAt('status', 'active'),
    'Last Schedule': (object, now) =>
      memberAt(object, 'status', 'lastScheduleTime') === undefined ? NONE : ageAt('status', 'lastScheduleTime')(object, now),
    ...containersAt('spec', 'jobTemplate', ...POD_TEMPLATE),
    Selector: (object) => selectorText(memberAt(object, 'spec', 'jobTemplate', 'spec', 'selector')),
  },
  'jobs.batch': {
    Status: jobStatus,
    Completions: completions,
    Duration: jobDuration,
    ...containersAt(...POD_TEMPLATE),
    Selector: selector,
  },
  'poddisruptionbudgets.policy': {
    'Min Available': atOr('N/A', 'spec', 'minAvailable'),
    'Max Unavailable': atOr('N/A', 'spec', 'maxUnavailable'),
    'Allowed Disruptions': numberAt('status', 'disruptionsAllowed'),
  },
};
