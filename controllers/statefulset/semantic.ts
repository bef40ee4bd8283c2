import type { ControllerRevision } from '../../api/types/apps/v1.js';
import type { PodTemplateSpec } from '../../api/types/core/v1.js';
import { setPodSpecDefaults } from '../../api/pods/defaults.js';
import { holds, patchOf, templateOf } from '../revisions/history.js';

/**
 * Whether a revision holds a template in all that counts: also one that an earlier release has kept, without members that are filled in since. Such a template says what
 * the set says, and pods that were made from it need not be replaced.
 */
export function holdsInSubstance(revision: ControllerRevision, template: PodTemplateSpec | undefined): boolean {
  if (holds(revision, template)) return true;
  const kept = templateOf(revision);
  return kept !== undefined && holds({ ...revision, data: patchOf(withDefaults(kept)) }, template);
}

/** As the API server of this release would store it. */
function withDefaults(template: PodTemplateSpec): PodTemplateSpec {
  const { metadata, spec, ...rest } = structuredClone(template);
  const filled = spec ?? { containers: [] };
  setPodSpecDefaults(filled as object as Parameters<typeof setPodSpecDefaults>[0]);
  return { ...rest, metadata: metadata ?? {}, spec: filled };
}
