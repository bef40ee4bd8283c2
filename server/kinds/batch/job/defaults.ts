import { isSet } from '../../../../api/json/members.js';
import type * as v1 from '../../../../api/types/batch/v1.js';
import { ensureObject, objectsIn, setDefault, setTextDefault } from '../../../../api/json/defaulting.js';
import { setPodTemplateDefaults } from '../../core/podSpec/template.js';
import type { Draft, Writable } from '../../kind.js';

const backoffLimit = 6;
/** A limit per index replaces that of the whole job. */
const noBackoffLimit = 2 ** 31 - 1;

export function setJobDefaults(job: Draft<v1.Job>): void {
  const spec = ensureObject(job, 'spec');
  setJobTemplateDefaults(spec);
  // A job with neither runs one pod; one with only a parallelism ends when any pod has succeeded.
  if (!isSet(spec.completions) && !isSet(spec.parallelism)) spec.completions = 1;
  setDefault(spec, 'parallelism', 1);
  setDefault(spec, 'backoffLimit', isSet(spec.backoffLimitPerIndex) ? noBackoffLimit : backoffLimit);
  setDefault(spec, 'completionMode', 'NonIndexed');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'podReplacementPolicy', isSet(spec.podFailurePolicy) ? 'Failed' : 'TerminatingOrFailed');
  setDefault(spec, 'manualSelector', false);
  mirrorLabels(job);
}

export function setJobTemplateDefaults(spec: Writable<v1.JobSpec>): void {
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  for (const rule of objectsIn(spec.podFailurePolicy, 'rules')) {
    for (const pattern of objectsIn(rule, 'onPodConditions')) setTextDefault(pattern, 'status', 'True');
  }
}

/** A job without labels shares its pods' label map, including later additions. */
export function mirrorLabels(job: Draft<v1.Job>): void {
  const labels = job.spec?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(labels).length === 0 || Object.keys(job.metadata.labels ?? {}).length > 0) return;
  job.metadata.labels = labels;
}
