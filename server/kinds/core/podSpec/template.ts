import type * as v1 from '../../../../api/types/core/v1.js';
import type { JsonObject } from '../../../../api/object.js';
import { ensureObject } from '../../../../api/json/defaulting.js';
import { itemsOf } from '../../../../api/json/members.js';
import { completed, created } from '../../../registry/validation/defaults.js';
import { forbidden, type Path } from '../../../registry/validation/field.js';
import { validateAnnotations } from '../../../registry/validation/metadata.js';
import { labelMap } from '../../../registry/validation/values.js';
import { validatePodAnnotations } from '../pod/annotations.js';
import { validateProfilesAgree } from '../pod/profiles.js';
import { setPodSpecDefaults } from '../../../../api/pods/defaults.js';
import { validatePodSpec } from './validation/podSpec.js';
import type { Writable } from '../../kind.js';
import { specOf } from '../../parts.js';
import { inOrder, type Found } from '../../../registry/validation/ofEach.js';

export function setPodTemplateDefaults(template: JsonObject): void {
  ensureObject(template, 'metadata');
  setPodSpecDefaults(ensureObject(template, 'spec'));
}

export const podTemplateDefaults = created(completed<Writable<v1.PodTemplateSpec>>(setPodTemplateDefaults));

/** Paths of labels and annotations omit `metadata`, as in the reference. */
export function validatePodTemplate(template: Writable<v1.PodTemplateSpec>, path: Path): Found {
  const spec = specOf(template);
  return inOrder(
    validateTemplateDescription(template, path),
    validatePodSpec(spec, path.child('spec'), { ofTemplate: true, podName: '' }),
    validateProfilesAgree(template.metadata?.annotations ?? {}, spec, path.child('spec')),
    itemsOf(spec.ephemeralContainers).length > 0
      ? [forbidden(path.child('spec').child('ephemeralContainers'), 'ephemeral containers not allowed in pod template')]
      : [],
  );
}

export function validateTemplateDescription(template: Writable<v1.PodTemplateSpec>, path: Path): Found {
  const { labels, annotations } = template.metadata ?? {};
  return inOrder(
    labelMap(labels, path.child('labels')),
    validateAnnotations(annotations, path.child('annotations')),
    validatePodAnnotations(annotations ?? {}, specOf(template), path.child('annotations')),
  );
}
