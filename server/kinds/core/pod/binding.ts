import type * as v1 from '../../../../api/types/core/v1.js';
import {
  atOnce,
  ensureObject,
  itemsOf,
  members,
  nonZero,
  notSupported,
  objectRules,
  required,
  specOf,
  type Draft,
  type FieldError,
} from '../../language.js';

type Pod = Draft<v1.Pod>;
type Binding = Draft<v1.Binding>;

const bindingRules = objectRules<v1.Binding>({
  target: members<v1.ObjectReference>({
    kind: nonZero((kind, path) => (kind === 'Node' ? [] : [notSupported(path, kind, ['Node', '<empty>'])])),
    name: required(),
  }),
});
/** The reference reports an error of its own, not an invalid object. */
export const validateBinding = (binding: Binding): FieldError[] => atOnce(bindingRules(binding));

/** Returns why a pod cannot be bound, or null. */
export function bindingProblem(pod: Pod): string | null {
  const name = pod.metadata.name ?? '';
  const { nodeName = '', schedulingGates } = specOf(pod);
  if (pod.metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (nodeName !== '') return `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`;
  return itemsOf(schedulingGates).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : null;
}

/** Changes the pod. `clearsNomination` removes an earlier nominated node. */
export function bind(pod: Pod, binding: Binding, now: string, clearsNomination = true): Pod {
  ensureObject(pod, 'spec').nodeName = binding.target?.name ?? '';
  const { annotations, labels } = binding.metadata;
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels !== undefined) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  const status = ensureObject(pod, 'status');
  if (clearsNomination) delete status.nominatedNodeName;
  setCondition(status, { type: 'PodScheduled', status: 'True', lastProbeTime: null }, now);
  return pod;
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string | null;
}

interface Conditioned<C> {
  conditions?: C[];
}

/** The transition time changes only with the status. */
export function setCondition<C extends Condition>(status: Conditioned<C>, condition: C, now: string): void {
  const conditions = itemsOf(status.conditions) as readonly C[];
  const position = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[position];
  const lastTransitionTime = before?.status === condition.status ? (before?.lastTransitionTime ?? now) : now;
  const current = { ...condition, lastTransitionTime };
  status.conditions = position < 0 ? [...conditions, current] : conditions.map((each, index) => (index === position ? current : each));
}
