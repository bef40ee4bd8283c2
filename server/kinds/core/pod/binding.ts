import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { ensureObject, objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { notSupported, Path, required, type FieldError } from '../../../registry/validation/field.js';
import { specOf } from '../../parts.js';

/** Binding a pod to a node. */

/** The reference reports an error of its own, not an invalid object. */
export function validateBinding(binding: ApiObject): FieldError[] {
  const target = objectAt(binding, 'target') ?? {};
  const kind = textAt(target, 'kind');
  return [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported(Path.of('target', 'kind'), kind, ['Node', '<empty>'])]),
    ...(textAt(target, 'name') === '' ? [required(Path.of('target', 'name'), '')] : []),
  ];
}

/** Returns why a pod cannot be bound, or null. */
export function bindingProblem(pod: ApiObject): string | null {
  const name = pod.metadata.name ?? '';
  const spec = specOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (textAt(spec, 'nodeName') !== '') return `pod ${name} is already assigned to node ${JSON.stringify(textAt(spec, 'nodeName'))}`;
  return itemsOf(spec['schedulingGates']).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : null;
}

/** Changes the pod. `clearsNomination` removes an earlier nominated node. */
export function bind(pod: ApiObject, binding: ApiObject, now: string, clearsNomination = true): ApiObject {
  ensureObject(pod, 'spec')['nodeName'] = textAt(binding, 'target', 'name');
  const { annotations, labels } = binding.metadata;
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels !== undefined) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  const status = ensureObject(pod, 'status');
  if (clearsNomination) delete status['nominatedNodeName'];
  setCondition(status, { type: 'PodScheduled', status: 'True', lastProbeTime: null }, now);
  return pod;
}

/** The transition time changes only with the status. */
export function setCondition(
  status: JsonObject,
  condition: JsonObject & { readonly type: string; readonly status: string },
  now: string,
): void {
  const conditions = objectsIn(status, 'conditions');
  const position = conditions.findIndex((each) => each['type'] === condition.type);
  const before = conditions[position];
  const lastTransitionTime = before?.['status'] === condition.status ? (before['lastTransitionTime'] ?? now) : now;
  const current: JsonObject = { ...condition, lastTransitionTime };
  status['conditions'] = position < 0 ? [...conditions, current] : conditions.map((each, index) => (index === position ? current : each));
}
