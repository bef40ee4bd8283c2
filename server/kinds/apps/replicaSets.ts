import type * as v1 from '../../../api/types/apps/v1.js';
import type * as coreV1 from '../../../api/types/core/v1.js';
import {
  all,
  below,
  byDefault,
  created,
  gate,
  inOrder,
  joinedAt,
  members,
  nonNegative,
  numberAt,
  objectRules,
  Path,
  selectorAt,
  statusOf,
  type Draft,
  type Found,
  type Kind,
  type Writable,
} from '../language.js';
import { endlessRun, selectorOf, validateSelected } from '../core/podSpec/controlledTemplate.js';
import { podTemplateDefaults, validatePodTemplate } from '../core/podSpec/template.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { workloadWarnings } from './workloadWarnings.js';
import { sameSelector, workloadSelector } from './selector.js';
import { count, replicaStatus } from './statusCounts.js';

const status = Path.of('status');

const endless = endlessRun('ReplicaSet');

function template(given: Writable<coreV1.PodTemplateSpec> | undefined, path: Path, { selector }: Writable<v1.ReplicaSetSpec>): Found {
  const [parsed, pods] = [selectorOf(selector), given ?? {}];
  if (parsed === null) return [];
  return inOrder(validateSelected(pods, parsed, path), validatePodTemplate(pods, path), endless(pods, path, null));
}

/** Deployments have the same members. */
export const replicaSpec = all<Writable<v1.ReplicaSetSpec>>(
  members<v1.ReplicaSetSpec>({ template: podTemplateDefaults }),
  members<v1.ReplicaSetSpec>({
    replicas: byDefault(1, nonNegative),
    minReadySeconds: count,
    selector: workloadSelector('empty selector is invalid for deployment', 'invalid label selector'),
    template,
  }),
);

const validate = objectRules<v1.ReplicaSet>({ spec: created(replicaSpec) });

export const replicaSets: Kind<Draft<v1.ReplicaSet>> = {
  name: 'replicasets.apps',
  gated: [below('spec.template.spec', podSpecGates), gate('DeploymentReplicaSetTerminatingReplicas', 'status.terminatingReplicas')],
  metadata: { generationOf: ['spec'] },
  defaults: validate.defaults,
  validate,
  warnings: workloadWarnings,
  create: { status: { replicas: 0 } },
  update: {
    review: ['objectMetaUpdate', validate, sameSelector],
  },
  subresources: {
    status: {
      review: ['objectMetaUpdate', (set) => replicaStatus(statusOf(set), status, null)],
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
