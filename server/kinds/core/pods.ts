import type { Pod } from '../../../api/types/core/v1.js';
import { below, dnsLabelName, fieldsAt, textAt, type Draft, type Kind } from '../language.js';
import { podStatusGates } from './pod/gatedStatus.js';
import { podSpecGates } from './podSpec/gated.js';
import { podCells, podRowConditions } from './pod/cells.js';
import { ephemeralContainers } from './pod/ephemeral.js';
import { preparePod } from './pod/prepare.js';
import { resize } from './pod/resize.js';
import { mirrorAddresses, podStatus } from './pod/status.js';
import { reviewPodUpdate } from './pod/update.js';
import { validateNewPod } from './pod/validation.js';
import { podDefaults } from '../../../api/pods/defaults.js';
import { podWarnings } from './podSpec/warnings/template.js';

const defaultGraceSeconds = 30;
const finished: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** The pod's name is its host name. */
function nameWarnings(pod: Draft<Pod>): string[] {
  const problems = dnsLabelName(pod.metadata.name ?? '', false);
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
}

export const pods: Kind<Draft<Pod>> = {
  name: 'pods',
  gated: [below('spec', podSpecGates), ...podStatusGates],
  metadata: { generationOf: ['spec'] },
  *defaults(pod) {
    mirrorAddresses(pod);
    yield* podDefaults(pod);
  },
  validate: validateNewPod,
  // Warnings on a controller's updates help no one.
  warnings: (pod, old) => (old === null ? [...nameWarnings(pod), ...podWarnings(pod)] : []),
  create: { status: 'sent', prepare: preparePod },
  update: { review: [reviewPodUpdate] },
  subresources: {
    status: podStatus,
    ephemeralcontainers: ephemeralContainers,
    resize,
    // The binding code checks its preconditions; no rules apply to what it changes.
    binding: { review: [] },
    eviction: { review: [] },
  },
  delete: {
    // A pod that is not running anywhere needs no grace period.
    graceSeconds(pod, requested) {
      if (textAt(pod, 'spec', 'nodeName') === '' || finished.has(textAt(pod, 'status', 'phase'))) return 0;
      const wanted = requested ?? Number(textAt(pod, 'spec', 'terminationGracePeriodSeconds') || defaultGraceSeconds);
      return wanted < 0 ? 1 : wanted;
    },
    answers: 'object',
  },
  fields: {
    values: {
      ...fieldsAt(
        'spec.nodeName',
        'spec.restartPolicy',
        'spec.schedulerName',
        'spec.serviceAccountName',
        'status.phase',
        'status.podIP',
        'status.podIPs',
        'status.nominatedNodeName',
      ),
      'spec.hostNetwork': (pod) => textAt(pod, 'spec', 'hostNetwork') || 'false',
    },
    aliases: { 'spec.host': 'spec.nodeName' },
  },
  cells: podCells,
  rowConditions: podRowConditions,
};
