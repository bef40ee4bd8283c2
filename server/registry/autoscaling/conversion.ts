import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import type { Conversion } from '../conversion.js';
import { itemsOf, memberAt, membersOf, textAt } from '../members.js';

/**
 * Version 1 knows only one metric, average CPU utilisation, as plain members. What it cannot say travels in annotations, so that nothing
 * is lost when an old client reads an object and writes it back. Stored is version 2.
 */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

const isCpuUtilization = (metric: JsonValue): boolean =>
  textAt(metric, 'type') === 'Resource' && textAt(metric, 'resource', 'name') === 'cpu'
  && (textAt(metric, 'resource', 'target', 'averageUtilization') !== '' || textAt(metric, 'resource', 'current', 'averageUtilization') !== '');

const cpuMetric = (utilization: JsonValue): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } } });
const currentCpuMetric = (utilization: JsonValue): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } });

/** Puts a value into an annotation, or leaves it out when there is nothing to keep. */
function keep(object: ApiObject, annotation: string, value: JsonValue | undefined): void {
  if (value === undefined || itemsOf(value).length === 0 && Object.keys(membersOf(value)).length === 0) return;
  object.metadata.annotations = { ...object.metadata.annotations, [annotation]: JSON.stringify(value) };
}

/** Takes a value out of its annotation. A broken annotation counts as absent. */
function recall(object: ApiObject, annotation: string): JsonValue | undefined {
  const { [annotation]: text, ...others } = object.metadata.annotations ?? {};
  object.metadata.annotations = others;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function fromStorage(object: ApiObject): ApiObject {
  const { metrics, behavior, ...spec } = membersOf(object['spec']);
  const { currentMetrics, conditions, ...status } = membersOf(object['status']);
  const cpu = itemsOf(metrics).find(isCpuUtilization);
  const currentCpu = itemsOf(currentMetrics).find(isCpuUtilization);
  keep(object, METRICS, itemsOf(metrics).filter(metric => metric !== cpu));
  keep(object, CURRENT_METRICS, itemsOf(currentMetrics).filter(metric => metric !== currentCpu));
  keep(object, CONDITIONS, conditions);
  keep(object, BEHAVIOR, behavior);
  object['spec'] = { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: memberAt(cpu, 'resource', 'target', 'averageUtilization') }) };
  if (object['status'] !== undefined) {
    object['status'] = { currentReplicas: 0, desiredReplicas: 0, ...status, ...(currentCpu === undefined ? {} : { currentCPUUtilizationPercentage: memberAt(currentCpu, 'resource', 'current', 'averageUtilization') }) };
  }
  return object;
}

function toStorage(object: ApiObject): ApiObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = membersOf(object['spec']);
  const { currentCPUUtilizationPercentage: current, ...status } = membersOf(object['status']);
  const metrics = [...itemsOf(recall(object, METRICS)), ...(present(target) ? [cpuMetric(target)] : [])];
  const currentMetrics = [...itemsOf(recall(object, CURRENT_METRICS)), ...(present(current) ? [currentCpuMetric(current)] : [])];
  const behavior = recall(object, BEHAVIOR);
  const conditions = recall(object, CONDITIONS);
  object['spec'] = { ...spec, ...(metrics.length === 0 ? {} : { metrics }), ...(behavior === undefined ? {} : { behavior }) };
  if (object['status'] !== undefined) {
    object['status'] = { ...status, ...(currentMetrics.length === 0 ? {} : { currentMetrics }), ...(conditions === undefined ? {} : { conditions }) };
  }
  return object;
}

const present = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;

export const autoscalerConversion: Conversion = { toStorage, fromStorage };
