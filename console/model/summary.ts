import type { ApiObject } from './objects.js';
import type { Wellness } from './wellness.js';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly wellness: Wellness;
}

export interface Summary {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly images: readonly string[];
  readonly conditions: readonly Condition[];
}

/** Facts shown for objects that have them, by path. */
const facts = [
  ['Phase', 'status.phase'],
  ['Reason', 'status.reason'],
  ['Replicas', 'spec.replicas'],
  ['Ready', 'status.readyReplicas'],
  ['Up to date', 'status.updatedReplicas'],
  ['Available', 'status.availableReplicas'],
  ['Desired', 'status.desiredNumberScheduled'],
  ['Active', 'status.active'],
  ['Succeeded', 'status.succeeded'],
  ['Failed', 'status.failed'],
  ['Schedule', 'spec.schedule'],
  ['Last scheduled', 'status.lastScheduleTime'],
  ['Node', 'spec.nodeName'],
  ['Pod IP', 'status.podIP'],
  ['Type', 'spec.type'],
  ['Cluster IP', 'spec.clusterIP'],
  ['Storage class', 'spec.storageClassName'],
  ['Volume', 'spec.volumeName'],
  ['Kubelet', 'status.nodeInfo.kubeletVersion'],
  ['Deletion asked for', 'metadata.deletionTimestamp'],
] as const;

/** True is bad for these condition types; for others, in `goodTypes`, false is. */
const badTypes = /^(?:.*Failure|.*Pressure|Failed|FailureTarget|NetworkUnavailable|Stalled|Degraded|NonStructuralSchema|DisruptionTarget)$/;
const goodTypes = /^(?:Ready|Available|Progressing|ContainersReady|Initialized|PodScheduled|Established|NamesAccepted|Healthy|Synced)$/;

/** Summarizes an object of any kind by the members that kinds share. */
export function summaryOf(object: ApiObject): Summary {
  return {
    facts: facts.flatMap(([name, path]) => {
      const value = valueAt(object, path);
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
    }),
    images: imagesOf(object),
    conditions: listAt(object, 'status.conditions').map(conditionIn),
  };
}

function conditionIn(value: unknown): Condition {
  const {
    type = '',
    status = '',
    reason = '',
    message = '',
  } = (value ?? {}) as Partial<Record<'type' | 'status' | 'reason' | 'message', string>>;
  const isBad = badTypes.test(type) ? status === 'True' : goodTypes.test(type) && status === 'False';
  const isOver = reason === 'PodCompleted' || reason === 'JobComplete';
  return { type, status, reason, message, wellness: isBad && !isOver ? 'unwell' : goodTypes.test(type) && status === 'True' ? 'well' : '' };
}

const podSpecs = ['spec', 'spec.template.spec', 'spec.jobTemplate.spec.template.spec', 'template.spec'];

function imagesOf(object: ApiObject): readonly string[] {
  const images = podSpecs.flatMap((spec) =>
    ['initContainers', 'containers'].flatMap((list) =>
      listAt(object, `${spec}.${list}`).map((container) => (container as { readonly image?: unknown } | null)?.image),
    ),
  );
  return [...new Set(images.filter((image) => typeof image === 'string'))];
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const member of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined;
  return value;
}

function listAt(object: unknown, path: string): readonly unknown[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
