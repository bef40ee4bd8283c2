import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { forbidden, Path } from '../../../registry/validation/field.js';
import { validateImageSpaces } from '../podSpec/validation/containers.js';
import { validateGatesOfNewPod, validatePodSpec } from '../podSpec/validation/podSpec.js';
import { annotationsOf, validatePodAnnotations } from './annotations.js';
import { validateProfilesAgree } from './profiles.js';
import { specOf } from '../../parts.js';
import { inOrder, ofEach, type Found } from '../../../registry/validation/ofEach.js';

export const specPath = Path.of('spec');
export const annotations = Path.of('metadata', 'annotations');

/** Excludes generic metadata. */
export function validatePod(pod: ApiObject): Found {
  const spec = specOf(pod);
  return inOrder(
    validatePodAnnotations(annotationsOf(pod), spec, annotations),
    validatePodSpec(spec, specPath, { ofTemplate: false, podName: pod.metadata.name ?? '' }),
    validateTokenVolumes(spec),
    validateImageSpaces(spec, specPath),
  );
}

export function validateNewPod(pod: ApiObject): Found {
  const spec = specOf(pod);
  return inOrder(
    validatePod(pod),
    itemsOf(spec['ephemeralContainers']).length > 0 ? [forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create')] : [],
    validateGatesOfNewPod(spec, specPath),
    validateProfilesAgree(annotationsOf(pod), spec, specPath),
  );
}

/** A token needs a service account. */
function validateTokenVolumes(spec: JsonObject): Found {
  if (textAt(spec, 'serviceAccountName') !== '') return [];
  return ofEach(objectsIn(spec, 'volumes'), (volume, position) =>
    ofEach(objectsIn(objectAt(volume, 'projected') ?? {}, 'sources'), (source, each) =>
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
