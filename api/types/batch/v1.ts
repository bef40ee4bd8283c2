// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as metaV1 from '../meta/v1.js';

/** Starts jobs at given times. */
export interface CronJob {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: CronJobSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: CronJobStatus;
}

export interface CronJobList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly CronJob[] | null;
}

export interface CronJobSpec {
  /** When to start jobs, as in cron. */
  readonly schedule: string;
  /** How late a job may start. */
  readonly startingDeadlineSeconds?: number;
  /** What if the last job still runs: Allow, Forbid or Replace. */
  readonly concurrencyPolicy?: string;
  /** Do not start jobs. */
  readonly suspend?: boolean;
  /** What jobs are made of. */
  readonly jobTemplate: JobTemplateSpec;
  /** How many jobs that ended well are kept. */
  readonly successfulJobsHistoryLimit?: number;
  /** How many failed jobs are kept. */
  readonly failedJobsHistoryLimit?: number;
  /** Time zone of the schedule. */
  readonly timeZone?: string;
}

export interface CronJobStatus {
  readonly active?: readonly coreV1.ObjectReference[];
  readonly lastScheduleTime?: metaV1.Time;
  readonly lastSuccessfulTime?: metaV1.Time;
}

/** Runs pods until enough of them have ended well. */
export interface Job {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: JobSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: JobStatus;
}

export interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface JobList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Job[] | null;
}

export interface JobSpec {
  /** How many pods run at the same time. */
  readonly parallelism?: number;
  /** How many pods must end well. */
  readonly completions?: number;
  /** Longest time for which the job may run. */
  readonly activeDeadlineSeconds?: number;
  readonly selector?: metaV1.LabelSelector;
  /** Use the given selector in place of a generated one. */
  readonly manualSelector?: boolean;
  /** What pods are made of. */
  readonly template: coreV1.PodTemplateSpec;
  /** How many failures there may be. */
  readonly backoffLimit?: number;
  /** Seconds after its end until the job is removed. */
  readonly ttlSecondsAfterFinished?: number;
  /** NonIndexed or Indexed. */
  readonly completionMode?: string;
  /** Do not run pods. */
  readonly suspend?: boolean;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
  readonly successPolicy?: SuccessPolicy;
}

export interface JobStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly JobCondition[];
  /** When the job was started. */
  readonly startTime?: metaV1.Time;
  /** When the job was done. */
  readonly completionTime?: metaV1.Time;
  /** Pods that run. */
  readonly active?: number;
  /** Pods that ended well. */
  readonly succeeded?: number;
  /** Pods that failed. */
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  readonly ready?: number;
  readonly failedIndexes?: string;
  readonly terminating?: number;
}

export interface JobTemplateSpec {
  readonly metadata?: metaV1.ObjectMeta;
  readonly spec?: JobSpec;
}

export interface PodFailurePolicy {
  readonly rules?: readonly PodFailurePolicyRule[] | null;
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  readonly operator: string;
  readonly values?: readonly number[] | null;
}

export interface PodFailurePolicyOnPodConditionsPattern {
  readonly type: string;
  readonly status?: string;
}

export interface PodFailurePolicyRule {
  readonly action: string;
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  readonly rules?: readonly SuccessPolicyRule[] | null;
}

export interface SuccessPolicyRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}

export const cronJobs: Resource<CronJob> = { group: 'batch', version: 'v1', resource: 'cronjobs', kind: 'CronJob', namespaced: true };
export const jobs: Resource<Job> = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };
