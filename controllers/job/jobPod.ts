import { nameOf } from '../../api/meta/object.js';
import { type Job, jobs } from '../../api/types/batch/v1.js';
import type { Container, Pod } from '../../api/types/core/v1.js';
import { podOf } from '../workloads/podTemplate.js';
import { failureCountAnnotation, ignoredCountAnnotation, indexAnnotation, trackingFinalizer } from './podOutcome.js';
import type { PodOrder } from './sizing.js';

const indexVariable = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } } };
/** Names get a suffix of five characters, within the length of a DNS label. */
const prefixMax = 58;

/** Returns a pod of a Job with the finalizer that the controller must remove. Pure. */
export function jobPod(job: Job, { index, failures, ignoredFailures }: PodOrder): Pod {
  const plain = podOf(job.spec?.template, jobs, job);
  const pod = {
    ...plain,
    metadata: { ...plain.metadata, finalizers: [...new Set([...(plain.metadata.finalizers ?? []), trackingFinalizer])] },
  };
  if (index === null) return pod;
  const name = `${nameOf(job)}-${index}`;
  const counts =
    failures === null
      ? {}
      : {
          [failureCountAnnotation]: String(failures),
          ...(ignoredFailures > 0 ? { [ignoredCountAnnotation]: String(ignoredFailures) } : {}),
        };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: `${name}-`.length > prefixMax ? `${name.slice(0, prefixMax - 1)}-` : `${name}-`,
      labels: { ...pod.metadata.labels, [indexAnnotation]: String(index) },
      annotations: { ...pod.metadata.annotations, [indexAnnotation]: String(index), ...counts },
    },
    spec: {
      ...pod.spec,
      hostname: pod.spec?.hostname ?? name,
      ...withVariable(pod.spec?.containers ?? [], pod.spec?.initContainers),
    },
  };
}

function withVariable(
  containers: readonly Container[],
  initContainers: readonly Container[] = [],
): { containers: readonly Container[]; initContainers?: readonly Container[] } {
  const add = (container: Container): Container =>
    container.env?.some(({ name }) => name === indexVariable.name)
      ? container
      : { ...container, env: [...(container.env ?? []), indexVariable] };
  return { containers: containers.map(add), ...(initContainers.length > 0 ? { initContainers: initContainers.map(add) } : {}) };
}
