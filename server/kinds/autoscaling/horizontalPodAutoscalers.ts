import type * as v2 from '../../../api/types/autoscaling/v2.js';
import {
  all,
  at,
  byDefault,
  changed,
  created,
  gate,
  insteadOfZero,
  invalid,
  keepable,
  members,
  minimum,
  missing,
  nonNegative,
  numberAt,
  objectRules,
  off,
  on,
  orZero,
  textAt,
  unset,
  type ApiObject,
  type Cells,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { behavior } from './autoscaler/behavior.js';
import { metrics, reference, version } from './autoscaler/metrics.js';
import { autoscalerConversion } from './conversion.js';
import { targetsCell } from './targets.js';

type Autoscaler = Draft<v2.HorizontalPodAutoscaler>;
type Reference = Writable<v2.CrossVersionObjectReference>;

const minReplicas = 1;
const cpuPercent = 80;
/** The only scalable kind of the core group. */
const withoutGroup = 'ReplicationController';

const busyProcessors = (): Writable<v2.MetricSpec>[] => [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuPercent } } },
];

const targetVersion = members<v2.CrossVersionObjectReference>({
  apiVersion: (apiVersion = '', path, { kind }: Reference) => version(kind === withoutGroup)(apiVersion, path),
});
// An unchanged target is not checked again.
const sameTarget = (findings: FieldError[], target: Reference | null | undefined): FieldError[] =>
  keepable(`${target?.apiVersion ?? ''} ${target?.kind ?? ''}`, findings);

const validateSpec = objectRules<v2.HorizontalPodAutoscaler>({
  spec: created(
    members<v2.HorizontalPodAutoscalerSpec>({
      minReplicas: byDefault(minReplicas, off('HPAScaleToZero', minimum(minReplicas)), on('HPAScaleToZero', minimum(0))),
      maxReplicas: orZero(mostReplicas),
      scaleTargetRef: all(reference, changed(targetVersion, sameTarget)),
      metrics: insteadOfZero(busyProcessors, metrics),
      behavior,
    }),
  ),
});
const validateStatus = objectRules<v2.HorizontalPodAutoscaler>({
  status: members<v2.HorizontalPodAutoscalerStatus>({ currentReplicas: nonNegative, desiredReplicas: nonNegative }),
});

function mostReplicas(most: number, path: Path, spec: Writable<v2.HorizontalPodAutoscalerSpec>): FieldError[] {
  const findings = most < 0 ? minimum(minReplicas)(most, path) : [];
  if (most === 0) findings.push(missing(path, 'must be set and greater than 0'));
  if (most < (spec.minReplicas ?? minReplicas)) findings.push(invalid(path, most, 'must be greater than or equal to `minReplicas`'));
  return findings;
}

const cells: Cells<Autoscaler> = {
  Reference: (object) => `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
  Targets: targetsCell,
  MinPods: at('spec.minReplicas', unset),
  MaxPods: numberAt('spec.maxReplicas'),
  Replicas: numberAt('status.currentReplicas'),
};

/** Most metrics of the earlier version stand in an annotation. */
const targetsOfEarlier = (autoscaler: ApiObject): string => targetsCell(autoscalerConversion.toStorage(autoscaler));

export const horizontalPodAutoscalers: Kind<Autoscaler> = {
  name: 'horizontalpodautoscalers.autoscaling',
  gated: [gate('HPAConfigurableTolerance', 'spec.behavior.scaleUp.tolerance', 'spec.behavior.scaleDown.tolerance')],
  versions: { 'autoscaling/v1': { conversion: autoscalerConversion, cells: { ...cells, Targets: targetsOfEarlier } } },
  defaults: validateSpec.defaults,
  validate: validateSpec,
  create: { status: { desiredReplicas: 0, currentMetrics: null } },
  update: {
    review: ['objectMetaUpdate', validateSpec],
  },
  subresources: {
    status: {
      review: ['objectMetaUpdate', validateStatus],
    },
  },
  cells,
};
