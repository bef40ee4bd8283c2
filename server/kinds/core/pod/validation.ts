import type * as v1 from '../../../../api/types/core/v1.js';
import {
  each,
  forbidden,
  forbiddenAs,
  inOrder,
  itemsOf,
  members,
  Path,
  specOf,
  when,
  type Draft,
  type Found,
  type Writable,
} from '../../language.js';
import { imagesWithoutSpaces } from '../podSpec/validation/containers.js';
import { validateGatesOfNewPod, validatePodSpec } from '../podSpec/validation/podSpec.js';
import { annotationsOf, validatePodAnnotations } from './annotations.js';
import { validateProfilesAgree } from './profiles.js';

export const specPath = Path.of('spec');
export const annotations = Path.of('metadata', 'annotations');

const noToken = forbiddenAs('must not be specified when serviceAccountName is not set');
const projection = members<v1.VolumeProjection>({ serviceAccountToken: noToken });
const projected = members<v1.ProjectedVolumeSource>({ sources: each(projection) });
/** A token needs a service account. */
const tokens = when(
  ({ serviceAccountName }: Writable<v1.PodSpec>) => (serviceAccountName ?? '') === '',
  members<v1.PodSpec>({ volumes: each(members<v1.Volume>({ projected })) }),
);

/** Excludes generic metadata. */
export function validatePod(pod: Draft<v1.Pod>): Found {
  const spec = specOf(pod);
  return inOrder(
    validatePodAnnotations(annotationsOf(pod), spec, annotations),
    validatePodSpec(spec, specPath, { ofTemplate: false, podName: pod.metadata.name ?? '' }),
    tokens(spec, specPath, pod),
    imagesWithoutSpaces(spec, specPath, pod),
  );
}

export function validateNewPod(pod: Draft<v1.Pod>): Found {
  const spec = specOf(pod);
  return inOrder(
    validatePod(pod),
    itemsOf(spec.ephemeralContainers).length > 0 ? [forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create')] : [],
    validateGatesOfNewPod(spec, specPath),
    validateProfilesAgree(annotationsOf(pod), spec, specPath),
  );
}
