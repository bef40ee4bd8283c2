import {
  isObject,
  itemsOf,
  memberAt,
  membersOf,
  printedAs,
  specOf,
  statusOf,
  textAt,
  type ApiObject,
  type JsonObject,
  type JsonValue,
} from '../language.js';
import type { Conversion } from '../../registry/behaviour.js';
import { currentFromStorage, currentToStorage, targetFromStorage, targetToStorage } from './earlierMetrics.js';

/** Version 1 has only average CPU utilisation; annotations carry the rest. Version 2 is stored. */
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';

const isCpuUtilization = (metric: JsonValue): boolean =>
  textAt(metric, 'type') === 'Resource' &&
  textAt(metric, 'resource', 'name') === 'cpu' &&
  (textAt(metric, 'resource', 'target', 'averageUtilization') !== '' || textAt(metric, 'resource', 'current', 'averageUtilization') !== '');

const cpuMetric = (utilization: JsonValue): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } },
});
const currentCpuMetric = (utilization: JsonValue): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization: utilization } },
});

/** The behaviour annotation has the reference's internal structure, with Go names in any case. */
const behaviorMemberNames = new Map(
  [
    ...['scaleUp', 'scaleDown', 'stabilizationWindowSeconds', 'selectPolicy', 'policies', 'tolerance'],
    ...['type', 'value', 'periodSeconds'],
  ].map((member) => [member.toLowerCase(), member]),
);

/** Converts it to JSON names, without unset members. */
function behaviorMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(behaviorMembers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([member, held]): [string, JsonValue][] => {
      const name = behaviorMemberNames.get(member.toLowerCase());
      return name === undefined || held === null || held === undefined ? [] : [[name, behaviorMembers(held)]];
    }),
  );
}

const isEmpty = (value: JsonValue | undefined): boolean => itemsOf(value).length === 0 && Object.keys(membersOf(value)).length === 0;

const ownMetadata = (object: ApiObject): ApiObject => ({ ...object, metadata: { ...object.metadata } });

function keep(object: ApiObject, annotation: string, value: JsonValue | undefined): void {
  if (value === undefined || isEmpty(value)) return;
  object.metadata.annotations = { ...object.metadata.annotations, [annotation]: JSON.stringify(value) };
}

/** An invalid one counts as absent. */
function recall(object: ApiObject, annotation: string): JsonValue | undefined {
  const { [annotation]: text, ...others } = object.metadata.annotations ?? {};
  if (text === undefined) return undefined;
  // An empty map would differ from the stored absence.
  if (Object.keys(others).length > 0) object.metadata.annotations = others;
  else delete object.metadata.annotations;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const recallItems = (object: ApiObject, annotation: string): readonly JsonValue[] => itemsOf(recall(object, annotation));

function fromStorage(stored: ApiObject): ApiObject {
  const object = ownMetadata(stored);
  const { metrics, behavior, ...spec } = specOf(object);
  const { currentMetrics, conditions, ...status } = statusOf(object);
  const cpu = itemsOf(metrics).find(isCpuUtilization);
  const currentCpu = itemsOf(currentMetrics).find(isCpuUtilization);
  keep(
    object,
    metricsAnnotation,
    itemsOf(metrics)
      .filter((metric) => !isCpuUtilization(metric))
      .map(targetFromStorage),
  );
  // Includes what the status states as a plain member, which is incomplete.
  keep(object, currentMetricsAnnotation, itemsOf(currentMetrics).map(currentFromStorage));
  keep(object, conditionsAnnotation, conditions);
  keep(object, behaviorAnnotation, isEmpty(behavior) ? undefined : printedAs('autoscaling.v2.HorizontalPodAutoscalerBehavior', behavior));
  object.spec = {
    ...spec,
    ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: memberAt(cpu, 'resource', 'target', 'averageUtilization') }),
  };
  if (object.status !== undefined) {
    object.status = {
      currentReplicas: 0,
      desiredReplicas: 0,
      ...status,
      ...(currentCpu === undefined
        ? {}
        : { currentCPUUtilizationPercentage: memberAt(currentCpu, 'resource', 'current', 'averageUtilization') }),
    };
  }
  return object;
}

function toStorage(served: ApiObject): ApiObject {
  const object = ownMetadata(served);
  const { targetCPUUtilizationPercentage: target, ...spec } = specOf(object);
  const { currentCPUUtilizationPercentage: current, currentReplicas, ...status } = statusOf(object);
  const metrics = [...recallItems(object, metricsAnnotation).map(targetToStorage), ...(present(target) ? [cpuMetric(target)] : [])];
  const recalled = recallItems(object, currentMetricsAnnotation).map(currentToStorage);
  const currentMetrics = recalled.length > 0 || !present(current) ? recalled : [currentCpuMetric(current)];
  const behavior = behaviorMembers(recall(object, behaviorAnnotation) ?? {});
  const conditions = recallItems(object, conditionsAnnotation);
  object.spec = { ...spec, ...(metrics.length === 0 ? {} : { metrics }), ...(isEmpty(behavior) ? {} : { behavior }) };
  if (object.status !== undefined) {
    object.status = {
      ...status,
      // Version 2 always has it where version 1 states it.
      ...(present(currentReplicas) && currentReplicas !== 0 ? { currentReplicas } : {}),
      currentMetrics: currentMetrics.length === 0 ? null : currentMetrics,
      ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    };
  }
  return object;
}

const present = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

export const autoscalerConversion: Conversion = { toStorage, fromStorage };
