import type { ControllerRevision } from '../../api/types/apps/v1.js';
import type { PodTemplateSpec } from '../../api/types/core/v1.js';
import { setPodSpecDefaults } from '../../api/pods/defaults.js';
import { holds, patchOf, templateOf } from '../revisions/history.js';

/** Returns whether a revision equals a template, apart from members defaulted later: its pods need not be replaced. */
export function holdsInSubstance(revision: ControllerRevision, template: PodTemplateSpec | undefined): boolean {
  if (holds(revision, template)) return true;
  const kept = templateOf(revision);
  return kept !== undefined && holds({ ...revision, data: patchOf(withDefaults(kept)) }, template);
}

/** Applies the defaults of this release's API server. */
function withDefaults(template: PodTemplateSpec): PodTemplateSpec {
  const { metadata, spec, ...rest } = structuredClone(template);
  const filled = spec ?? { containers: [] };
  setPodSpecDefaults(filled as object as Parameters<typeof setPodSpecDefaults>[0]);
  return { ...rest, metadata: metadata ?? {}, spec: filled };
}
