import * as enums from '../../../api/data/enums.js';
import {
  all,
  below,
  byDefault,
  created,
  forbidden,
  gate,
  insteadOfZero,
  invalid,
  isSet,
  joinedAt,
  members,
  nonNegative,
  notSupported,
  numberAt,
  objectRules,
  printedAs,
  sameValue,
  selectorAt,
  textAt,
  whenOwner,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/apps/v1.js';
import { restoreMember } from '../../registry/statusWrites.js';
import { amountOf, atMostWhole, intOrPercent } from '../../registry/validation/intOrPercent.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { workloadWarnings } from './workloadWarnings.js';
import { replicaSpec } from './replicaSets.js';
import { sameSelector } from './selector.js';
import { availableAreReady, count, counter, countsWithin } from './statusCounts.js';

type Strategy = Writable<v1.DeploymentStrategy>;
type Rolling = Writable<v1.RollingUpdateDeployment>;

const progressDeadlineSeconds = 600;

/** A deadline before pods can count as available could never be met. */
const deadline = (seconds: number, path: Path, { minReadySeconds }: Writable<v1.DeploymentSpec>): FieldError[] =>
  seconds <= (minReadySeconds ?? 0) ? [invalid(path, seconds, 'must be greater than minReadySeconds')] : [];

const rolling = all<Rolling>(
  members<v1.RollingUpdateDeployment>({ maxUnavailable: intOrPercent, maxSurge: intOrPercent }),
  ({ maxUnavailable, maxSurge }, path) =>
    amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalid(path.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : [],
  members<v1.RollingUpdateDeployment>({ maxUnavailable: atMostWhole }),
);

/** Daemon sets have the same members. */

const rollingDefaults = members<v1.RollingUpdateDeployment>({ maxUnavailable: byDefault('25%'), maxSurge: byDefault('25%') });
const strategyDefaults = members<v1.DeploymentStrategy>({
  type: insteadOfZero('RollingUpdate'),
  rollingUpdate: whenOwner(({ type }: Strategy) => type === 'RollingUpdate', created(rollingDefaults)),
});

function strategy(strategy: Strategy, path: Path): Found {
  const { type, rollingUpdate } = strategy;
  const at = path.child('rollingUpdate');
  if (type === 'Recreate') return isSet(rollingUpdate) ? [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")] : [];
  if (type === 'RollingUpdate') return rolling(rollingUpdate ?? {}, at, null);
  return [notSupported(path, printedAs('apps.v1.DeploymentStrategy', strategy), enums.DeploymentStrategyType)];
}

const validate = objectRules<v1.Deployment>({
  spec: created<Writable<v1.DeploymentSpec>>(
    replicaSpec,
    members<v1.DeploymentSpec>({
      strategy: created(strategyDefaults, strategy),
      revisionHistoryLimit: byDefault(10, nonNegative),
      progressDeadlineSeconds: byDefault(progressDeadlineSeconds, nonNegative, deadline),
    }),
  ),
});

const validateStatus = objectRules<v1.Deployment>({
  status: all<Writable<v1.DeploymentStatus> | undefined>(
    members<v1.DeploymentStatus>({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
      unavailableReplicas: count,
      terminatingReplicas: count,
      collisionCount: count,
    }),
    countsWithin<v1.DeploymentStatus>('replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'),
    availableAreReady(''),
  ),
});

export const deployments: Kind<Draft<v1.Deployment>> = {
  name: 'deployments.apps',
  gated: [below('spec.template.spec', podSpecGates), gate('DeploymentReplicaSetTerminatingReplicas', 'status.terminatingReplicas')],
  metadata: { generationOf: ['spec'] },
  contentAnnotations: ['deprecated.deployment.rollback.to'],
  defaults: validate.defaults,
  validate,
  warnings: workloadWarnings,
  update: {
    prepare(deployment, old) {
      // Annotations are copied to replica sets, so their changes concern the controller.
      if (!sameValue(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
        deployment.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    review: ['objectMetaUpdate', validate, sameSelector],
  },
  subresources: {
    status: {
      prepare(deployment, old) {
        restoreMember(deployment.metadata, old.metadata, 'labels');
      },
      resets: ['spec', 'metadata.labels'],
      review: ['objectMetaUpdate', validateStatus, counter('status.collisionCount')],
    },
  },
  cells: {
    Ready: (object) => `${textAt(object, 'status', 'readyReplicas') || 0}/${textAt(object, 'spec', 'replicas') || 0}`,
    'Up-to-date': numberAt('status.updatedReplicas'),
    Available: numberAt('status.availableReplicas'),
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Selector: selectorAt('spec.selector'),
  },
};
