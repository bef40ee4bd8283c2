import { isControlledBy, nameOf, namespaceOf, uidOf, type KubeObject } from '../../api/meta/object.js';
import { apiVersionOf } from '../../api/meta/resource.js';
import { type Job, jobs } from '../../api/types/batch/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { type PodGroup, type Workload, workloads } from '../../api/types/scheduling/v1alpha2.js';
import { controllerReference } from '../workloads/claim.js';
import { nameHash } from '../workloads/templateHash.js';
import { isIndexed } from './podOutcome.js';

/**
 * Gang scheduling of Jobs (feature WorkloadWithJob): each has a Workload (the template) and a PodGroup made from it, which its pods name. Both refer to their
 * origin by name; ownership is checked as well. Pure.
 */

export type GangStep<T> =
  | { readonly do: 'use'; readonly object: T }
  | { readonly do: 'make'; readonly object: T }
  /** `why`: the fault in existing objects, or null. */
  | { readonly do: 'without'; readonly why: string | null };

const nameMax = 253;
const labelMax = 63;

/** Returns whether all pods of a Job run at the same time, and no group is set. */
export function isGang(job: Job): boolean {
  const { parallelism = 0, completions, template } = job.spec ?? {};
  return parallelism > 1 && completions === parallelism && isIndexed(job) && template?.spec?.schedulingGroup === undefined;
}

/** Returns whether the stored Job has never run. A Job that has, or could have while the feature was off, keeps its mode. */
export function isNew({ status = {} }: Job, pods: readonly Pod[]): boolean {
  const { startTime, succeeded = 0, failed = 0, conditions = [] } = status;
  return (
    pods.length === 0 && startTime === undefined && succeeded === 0 && failed === 0 && conditions.every(({ type }) => type !== 'Suspended')
  );
}

export function jobKeyOf(workload: Workload): string | null {
  const { apiGroup, kind, name } = workload.spec.controllerRef ?? {};
  return apiGroup === jobs.group && kind === jobs.kind && name ? `${namespaceOf(workload)}/${name}` : null;
}

export function workloadKeyOf(group: PodGroup): string | null {
  const name = group.spec.podGroupTemplateRef?.workload?.workloadName;
  return name ? `${namespaceOf(group)}/${name}` : null;
}

/** `found`: those of the Job. */
export function workloadStep(
  job: Job,
  { pods, found }: { readonly pods: readonly Pod[]; readonly found: readonly Workload[] },
): GangStep<Workload> {
  const step = stepFor(job, found, () => (isNew(job, pods) ? workloadOf(job) : null));
  if (step.do !== 'use') return step;
  const count = step.object.spec.podGroupTemplates?.length ?? 0;
  return count === 1 ? step : { do: 'without', why: `Workload ${nameOf(step.object)} has ${count} templates of groups, not one` };
}

/** `found`: those made from the Workload. */
export const groupStep = (job: Job, workload: Workload, found: readonly PodGroup[]): GangStep<PodGroup> =>
  stepFor(job, found, () => groupOf(job, workload));

function stepFor<T extends KubeObject & { readonly kind?: string }>(job: Job, found: readonly T[], make: () => T | null): GangStep<T> {
  const [only, ...more] = found;
  if (only === undefined) {
    const object = make();
    return object === null ? { do: 'without', why: null } : { do: 'make', object };
  }
  if (more.length > 0) return { do: 'without', why: `${found.map(nameOf).join(', ')} all claim to be for it` };
  return isControlledBy(only, job) ? { do: 'use', object: only } : { do: 'without', why: `${nameOf(only)} is not its own` };
}

function workloadOf(job: Job): Workload {
  return {
    metadata: { name: workloadName(job), namespace: namespaceOf(job), ownerReferences: [controllerReference(jobs, job)] },
    spec: {
      controllerRef: { apiGroup: jobs.group, kind: jobs.kind, name: nameOf(job) },
      podGroupTemplates: [{ name: templateName(job), schedulingPolicy: { gang: { minCount: job.spec?.parallelism ?? 1 } } }],
    },
  };
}

function groupOf(job: Job, workload: Workload): PodGroup | null {
  const template = workload.spec.podGroupTemplates?.[0];
  if (template === undefined) return null;
  return {
    metadata: {
      name: groupName(nameOf(workload), template.name),
      namespace: namespaceOf(job),
      ownerReferences: [
        controllerReference(jobs, job),
        { apiVersion: apiVersionOf(workloads), kind: workloads.kind, name: nameOf(workload), uid: uidOf(workload) },
      ],
    },
    spec: {
      podGroupTemplateRef: { workload: { workloadName: nameOf(workload), podGroupTemplateName: template.name } },
      schedulingPolicy: template.schedulingPolicy,
    },
  };
}

/**
 * Returns the pod as a member of a group. Unlike in the reference the group does not own it: a group waits for its pods, which the garbage collector would
 * keep while the owner exists.
 */
export const inGroup = (pod: Pod, group: PodGroup): Pod =>
  pod.spec ? { ...pod, spec: { ...pod.spec, schedulingGroup: { podGroupName: nameOf(group) } } } : pod;

/** Like the reference, hashes Go's print form of the uid, including its type. */
function workloadName(job: Job): string {
  const hash = nameHash(`(types.UID)${uidOf(job)}`);
  return `${nameOf(job).slice(0, nameMax - hash.length - 1)}-${hash}`;
}

const templateSuffix = '-pgt-0';
const templateName = (job: Job): string => `${nameOf(job).slice(0, labelMax - templateSuffix.length)}${templateSuffix}`;

/** Each part gets half of the room, plus the other's remainder. */
export function groupName(workload: string, template: string): string {
  const hash = nameHash(workload + template);
  const room = nameMax - hash.length - 2;
  const half = Math.floor(room / 2);
  const first = workload.slice(0, Math.max(room - half, room - template.length));
  return `${first}-${template.slice(0, room - first.length)}-${hash}`;
}
