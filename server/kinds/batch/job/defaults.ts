import { isSet } from '../../../../api/json/members.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../../../../api/json/defaulting.js';
import { setPodTemplateDefaults } from '../../core/podSpec/template.js';
import { specOf } from '../../parts.js';

const backoffLimit = 6;
/** A limit per index replaces that of the whole job. */
const noBackoffLimit = 2 ** 31 - 1;

export function setJobDefaults(job: ApiObject): void {
  const spec = ensureObject(job, 'spec');
  setJobTemplateDefaults(spec);
  // A job with neither runs one pod; one with only a parallelism ends when any pod has succeeded.
  if (!isSet(spec['completions']) && !isSet(spec['parallelism'])) spec['completions'] = 1;
  setDefault(spec, 'parallelism', 1);
  setDefault(spec, 'backoffLimit', isSet(spec['backoffLimitPerIndex']) ? noBackoffLimit : backoffLimit);
  setDefault(spec, 'completionMode', 'NonIndexed');
  setDefault(spec, 'suspend', false);
  setDefault(spec, 'podReplacementPolicy', isSet(spec['podFailurePolicy']) ? 'Failed' : 'TerminatingOrFailed');
  setDefault(spec, 'manualSelector', false);
  mirrorLabels(job);
}

export function setJobTemplateDefaults(spec: JsonObject): void {
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  for (const rule of objectsIn(objectAt(spec, 'podFailurePolicy') ?? {}, 'rules')) {
    for (const pattern of objectsIn(rule, 'onPodConditions')) setTextDefault(pattern, 'status', 'True');
  }
}

/** A job without labels shares its pods' label map, including later additions. */
export function mirrorLabels(job: ApiObject): void {
  const labels = objectAt(objectAt(objectAt(specOf(job), 'template') ?? {}, 'metadata') ?? {}, 'labels') as Record<string, string> | null;
  if (labels === null || Object.keys(labels).length === 0 || Object.keys(job.metadata.labels ?? {}).length > 0) return;
  job.metadata.labels = labels;
}
