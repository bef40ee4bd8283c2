import type { ApiObject, JsonObject } from '../../api/object.js';
import { podNameWarnings } from '../apps/podNames.js';
import { dropDisabledTemplateFields } from '../core/podSpec/disabled.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';
import { objectAt } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import type { Strategy } from '../../registry/strategy.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { dnsLabelName } from '../../registry/validation/names.js';
import { mirrorLabels, setJobDefaults } from './job/defaults.js';
import { generateSelector, validateGeneratedSelector } from './job/selector.js';
import { validateJobSpec } from './job/spec.js';
import { validateJobStatus } from './job/status.js';
import { validateJobSpecUpdate } from './job/update.js';

const SPEC = Path.of('spec');
const ORPHAN_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
const specOf = (job: ApiObject): JsonObject => objectAt(job, 'spec') ?? {};

const validate = (job: ApiObject): FieldError[] => [
  ...validateGeneratedSelector(job),
  ...validateJobSpec(specOf(job), SPEC),
  ...validateHostNames(job),
];

/** Pods of an indexed job are named after their index, up to the last one. */
function validateHostNames(job: ApiObject): FieldError[] {
  const spec = specOf(job);
  const completions = Number(spec['completions'] ?? 0);
  if (spec['completionMode'] !== 'Indexed' || completions <= 0) return [];
  const longest = `${job.metadata.name ?? ''}-${completions - 1}`;
  return dnsLabelName(longest, false).length === 0
    ? []
    : [invalid(Path.of('metadata', 'name'), job.metadata.name ?? '', `will not able to create pod with invalid DNS label: ${longest}`)];
}

const COMPLETIONS_SOFT_MAX = 100_000;
const PARALLELISM_SOFT_MAX = 10_000;
const MANY_INDEXES =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

/** What is doubtful about the specification of a job, or of the jobs of a cron job. */
export function jobSpecWarnings(spec: JsonObject, path: Path): string[] {
  const many =
    spec['completionMode'] === 'Indexed' &&
    Number(spec['completions'] ?? 0) > COMPLETIONS_SOFT_MAX &&
    Number(spec['parallelism'] ?? 0) > PARALLELISM_SOFT_MAX;
  return [...(many ? [MANY_INDEXES] : []), ...templateWarnings(spec['template'], path.child('template'))];
}

export const jobs: Strategy = {
  generationOf: ['spec'],
  defaultPropagation: 'orphan',
  deleteWarnings: (policy) => (policy === null ? [ORPHAN_WARNING] : []),
  setDefaults: setJobDefaults,
  prepareForCreate(job) {
    job['status'] = {};
    dropDisabledTemplateFields(job);
  },
  named: generateSelector,
  prepareForUpdate(job, old) {
    job['status'] = old['status'];
    dropDisabledTemplateFields(job);
  },
  validate,
  // As a default this holds for what is read, too; that a job is refused because of labels that it got so would confuse.
  canonicalize: mirrorLabels,
  // The reference checks the specification once as on create and once as an update.
  reviewUpdate: (job, old, metadata) => [...metadata.object(), ...validate(job), ...metadata.update(), ...validateJobSpecUpdate(job, old)],
  warnings: (job, old) => [
    ...(old === null ? podNameWarnings(job) : []),
    ...(old === null || job.metadata.generation !== old.metadata.generation ? jobSpecWarnings(specOf(job), SPEC) : []),
  ],
  selectableFieldNames: ['status.successful'],
  selectableFields: (job) => ({ 'status.successful': textAt(job, 'status', 'succeeded') || '0' }),
  unsupportedField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  subresources: {
    status: {
      prepareForUpdate(job, old) {
        job['spec'] = old['spec'];
      },
      reviewUpdate: (job, old, metadata) => [...metadata.update(), ...validateJobStatus(job, old)],
    },
  },
};
