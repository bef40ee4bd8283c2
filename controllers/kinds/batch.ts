import type { Condition, KubeObject } from '../client/object.js';
import { resource } from '../client/resource.js';
import type { LabelSelector } from '../client/selectors.js';
import type { ObjectRef, PodTemplate } from './core.js';

/** Kinds of the group `batch`: the members that controllers read. */

export interface PodFailurePolicyRule {
  readonly action: string;
  readonly onExitCodes?: { readonly containerName?: string; readonly operator: string; readonly values: readonly number[] };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
}
export interface SuccessPolicyRule { readonly succeededIndexes?: string; readonly succeededCount?: number }
export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly podFailurePolicy?: { readonly rules: readonly PodFailurePolicyRule[] };
  readonly successPolicy?: { readonly rules: readonly SuccessPolicyRule[] };
  readonly podReplacementPolicy?: string;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template?: PodTemplate;
  readonly ttlSecondsAfterFinished?: number;
  readonly completionMode?: string;
  readonly suspend?: boolean;
  readonly managedBy?: string;
}
export interface JobCondition extends Condition { readonly lastProbeTime?: string | null }
export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
  readonly conditions?: readonly JobCondition[];
}
export interface Job extends KubeObject { readonly spec?: JobSpec; readonly status?: JobStatus }

export interface CronJob extends KubeObject {
  readonly spec?: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: string;
    readonly suspend?: boolean;
    readonly jobTemplate: { readonly metadata?: KubeObject['metadata']; readonly spec?: JobSpec };
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
  };
  readonly status?: { readonly active?: readonly (ObjectRef & { readonly resourceVersion?: string })[]; readonly lastScheduleTime?: string; readonly lastSuccessfulTime?: string };
}

export const jobs = resource<Job>('batch/v1', 'jobs', 'Job');
export const cronJobs = resource<CronJob>('batch/v1', 'cronjobs', 'CronJob');
