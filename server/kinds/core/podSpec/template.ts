import type * as v1 from '../../../../api/types/core/v1.js';
import {
  completed,
  created,
  ensureObject,
  forbidden,
  inOrder,
  itemsOf,
  labelMap,
  specOf,
  type Found,
  type JsonObject,
  type Path,
  type Writable,
} from '../../language.js';
import { validateAnnotations } from '../../../registry/validation/metadata.js';
import { validatePodAnnotations } from '../pod/annotations.js';
import { validateProfilesAgree } from '../pod/profiles.js';
import { setPodSpecDefaults } from '../../../../api/pods/defaults.js';
import { validatePodSpec } from './validation/podSpec.js';

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
