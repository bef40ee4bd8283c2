import {
  atOnce,
  forbidden,
  invalid,
  keepable,
  localPath,
  objectsIn,
  Path,
  specOf,
  whileOn,
  type ApiObject,
  type Draft,
  type FieldError,
  type Writable,
} from '../../language.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { tolerations } from '../podSpec/validation/scheduling.js';
import {
  apparmorAnnotation,
  placedContainers,
  seccompContainerAnnotation,
  seccompPodAnnotation,
  type Annotations,
} from '../podSpec/warnings/containers.js';

/** Annotations with a meaning: some preceded fields, and are still checked. */

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const localhost = 'localhost/';
const namedSeccomp: ReadonlySet<string> = new Set(['runtime/default', 'docker/default', 'unconfined']);
const namedApparmor: ReadonlySet<string> = new Set(['', 'runtime/default', 'unconfined']);

type PodSpec = Writable<v1.PodSpec>;

export const annotationsOf = ({ metadata }: Pick<Partial<ApiObject>, 'metadata'>): Annotations => metadata?.annotations ?? {};

/** `path` is that of the annotations of a pod or template. */
export function validatePodAnnotations(annotations: Annotations, spec: PodSpec, path: Path): FieldError[] {
  return [
    ...(Object.hasOwn(annotations, mirrorAnnotation) && (spec.nodeName ?? '') === ''
      ? [invalid(path.key(mirrorAnnotation), annotations[mirrorAnnotation], 'must set spec.nodeName if mirror pod annotation is set')]
      : []),
    ...validateTolerationsText(annotations, path),
    ...validateDeletionCost(annotations, path),
    ...validateSeccomp(annotations, path),
    ...validateAppArmor(annotations, spec, path),
  ];
}

function validateTolerationsText(annotations: Annotations, path: Path): FieldError[] {
  const text = annotations[tolerationsAnnotation];
  if (typeof text !== 'string' || text === '') return [];
  try {
    const given = objectsIn({ given: JSON.parse(text) as Writable<v1.Toleration>[] }, 'given');
    return atOnce(tolerations(given, path.child(tolerationsAnnotation), null));
  } catch (error) {
    return [invalid(path, tolerationsAnnotation, error instanceof Error ? error.message : '')];
  }
}

/** A 32-bit decimal number without leading zeros or a plus sign. */
function validateDeletionCost(annotations: Annotations, path: Path): FieldError[] {
  const text = annotations[deletionCostAnnotation];
  if (text === undefined) return [];
  const value = Number(text);
  return /^(0|-?[1-9][0-9]*)$/.test(String(text)) && value >= -(2 ** 31) && value < 2 ** 31
    ? []
    : whileOn(
        'PodDeletionCost',
        keepable('cost of deletion', [invalid(path.key(deletionCostAnnotation), text, 'must be a 32bit integer')]),
      );
}

function validateSeccomp(annotations: Annotations, path: Path): FieldError[] {
  const keys = Object.keys(annotations).filter((key) => key === seccompPodAnnotation || key.startsWith(seccompContainerAnnotation));
  return keys
    .sort((a, b) => Number(b === seccompPodAnnotation) - Number(a === seccompPodAnnotation))
    .flatMap((key) => {
      const profile = String(annotations[key]);
      if (namedSeccomp.has(profile)) return [];
      return profile.startsWith(localhost)
        ? localPath(profile.slice(localhost.length), path.child(key))
        : [invalid(path.child(key), profile, 'must be a valid seccomp profile')];
    });
}

function validateAppArmor(annotations: Annotations, spec: PodSpec, path: Path): FieldError[] {
  const profiles = Object.entries(annotations).filter(([key]) => key.startsWith(apparmorAnnotation));
  if (profiles.length === 0) return [];
  const names = new Set(placedContainers(spec, Path.root).map(({ container }) => container.name ?? ''));
  return profiles.flatMap(([key, value]) => {
    const container = key.slice(apparmorAnnotation.length);
    const profile = String(value);
    return [
      ...(names.has(container) ? [] : [invalid(path.key(key), container, 'container not found')]),
      ...(namedApparmor.has(profile) || profile.startsWith(localhost)
        ? []
        : [invalid(path.key(key), profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)]),
    ];
  });
}

const fixedAnnotations: readonly (readonly [matches: (key: string) => boolean, what: string])[] = [
  [(key) => key.startsWith(apparmorAnnotation), 'AppArmor annotations'],
  [(key) => key === mirrorAnnotation, 'mirror pod annotation'],
];

export function validatePodAnnotationsUpdate(pod: Draft<v1.Pod>, old: Draft<v1.Pod>, path: Path): FieldError[] {
  const [present, before] = [annotationsOf(pod), annotationsOf(old)];
  const fixed = (key: string, verb: string): FieldError[] =>
    fixedAnnotations.filter(([matches]) => matches(key)).map(([, what]) => forbidden(path.key(key), `may not ${verb} ${what}`));
  return [
    ...Object.keys(before)
      .filter((key) => present[key] !== before[key])
      .flatMap((key) => fixed(key, 'remove or update')),
    ...Object.keys(present)
      .filter((key) => !Object.hasOwn(before, key))
      .flatMap((key) => fixed(key, 'add')),
    ...validatePodAnnotations(present, specOf(pod), path),
  ];
}
