import type { Job, JobStatus } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import type { LabelsOf, Measures } from '../measures.js';
import { isFinished as hasEnded } from '../workloads/podState.js';
import type { Facts } from './facts.js';
import { parseIndexes } from './indexes.js';
import type { PodStep } from './plan.js';
import { countsAsFailed, hasIndexBackoff, isIndexed, isTracked, policyMatch } from './podOutcome.js';
import type { Verdict } from './verdict.js';

/** Metrics of Jobs, under the names of the reference. */
export class JobCounts {
  readonly #measures: Measures;

  constructor(measures: Measures) {
    this.#measures = measures;
  }

  synced(job: Job, action: SyncAction, ok: boolean, seconds: number): void {
    const labels = { completion_mode: modeOf(job), result: ok ? 'success' : 'error', action };
    this.#measures.count('job_controller_job_syncs_total', labels);
    this.#measures.observe('job_controller_job_sync_duration_seconds', labels, seconds);
  }

  created({ job, failed, terminating }: Facts, succeeded: number, refused: number): void {
    const reason = creationReason(job, failed, terminating);
    if (succeeded > 0) this.#measures.count('job_controller_job_pods_creation_total', { reason, status: 'succeeded' }, succeeded);
    if (refused > 0) this.#measures.count('job_controller_job_pods_creation_total', { reason, status: 'failed' }, refused);
  }

  counted(job: Job, before: JobStatus, after: JobStatus): void {
    const completion_mode = modeOf(job);
    for (const result of ['succeeded', 'failed'] as const)
      this.#more('job_controller_job_pods_finished_total', { completion_mode, result }, (after[result] ?? 0) - (before[result] ?? 0));
    if (!isIndexed(job)) return;
    const backoffLimit = hasIndexBackoff(job) ? 'perIndex' : 'global';
    const grown = (member: 'completedIndexes' | 'failedIndexes'): number => sizeOf(job, after[member]) - sizeOf(job, before[member]);
    this.#more('job_controller_job_finished_indexes_total', { status: 'succeeded', backoffLimit }, grown('completedIndexes'));
    this.#more('job_controller_job_finished_indexes_total', { status: 'failed', backoffLimit }, grown('failedIndexes'));
  }

  freed(job: Job, pods: readonly Pod[]): void {
    for (const pod of pods) {
      const action = countsAsFailed(pod, job) ? policyMatch(pod, job)?.action : undefined;
      if (action !== undefined) this.#measures.count('job_controller_pod_failures_handled_by_failure_policy_total', { action });
    }
  }

  ended(job: Job, { succeeds, reason }: Verdict): void {
    const result = succeeds ? 'succeeded' : 'failed';
    this.#measures.count('job_controller_jobs_finished_total', { completion_mode: modeOf(job), result, reason });
  }

  seen(before: Pod | null, after: Pod | null): void {
    const waits = (pod: Pod | null): boolean => pod !== null && isTracked(pod) && hasEnded(pod);
    if (waits(before) === waits(after)) return;
    this.#measures.count('job_controller_terminated_pods_tracking_finalizer_total', { event: waits(after) ? 'add' : 'delete' });
  }

  ofOthers(controller_name: string): void {
    this.#measures.count('job_controller_jobs_by_external_controller_total', { controller_name });
  }

  #more<N extends 'job_controller_job_pods_finished_total' | 'job_controller_job_finished_indexes_total'>(
    name: N,
    labels: LabelsOf<N>,
    by: number,
  ): void {
    if (by > 0) this.#measures.count(name, labels, by);
  }
}

export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

export function actionOf(step: PodStep, settled: boolean): SyncAction {
  if (step.do === 'create') return 'pods_created';
  if (step.do === 'delete') return 'pods_deleted';
  return step.do === 'nothing' && settled ? 'tracking' : 'reconciling';
}

const modeOf = ({ spec }: Job): string => spec?.completionMode ?? 'NonIndexed';
const sizeOf = (job: Job, text: string | undefined): number => parseIndexes(text, job.spec?.completions ?? 0).size;

function creationReason({ spec }: Job, failed: number, terminating: number): string {
  if (spec?.podReplacementPolicy === 'Failed' && failed > 0) return 'recreate_failed';
  return failed > 0 || terminating > 0 ? 'recreate_terminating_or_failed' : 'new';
}
