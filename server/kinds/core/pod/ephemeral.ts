import {
  forbidden,
  inOrder,
  itemsOf,
  Path,
  sameValue,
  specOf,
  type ApiObject,
  type Draft,
  type FieldError,
  type Found,
  type Review,
  type SubresourceRules,
} from '../../language.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { ephemeralDifference } from '../podSpec/printed.js';
import { annotationsOf, mirrorAnnotation, validatePodAnnotationsUpdate } from './annotations.js';
import { annotations, specPath, validatePod } from './validation.js';

type Pod = Draft<v1.Pod>;

/** Restores everything but the identity and version of an update. */
export function keepAllOf(pod: ApiObject, old: ApiObject): void {
  const { resourceVersion = '' } = pod.metadata;
  pod.metadata = { ...structuredClone(old.metadata), resourceVersion };
  for (const member of Object.keys(pod)) if (member !== 'metadata') delete pod[member];
  for (const [member, value] of Object.entries(old)) if (member !== 'metadata') pod[member] = structuredClone(value);
}

export function countGeneration(pod: Pod, old: Pod): void {
  if (!sameValue(pod.spec, old.spec)) pod.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

const path = specPath.child('ephemeralContainers');

/** Debug containers are neither changed nor removed. */
function validateAdditions(pod: Pod, old: Pod): FieldError[] {
  const present = new Map(itemsOf(specOf(pod).ephemeralContainers).map((container) => [container.name, container]));
  return itemsOf(specOf(old).ephemeralContainers).flatMap((container) => {
    const name = JSON.stringify(container.name ?? '');
    const now = present.get(container.name);
    if (now === undefined) return [forbidden(path, `existing ephemeral containers ${name} may not be removed\n`)];
    return sameValue(now, container)
      ? []
      : [forbidden(path, `existing ephemeral containers ${name} may not be changed\n${ephemeralDifference(container, now)}`)];
  });
}

export const ephemeralContainers: SubresourceRules<Pod> = {
  prepare(pod, old) {
    const containers = specOf(pod).ephemeralContainers;
    keepAllOf(pod, old);
    const spec = specOf(pod);
    if (containers === undefined) delete spec.ephemeralContainers;
    else spec.ephemeralContainers = containers;
    countGeneration(pod, old);
  },
  review: [reviewAdditions],
};

function reviewAdditions(pod: Pod, old: Pod, { metadata }: Review): Found {
  if (Object.hasOwn(annotationsOf(old), mirrorAnnotation)) return [forbidden(Path.root, 'static pods do not support ephemeral containers')];
  return inOrder(
    metadata.update(),
    metadata.object(),
    validatePod(pod),
    validatePodAnnotationsUpdate(pod, old, annotations),
    validateAdditions(pod, old),
  );
}
