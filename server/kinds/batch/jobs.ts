import type * as v1 from '../../../api/types/batch/v1.js';
import {
  age,
  below,
  condition,
  created,
  dnsLabelName,
  duration,
  gate,
  hasNewGeneration,
  inOrder,
  invalid,
  joinedAt,
  objectRules,
  Path,
  selectorAt,
  specOf,
  textAt,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Writable,
} from '../language.js';
import { podNameWarnings } from '../apps/workloadWarnings.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { generateSelector, mirrorLabels, validateGeneratedSelector } from './job/selector.js';
import { jobSpec } from './job/spec.js';
import { validateJobStatus } from './job/status.js';
import { validateJobSpecUpdate } from './job/update.js';

const spec = Path.of('spec');
const orphanWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

const rules = objectRules<v1.Job>({ spec: created(jobSpec) });
const validate = (job: Draft<v1.Job>): Found => inOrder(validateGeneratedSelector(job), rules(job), validateHostNames(job));

/** Pods of an indexed job are named after their index. */
function validateHostNames(job: Draft<v1.Job>): FieldError[] {
  const spec = specOf(job);
  const completions = Number(spec.completions ?? 0);
  if (spec.completionMode !== 'Indexed' || completions <= 0) return [];
  const longest = `${job.metadata.name ?? ''}-${completions - 1}`;
  return dnsLabelName(longest, false).length === 0
    ? []
    : [invalid(Path.of('metadata', 'name'), job.metadata.name ?? '', `will not able to create pod with invalid DNS label: ${longest}`)];
}

const completionsSoftMax = 100_000;
const parallelismSoftMax = 10_000;
const manyIndexes =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

export function jobSpecWarnings(spec: Writable<v1.JobSpec>, path: Path): string[] {
  const many =
    spec.completionMode === 'Indexed' &&
    Number(spec.completions ?? 0) > completionsSoftMax &&
    Number(spec.parallelism ?? 0) > parallelismSoftMax;
  return [...(many ? [manyIndexes] : []), ...templateWarnings(spec.template, path.child('template'))];
}

function jobStatus(job: Draft<v1.Job>): string {
  for (const [type, text] of [
    ['Complete', 'Complete'],
    ['Failed', 'Failed'],
  ] as const)
    if (condition(job, type)?.status === 'True') return text;
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const [type, text] of [
    ['Suspended', 'Suspended'],
    ['FailureTarget', 'FailureTarget'],
    ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
  ] as const) {
    if (condition(job, type)?.status === 'True') return text;
  }
  return 'Running';
}

function completions(job: Draft<v1.Job>): string {
  const done = textAt(job, 'status', 'succeeded') || '0';
  const wanted = textAt(job, 'spec', 'completions');
  if (wanted !== '') return `${done}/${wanted}`;
  const parallelism = Number(textAt(job, 'spec', 'parallelism') || 0);
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function jobDuration(job: Draft<v1.Job>, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  const end = textAt(job, 'status', 'completionTime');
  if (start === '') return '';
  return end === '' ? age(start, now) : duration((Date.parse(end) - Date.parse(start)) / 1000);
}

export const jobs: Kind<Draft<v1.Job>> = {
  name: 'jobs.batch',
  gated: [below('spec.template.spec', podSpecGates), gate('JobManagedBy', 'spec.managedBy')],
  metadata: { generationOf: ['spec'] },
  defaults(job) {
    rules.defaults(job);
    mirrorLabels(job);
  },
  validate,
  // This default also applies on reads; a refusal because of labels set by it would confuse.
  canonicalize(job, unstored) {
    if (unstored !== true) mirrorLabels(job);
  },
  warnings: (job, old) => [
    ...(old === null ? podNameWarnings(job) : []),
    ...(hasNewGeneration(job, old) ? jobSpecWarnings(specOf(job), spec) : []),
  ],
  create: {
    named: generateSelector,
  },
  update: {
    review: ['objectMeta', validate, 'objectMetaUpdate', (job, old, { context: { enabled } }) => validateJobSpecUpdate(job, old, enabled)],
  },
  subresources: {
    status: {
      review: ['objectMetaUpdate', validateJobStatus],
    },
  },
  delete: { propagation: 'orphan', warnings: (policy) => (policy === null ? [orphanWarning] : []) },
  fields: {
    values: { 'status.successful': (job) => textAt(job, 'status', 'succeeded') || '0' },
    unsupported: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  },
  cells: {
    Status: jobStatus,
    Completions: completions,
    Duration: jobDuration,
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Selector: selectorAt('spec.selector'),
  },
};
