import type { DeploymentSpec, ReplicaSet, ReplicaSetSpec } from '../../../api/types/apps/v1.js';
import { ensureObject, objectAt, setDefault } from '../../../api/json/defaulting.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import { joinedAt, numberAt, selectorAt } from '../cells.js';
import { selectorOf, validateControlledTemplate } from '../core/podSpec/controlledTemplate.js';
import { setPodTemplateDefaults } from '../core/podSpec/template.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { below, gate } from '../gated.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { workloadWarnings } from './workloadWarnings.js';
import { sameSelector, validateWorkloadSelector } from './selector.js';
import { nonNegativeMembers, validateReplicaCounts } from './statusCounts.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const status = Path.of('status');

/** Checks a ReplicaSet's specification, or a Deployment's, which has the same members. */
export function validateReplicaSpec(spec: Writable<ReplicaSetSpec> | Writable<DeploymentSpec>): Found {
  const selector = selectorOf(spec.selector);
  return inOrder(
    nonNegativeMembers(spec, ['replicas', 'minReadySeconds'], specPath),
    validateWorkloadSelector(spec, specPath.child('selector'), selector, {
      empty: 'empty selector is invalid for deployment',
      broken: 'invalid label selector',
      required: true,
    }),
    validateControlledTemplate(objectAt(spec, 'template') ?? {}, specPath.child('template'), {
      kind: 'ReplicaSet',
      selector,
    }),
  );
}

const validateSpec = (set: Draft<ReplicaSet>): Found => validateReplicaSpec(specOf(set));

const statusCounts = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'terminatingReplicas',
  'observedGeneration',
];

const validateStatus = (set: Draft<ReplicaSet>): FieldError[] => validateReplicaCounts(statusOf(set), statusCounts, status);

export const replicaSets: Kind<Draft<ReplicaSet>> = {
  name: 'replicasets.apps',
  gated: [below('spec.template.spec', podSpecGates), gate('DeploymentReplicaSetTerminatingReplicas', 'status.terminatingReplicas')],
  metadata: { generationOf: ['spec'] },
  defaults(set) {
    const spec = ensureObject(set, 'spec');
    setPodTemplateDefaults(ensureObject(spec, 'template'));
    setDefault(spec, 'replicas', 1);
  },
  validate: validateSpec,
  warnings: workloadWarnings,
  create: { status: { replicas: 0 } },
  update: {
    review: ['objectMetaUpdate', validateSpec, sameSelector],
  },
  subresources: {
    status: {
      review: ['objectMetaUpdate', validateStatus],
    },
  },
  cells: {
    Desired: numberAt('spec.replicas'),
    Current: numberAt('status.replicas'),
    Ready: numberAt('status.readyReplicas'),
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Selector: selectorAt('spec.selector'),
  },
};
