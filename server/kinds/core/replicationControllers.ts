import type * as v1 from '../../../api/types/core/v1.js';
import {
  below,
  byDefault,
  completed,
  created,
  invalid,
  joinedAt,
  labelsAt,
  longName,
  members,
  missing,
  nonNegative,
  numberAt,
  objectRules,
  printedMap,
  requiredPointer,
  specOf,
  textAt,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { workloadWarnings } from '../apps/workloadWarnings.js';
import { replicaStatus } from '../apps/statusCounts.js';
import { endlessRun } from './podSpec/controlledTemplate.js';
import { podSpecGates } from './podSpec/gated.js';
import { setPodTemplateDefaults, validatePodTemplate } from './podSpec/template.js';

type Spec = Writable<v1.ReplicationControllerSpec>;
type Labels = Spec['selector'];

const hasEntries = (map: Labels): map is NonNullable<Labels> => Object.keys(map ?? {}).length > 0;

/** The pods' labels are the default selector and labels. */
function setLabels(controller: Draft<v1.ReplicationController>): void {
  const spec = specOf(controller);
  const labels = spec.template?.metadata?.labels;
  if (!hasEntries(labels)) return;
  if (!hasEntries(spec.selector)) spec.selector = { ...labels };
  if (!hasEntries(controller.metadata.labels)) controller.metadata.labels = { ...labels };
}

function matches({ metadata }: Writable<v1.PodTemplateSpec>, path: Path, { selector = {} }: Spec): FieldError[] {
  const labels = metadata?.labels;
  return Object.entries(selector).every(([key, value]) => labels?.[key] === value)
    ? []
    : [invalid(path.child('metadata', 'labels'), printedMap(labels), '`selector` does not match template `labels`')];
}

const validate = objectRules<v1.ReplicationController>({
  spec: created(
    members<v1.ReplicationControllerSpec>({
      minReadySeconds: nonNegative,
      selector: (selector, path) => (hasEntries(selector) ? [] : [missing(path, '')]),
      replicas: byDefault(1, nonNegative),
      template: requiredPointer(
        completed<Writable<v1.PodTemplateSpec>>(setPodTemplateDefaults),
        matches,
        validatePodTemplate,
        endlessRun('ReplicationController'),
      ),
    }),
  ),
});

const validateStatus = objectRules<v1.ReplicationController>({ status: replicaStatus });

export const replicationControllers: Kind<Draft<v1.ReplicationController>> = {
  name: 'replicationcontrollers',
  gated: [below('spec.template.spec', podSpecGates)],
  metadata: { generationOf: ['spec'], name: longName },
  defaults(controller) {
    validate.defaults(controller);
    setLabels(controller);
  },
  validate,
  warnings: workloadWarnings,
  create: { status: { replicas: 0 } },
  update: {
    review: ['objectMetaUpdate', validate],
  },
  subresources: {
    status: {
      validate: validateStatus,
    },
  },
  delete: { propagation: 'orphan' },
  fields: { values: { 'status.replicas': (controller) => textAt(controller, 'status', 'replicas') || '0' } },
  cells: {
    Desired: numberAt('spec.replicas'),
    Current: numberAt('status.replicas'),
    Ready: numberAt('status.readyReplicas'),
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Selector: labelsAt('spec.selector'),
  },
};
