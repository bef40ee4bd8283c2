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

/** When Jobs are made, and what they are made of. | */
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

/** What is known of a CronJob. */
export interface CronJobStatus {
  /** Jobs that run. */
  readonly active?: readonly coreV1.ObjectReference[];
  /** When a Job was last due and made. */
  readonly lastScheduleTime?: metaV1.Time;
  /** When a Job last ended well. */
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

/** A statement about a Job. */
export interface JobCondition {
  /** What the statement is: Suspended, Complete, Failed, FailureTarget or SuccessCriteriaMet. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When it was last looked at. */
  readonly lastProbeTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
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

/** Which pods to run to their end, and when that is enough. */
export interface JobSpec {
  /** How many pods run at the same time. */
  readonly parallelism?: number;
  /** How many pods must end well. */
  readonly completions?: number;
  /** Longest time for which the job may run. */
  readonly activeDeadlineSeconds?: number;
  /** Selects the pods; made by the system unless it is told not to. */
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
  /** What follows from pods that fail. */
  readonly podFailurePolicy?: PodFailurePolicy;
  /** How often one index may fail before it counts as failed. */
  readonly backoffLimitPerIndex?: number;
  /** How many indexes may fail before the Job fails. */
  readonly maxFailedIndexes?: number;
  /** TerminatingOrFailed or Failed: when a pod is replaced. */
  readonly podReplacementPolicy?: string;
  /** Who works on the Job; the built-in controller if not given. Cannot be changed. */
  readonly managedBy?: string;
  /** When the Job has succeeded although not all indexes have. */
  readonly successPolicy?: SuccessPolicy;
}

/** What is known of a Job. */
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
  /** Indexes that succeeded, as text such as 1,3-5. */
  readonly completedIndexes?: string;
  /** Pods that have ended and are not in the numbers yet. */
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  /** How many pods are ready. */
  readonly ready?: number;
  /** Indexes that failed, as text such as 1,3-5. */
  readonly failedIndexes?: string;
  /** How many pods are going away. */
  readonly terminating?: number;
}

/** What a Job is made of. */
export interface JobTemplateSpec {
  /** Labels and annotations of the Job. */
  readonly metadata?: metaV1.ObjectMeta;
  /** Specification of the Job. */
  readonly spec?: JobSpec;
}

/** What follows from pods that fail. */
export interface PodFailurePolicy {
  /** The rules, at most 20; the first that fits counts. */
  readonly rules?: readonly PodFailurePolicyRule[] | null;
}

/** Exit codes that a rule fits. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Name of the container; any if not given. */
  readonly containerName?: string;
  /** In or NotIn. */
  readonly operator: string;
  /** The exit codes, in order and each once. */
  readonly values?: readonly number[] | null;
}

/** A condition of a pod that a rule fits. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Type of the condition. */
  readonly type: string;
  /** Status of the condition; True if not given. */
  readonly status?: string;
}

/** What follows from a pod that failed in some way. */
export interface PodFailurePolicyRule {
  /** FailJob, FailIndex, Ignore or Count. */
  readonly action: string;
  /** Exit codes that the rule fits. */
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /** Conditions of which one must be there. */
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

/** When a Job has succeeded although not all indexes have. */
export interface SuccessPolicy {
  /** The rules, of which one is enough. */
  readonly rules?: readonly SuccessPolicyRule[] | null;
}

/** Indexes that are enough. */
export interface SuccessPolicyRule {
  /** Which indexes must succeed, as text such as 1,3-5. */
  readonly succeededIndexes?: string;
  /** How many indexes must succeed. */
  readonly succeededCount?: number;
}

/** Pods that have ended and are not in the numbers yet. */
export interface UncountedTerminatedPods {
  /** Identities of those that succeeded. */
  readonly succeeded?: readonly string[];
  /** Identities of those that failed. */
  readonly failed?: readonly string[];
}

export const cronJobs: Resource<CronJob> = { group: 'batch', version: 'v1', resource: 'cronjobs', kind: 'CronJob', namespaced: true };
export const jobs: Resource<Job> = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };
