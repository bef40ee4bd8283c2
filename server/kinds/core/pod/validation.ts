import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../registry/defaulting.js';
import { itemsOf, textAt } from '../../../registry/members.js';
import { forbidden, Path, type FieldError } from '../../../registry/validation/field.js';
import { validateImageSpaces } from '../podSpec/validation/containers.js';
import { validateGatesOfNewPod, validatePodSpec } from '../podSpec/validation/podSpec.js';
import { annotationsOf, validatePodAnnotations } from './annotations.js';
import { validateProfilesAgree } from './profiles.js';
import { specOf } from '../../parts.js';

export const specPath = Path.of('spec');
export const annotations = Path.of('metadata', 'annotations');

/** Findings about a pod at any time, apart from its generic metadata. */
export function validatePod(pod: ApiObject): FieldError[] {
  const spec = specOf(pod);
  return [
    ...validatePodAnnotations(annotationsOf(pod), { spec }, annotations),
    ...validatePodSpec(spec, specPath, { ofTemplate: false, podName: pod.metadata.name ?? '' }),
    ...validateTokenVolumes(spec),
    ...validateImageSpaces(spec, specPath),
  ];
}

/** Findings about a pod that is created. */
export function validateNewPod(pod: ApiObject): FieldError[] {
  const spec = specOf(pod);
  return [
    ...validatePod(pod),
    ...(itemsOf(spec['ephemeralContainers']).length > 0
      ? [forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create')]
      : []),
    ...validateGatesOfNewPod(spec, specPath),
    ...validateProfilesAgree(annotationsOf(pod), { spec }, specPath),
  ];
}

/** Whose token would it be? */
function validateTokenVolumes(spec: JsonObject): FieldError[] {
  if (textAt(spec, 'serviceAccountName') !== '') return [];
  return objectsIn(spec, 'volumes').flatMap((volume, position) =>
    objectsIn(objectAt(volume, 'projected') ?? {}, 'sources').flatMap((source, each) =>
      objectAt(source, 'serviceAccountToken') === null
        ? []
        : [
            forbidden(
              specPath.child('volumes').index(position).child('projected', 'sources').index(each).child('serviceAccountToken'),
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
}
