import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../../api/types/autoscaling/v2.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, keepable, Path, required, type FieldError } from '../../registry/validation/field.js';
import { whileOff, whileOn } from '../../registry/validation/gatedFindings.js';
import { nonNegativeMembers } from '../apps/statusCounts.js';
import { at, numberAt, unset, type Cells } from '../cells.js';
import { gate } from '../gated.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { setBehaviorDefaults, validateBehavior } from './autoscaler/behavior.js';
import { validateMetrics, validateReference, validateVersion } from './autoscaler/metrics.js';
import { autoscalerConversion } from './conversion.js';
import { targetsCell } from './targets.js';

const specPath = Path.of('spec');
const status = Path.of('status');
const minReplicas = 1;
const cpuPercent = 80;
/** The only scalable kind of the core group. */
const withoutGroup = 'ReplicationController';

function setDefaults(autoscaler: Draft<HorizontalPodAutoscaler>): void {
  const spec = ensureObject(autoscaler, 'spec');
  setDefault(spec, 'minReplicas', minReplicas);
  if (objectsIn(spec, 'metrics').length === 0) {
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuPercent } } }];
  }
  setBehaviorDefaults(spec);
}

function validateSpec(autoscaler: Draft<HorizontalPodAutoscaler>): FieldError[] {
  const spec = specOf(autoscaler);
  return [
    ...validateReplicas(spec),
    ...validateTarget(objectAt(spec, 'scaleTargetRef') ?? {}, specPath.child('scaleTargetRef')),
    ...validateMetrics(spec, specPath.child('metrics')),
    ...validateBehavior(spec, specPath.child('behavior')),
  ];
}

const notBelow = (least: number, min: number): FieldError =>
  invalid(specPath.child('minReplicas'), min, `must be greater than or equal to ${least}`);

function validateReplicas(spec: Writable<HorizontalPodAutoscalerSpec>): FieldError[] {
  const [min, max] = [Number(spec.minReplicas ?? minReplicas), Number(spec.maxReplicas ?? 0)];
  const at = specPath.child('maxReplicas');
  return [
    ...whileOff('HPAScaleToZero', min < minReplicas ? [notBelow(minReplicas, min)] : []),
    ...whileOn('HPAScaleToZero', min < 0 ? [notBelow(0, min)] : []),
    ...(max === 0
      ? [required(at, 'must be set and greater than 0')]
      : max < 0
        ? [invalid(at, max, 'must be greater than or equal to 1')]
        : []),
    ...(max < min ? [invalid(at, max, 'must be greater than or equal to `minReplicas`')] : []),
  ];
}

const validateTarget = (target: JsonObject, path: Path): FieldError[] => [
  ...validateReference(target, path),
  // An unchanged target is not checked again.
  ...keepable(
    `${textAt(target, 'apiVersion')} ${textAt(target, 'kind')}`,
    validateVersion(target, textAt(target, 'kind') === withoutGroup, path.child('apiVersion')),
  ),
];

const cells: Cells<Draft<HorizontalPodAutoscaler>> = {
  Reference: (object) => `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
  Targets: targetsCell,
  MinPods: at('spec.minReplicas', unset),
  MaxPods: numberAt('spec.maxReplicas'),
  Replicas: numberAt('status.currentReplicas'),
};

/** Most metrics of the earlier version stand in an annotation. */
const targetsOfEarlier = (autoscaler: ApiObject): string => targetsCell(autoscalerConversion.toStorage(autoscaler));

export const horizontalPodAutoscalers: Kind<Draft<HorizontalPodAutoscaler>> = {
  name: 'horizontalpodautoscalers.autoscaling',
  gated: [gate('HPAConfigurableTolerance', 'spec.behavior.scaleUp.tolerance', 'spec.behavior.scaleDown.tolerance')],
  versions: { 'autoscaling/v1': { conversion: autoscalerConversion, cells: { ...cells, Targets: targetsOfEarlier } } },
  defaults: setDefaults,
  validate: validateSpec,
  create: { status: { desiredReplicas: 0, currentMetrics: null } },
  update: {
    review: ['objectMetaUpdate', validateSpec],
  },
  subresources: {
    status: {
      review: [
        'objectMetaUpdate',
        (autoscaler) => nonNegativeMembers(statusOf(autoscaler), ['currentReplicas', 'desiredReplicas'], status),
      ],
    },
  },
  cells,
};
