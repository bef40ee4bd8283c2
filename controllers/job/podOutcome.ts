import { isTerminating, nameOf, namespaceOf } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';
import type { Job, PodFailurePolicyRule } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { conditionOf, hasFailed, hasSucceeded } from '../workloads/podState.js';

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredCountAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const isTracked = (pod: Pod): boolean => pod.metadata.finalizers?.includes(trackingFinalizer) ?? false;
export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed';
export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true;
export const hasIndexBackoff = (job: Job): boolean => isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;
/** Replaces only failed pods, and not terminating ones. */
export const replacesFailedOnly = ({ spec }: Job): boolean =>
  spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;

/** Null for an index that the Job cannot have. */
export function indexOf(pod: Pod, job: Job): number | null {
  const text = pod.metadata.annotations?.[indexAnnotation] ?? '';
  return /^\d+$/.test(text) && Number(text) < (job.spec?.completions ?? 0) ? Number(text) : null;
}

/** Returns whether the Job's result is decided and its pods are being removed. */
export const isEnding = ({ status }: Job): boolean =>
  ['SuccessCriteriaMet', 'FailureTarget'].some((type) => conditionOf(status?.conditions, type)?.status === 'True');

/**
 * A deleted pod counts as failed, because its kubelet may be gone, unless the Job has a pod failure policy. A pod deleted because its Job ends has not failed.
 */
export function countsAsFailed(pod: Pod, job: Job): boolean {
  if (hasFailed(pod)) return true;
  return !replacesFailedOnly(job) && !isEnding(job) && isTerminating(pod) && !hasSucceeded(pod);
}

export interface PolicyMatch {
  readonly action: string;
  readonly message: string;
}

export function policyMatch(pod: Pod, { spec }: Job): PolicyMatch | null {
  const rules = spec?.podFailurePolicy?.rules ?? [];
  for (const [index, rule] of rules.entries()) {
    const reason = rule.onExitCodes ? exitCodeReason(pod, rule.onExitCodes) : conditionReason(pod, rule.onPodConditions ?? []);
    if (reason !== null) return { action: rule.action, message: `${reason} matching ${rule.action} rule at index ${index}` };
  }
  return null;
}

function exitCodeReason(pod: Pod, { containerName, operator, values }: NonNullable<PodFailurePolicyRule['onExitCodes']>): string | null {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  for (const { name, state } of [...containerStatuses, ...initContainerStatuses]) {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (values?.includes(code) === (operator === 'In'))
      return `Container ${name} for pod ${namespaceOf(pod)}/${nameOf(pod)} failed with exit code ${code}`;
  }
  return null;
}

function conditionReason(pod: Pod, patterns: NonNullable<PodFailurePolicyRule['onPodConditions']>): string | null {
  const found = pod.status?.conditions?.find(({ type, status }) =>
    patterns.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  return found ? `Pod ${namespaceOf(pod)}/${nameOf(pod)} has condition ${found.type}` : null;
}

/** Returns whether a failed pod counts against the limits. */
export const isCounted = (pod: Pod, job: Job): boolean => policyMatch(pod, job)?.action !== 'Ignore';

export function finishedAt(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => timeOf(state?.terminated?.finishedAt));
  if (ends.length > 0 && ends.every((end) => !Number.isNaN(end))) return Math.max(...ends);
  const candidates = [
    timeOf(pod.metadata.deletionTimestamp),
    timeOf(conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime),
    timeOf(pod.metadata.creationTimestamp),
  ];
  return candidates.find((time) => !Number.isNaN(time)) ?? 0;
}

const countOf = (pod: Pod, annotation: string): number => Number(pod.metadata.annotations?.[annotation] ?? '0') || 0;
export const indexFailures = (pod: Pod): number => countOf(pod, failureCountAnnotation);
export const indexIgnoredFailures = (pod: Pod): number => countOf(pod, ignoredCountAnnotation);

/** Returns whether this failure was the last permitted one of its index. */
export function endsIndex(pod: Pod, job: Job): boolean {
  const action = policyMatch(pod, job)?.action;
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && indexFailures(pod) >= (job.spec?.backoffLimitPerIndex ?? Infinity);
}
