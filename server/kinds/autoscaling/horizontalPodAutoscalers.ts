import type { ApiObject, JsonObject } from '../../api/object.js';
import { ensureObject, objectAt, objectsIn, setDefault } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { nonNegativeMembers } from '../apps/statusCounts.js';
import { atOr, numberAt, UNSET } from '../cells.js';
import type { Kind } from '../kind.js';
import { setBehaviorDefaults, validateBehavior } from './autoscaler/behavior.js';
import { validateMetrics, validateReference } from './autoscaler/metrics.js';
import { autoscalerConversion } from './conversion.js';
import { targetsCell } from './targets.js';

const SPEC = Path.of('spec');
const STATUS = Path.of('status');
const MIN_REPLICAS = 1;
const CPU_PERCENT = 80;
/** The only scalable kind of the group without a name. */
const WITHOUT_GROUP = 'ReplicationController';

function setDefaults(autoscaler: ApiObject): void {
  const spec = ensureObject(autoscaler, 'spec');
  setDefault(spec, 'minReplicas', MIN_REPLICAS);
  if (objectsIn(spec, 'metrics').length === 0) {
    spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } } }];
  }
  setBehaviorDefaults(spec);
}

function validateSpec(autoscaler: ApiObject): FieldError[] {
  const spec = objectAt(autoscaler, 'spec') ?? {};
  return [
    ...validateReplicas(spec),
    ...validateTarget(objectAt(spec, 'scaleTargetRef') ?? {}, SPEC.child('scaleTargetRef')),
    ...validateMetrics(spec, SPEC.child('metrics')),
    ...validateBehavior(spec, SPEC.child('behavior')),
  ];
}

function validateReplicas(spec: JsonObject): FieldError[] {
  const [min, max] = [Number(spec['minReplicas'] ?? MIN_REPLICAS), Number(spec['maxReplicas'] ?? 0)];
  const at = SPEC.child('maxReplicas');
  return [
    ...(min < MIN_REPLICAS ? [invalid(SPEC.child('minReplicas'), min, `must be greater than or equal to ${MIN_REPLICAS}`)] : []),
    ...(max === 0
      ? [required(at, 'must be set and greater than 0')]
      : max < 0
        ? [invalid(at, max, 'must be greater than or equal to 1')]
        : []),
    ...(max < min ? [invalid(at, max, 'must be greater than or equal to `minReplicas`')] : []),
  ];
}

function validateTarget(target: JsonObject, path: Path): FieldError[] {
  const apiVersion = textAt(target, 'apiVersion');
  const at = path.child('apiVersion');
  const parts = apiVersion.split('/');
  const unnamed = parts.length === 1 && textAt(target, 'kind') !== WITHOUT_GROUP;
  return [
    ...validateReference(target, path),
    ...(parts.length > 2
      ? [invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
      : unnamed
        ? [invalid(at, apiVersion, 'apiVersion must specify API group')]
        : []),
  ];
}

export const horizontalPodAutoscalers: Kind = {
  name: 'horizontalpodautoscalers.autoscaling',
  versions: { 'autoscaling/v1': { conversion: autoscalerConversion } },
  defaults: setDefaults,
  validate: validateSpec,
  create: {
    prepare(autoscaler) {
      autoscaler['status'] = { desiredReplicas: 0, currentMetrics: null };
    },
  },
  update: {
    prepare(autoscaler, old) {
      autoscaler['status'] = old['status'];
    },
    review: (autoscaler, _old, metadata) => [...metadata.update(), ...validateSpec(autoscaler)],
  },
  subresources: {
    status: {
      prepare(autoscaler, old) {
        autoscaler['spec'] = old['spec'];
      },
      review: (autoscaler, _old, metadata) => [
        ...metadata.update(),
        ...nonNegativeMembers(objectAt(autoscaler, 'status') ?? {}, ['currentReplicas', 'desiredReplicas'], STATUS),
      ],
    },
  },
  cells: {
    Reference: (object) => `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
    Targets: targetsCell,
    MinPods: atOr(UNSET, 'spec', 'minReplicas'),
    MaxPods: numberAt('spec', 'maxReplicas'),
    Replicas: numberAt('status', 'currentReplicas'),
  },
};
