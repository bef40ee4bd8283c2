import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../registry/defaulting.js';
import { itemsOf, textAt } from '../../../registry/members.js';
import { forbidden, Path, type FieldError } from '../../../registry/validation/field.js';
import { validateImageSpaces } from '../podSpec/validation/containers.js';
import { validateGatesOfNewPod, validatePodSpec } from '../podSpec/validation/podSpec.js';
import { annotationsOf, validatePodAnnotations } from './annotations.js';
import { validateProfilesAgree } from './profiles.js';

export const SPEC = Path.of('spec');
export const ANNOTATIONS = Path.of('metadata', 'annotations');
export const specOf = (pod: ApiObject): JsonObject => objectAt(pod, 'spec') ?? {};

/** Findings about a pod at any time, apart from its generic metadata. */
export function validatePod(pod: ApiObject): FieldError[] {
  const spec = specOf(pod);
  return [
    ...validatePodAnnotations(annotationsOf(pod), spec, ANNOTATIONS),
    ...validatePodSpec(spec, SPEC, { ofTemplate: false, podName: pod.metadata.name ?? '' }),
    ...validateTokenVolumes(spec),
    ...validateImageSpaces(spec, SPEC),
  ];
}

/** Findings about a pod that is created. */
export function validateNewPod(pod: ApiObject): FieldError[] {
  const spec = specOf(pod);
  return [
    ...validatePod(pod),
    ...(itemsOf(spec['ephemeralContainers']).length > 0 ? [forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create')] : []),
    ...validateGatesOfNewPod(spec, SPEC),
    ...validateProfilesAgree(annotationsOf(pod), spec, SPEC),
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
              SPEC.child('volumes').index(position).child('projected', 'sources').index(each).child('serviceAccountToken'),
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
}
