import type { Deployment, DeploymentSpec } from '../../../api/types/apps/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, setDefault, setTextDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { restoreMember } from '../../registry/statuswrites.js';
import { forbidden, invalid, notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import { amountOf, atMostWhole, intOrPercent } from '../../registry/validation/intorpercent.js';
import { nonNegative } from '../../registry/validation/values.js';
import { joinedAt, numberAt, selectorAt } from '../cells.js';
import { setPodTemplateDefaults } from '../core/podSpec/template.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { below, gate } from '../gated.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { workloadWarnings } from './workloadWarnings.js';
import { validateReplicaSpec } from './replicaSets.js';
import { sameSelector } from './selector.js';
import { countsWithin, counter, nonNegativeMembers } from './statusCounts.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const progressDeadlineSeconds = 600;

function setDefaults(deployment: Draft<Deployment>): void {
  const spec = ensureObject(deployment, 'spec');
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  setDefault(spec, 'replicas', 1);
  const strategy = ensureObject(spec, 'strategy');
  setTextDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    setDefault(rolling, 'maxUnavailable', '25%');
    setDefault(rolling, 'maxSurge', '25%');
  }
  setDefault(spec, 'revisionHistoryLimit', 10);
  setDefault(spec, 'progressDeadlineSeconds', progressDeadlineSeconds);
}

function validateSpec(deployment: Draft<Deployment>): Found {
  const spec = specOf(deployment);
  return inOrder(
    validateReplicaSpec(spec),
    validateStrategy(objectAt(spec, 'strategy') ?? {}, specPath.child('strategy')),
    nonNegative(spec.revisionHistoryLimit, specPath.child('revisionHistoryLimit')),
    validateDeadline(spec),
  );
}

/** A deadline before pods can count as available could never be met. */
function validateDeadline(spec: Writable<DeploymentSpec>): FieldError[] {
  const deadline = spec.progressDeadlineSeconds;
  const path = specPath.child('progressDeadlineSeconds');
  return [
    ...nonNegative(deadline, path),
    ...(Number(deadline) <= Number(spec.minReadySeconds ?? 0) ? [invalid(path, deadline, 'must be greater than minReadySeconds')] : []),
  ];
}

function validateStrategy(strategy: JsonObject, path: Path): FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  const at = path.child('rollingUpdate');
  if (strategy.type === 'Recreate')
    return rolling === null ? [] : [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
  if (strategy.type === 'RollingUpdate') return validateRolling(rolling ?? {}, at);
  return [notSupported(path, { Type: strategy.type, RollingUpdate: printedRolling(rolling) }, ['Recreate', 'RollingUpdate'])];
}

const printedRolling = (rolling: JsonObject | null): JsonObject | null =>
  rolling === null ? null : { MaxUnavailable: rolling.maxUnavailable ?? 0, MaxSurge: rolling.maxSurge ?? 0 };

function validateRolling({ maxUnavailable, maxSurge }: JsonObject, path: Path): FieldError[] {
  return [
    ...intOrPercent(maxUnavailable, path.child('maxUnavailable')),
    ...intOrPercent(maxSurge, path.child('maxSurge')),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalid(path.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostWhole(maxUnavailable, path.child('maxUnavailable')),
  ];
}

const statusCounts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

function validateStatus(deployment: Draft<Deployment>): FieldError[] {
  const status = statusOf(deployment);
  return [
    ...nonNegativeMembers(status, statusCounts, statusPath),
    ...countsWithin(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], 'replicas', statusPath),
    ...(Number(status.availableReplicas ?? 0) > Number(status.readyReplicas ?? 0)
      ? [invalid(statusPath.child('availableReplicas'), status.availableReplicas, 'cannot be greater than readyReplicas')]
      : []),
  ];
}

export const deployments: Kind<Draft<Deployment>> = {
  name: 'deployments.apps',
  gated: [below('spec.template.spec', podSpecGates), gate('DeploymentReplicaSetTerminatingReplicas', 'status.terminatingReplicas')],
  metadata: { generationOf: ['spec'] },
  defaults: setDefaults,
  validate: validateSpec,
  warnings: workloadWarnings,
  update: {
    prepare(deployment, old) {
      // Annotations are copied to replica sets, so their changes concern the controller.
      if (!sameValue(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
        deployment.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    review: ['objectMetaUpdate', validateSpec, sameSelector],
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
