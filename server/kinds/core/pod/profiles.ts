import type * as v1 from '../../../../api/types/core/v1.js';
import { entryOf, forbidden, isSet, Path, type FieldError, type Writable } from '../../language.js';
import {
  apparmorAnnotation,
  placedContainers,
  seccompContainerAnnotation,
  seccompPodAnnotation,
  type Annotations,
  type Placed,
} from '../podSpec/warnings/containers.js';

/** Security profiles in fields and in older annotations, which must agree. */

type PodSpec = Writable<v1.PodSpec>;
type Profile = Writable<v1.SeccompProfile> | Writable<v1.AppArmorProfile>;

const localhost = 'localhost/';

interface Profiles {
  readonly member: 'seccompProfile' | 'appArmorProfile';
  readonly name: string;
  readonly podAnnotation: string | null;
  readonly containerAnnotation: string;
  readonly spellings: Readonly<Record<string, readonly string[]>>;
  /** Containers without a profile are compared with the pod's. */
  readonly inherits: boolean;
}

const seccomp: Profiles = {
  member: 'seccompProfile',
  name: 'seccomp',
  podAnnotation: seccompPodAnnotation,
  containerAnnotation: seccompContainerAnnotation,
  inherits: false,
  spellings: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default', 'docker/default'] },
};
const apparmor: Profiles = {
  member: 'appArmorProfile',
  name: 'apparmor',
  podAnnotation: null,
  containerAnnotation: apparmorAnnotation,
  inherits: true,
  spellings: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default'] },
};

/** Reports contradictions of annotations and fields; `path` is that of the specification. */
export const validateProfilesAgree = (annotations: Annotations, spec: PodSpec, path: Path): FieldError[] =>
  [seccomp, ...(spec.os?.name === 'windows' ? [] : [apparmor])].flatMap((profiles) => agree(profiles, annotations, spec, path));

function agree(profiles: Profiles, annotations: Annotations, spec: PodSpec, path: Path): FieldError[] {
  const isAnnotated = Object.keys(annotations).some(
    (key) => key === profiles.podAnnotation || key.startsWith(profiles.containerAnnotation),
  );
  if (!isAnnotated) return [];
  const ofPod = spec.securityContext?.[profiles.member];
  return [
    ...(profiles.podAnnotation === null || !isSet(ofPod)
      ? []
      : contradiction(profiles, annotations[profiles.podAnnotation], ofPod, path.child('securityContext', profiles.member))),
    ...placedContainers(spec, path).flatMap(({ container, path: at }) => {
      const profile = container.securityContext?.[profiles.member] ?? (profiles.inherits ? ofPod : null);
      const annotation = annotations[`${profiles.containerAnnotation}${container.name ?? ''}`];
      return isSet(profile) ? contradiction(profiles, annotation, profile, at.child('securityContext', profiles.member)) : [];
    }),
  ];
}

function contradiction({ name, spellings }: Profiles, annotation: string | undefined, profile: Profile, path: Path): FieldError[] {
  if (!isSet(annotation)) return [];
  const { type = '' } = profile;
  const wrongType = forbidden(path.child('type'), `${name} type in annotation and field must match`);
  if (type !== 'Localhost') return entryOf(spellings, type)?.includes(annotation) === false ? [wrongType] : [];
  if (!annotation.startsWith(localhost)) return [wrongType];
  return annotation.slice(localhost.length) === profile.localhostProfile
    ? []
    : [forbidden(path.child('localhostProfile'), `${name} profile in annotation and field must match`)];
}

function appArmorField(annotation: string): Writable<v1.AppArmorProfile> | null {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const file = annotation.startsWith(localhost) ? annotation.slice(localhost.length) : '';
  return file === '' || file.trim() !== file ? null : { type: 'Localhost', localhostProfile: file };
}

export const annotatedContainers = (
  annotations: Annotations,
  spec: PodSpec,
): (Placed & { readonly key: string; readonly field: Writable<v1.AppArmorProfile> | null })[] =>
  placedContainers(spec, Path.of('spec')).flatMap((placed) => {
    const key = `${apparmorAnnotation}${placed.container.name ?? ''}`;
    const annotation = annotations[key];
    return isSet(annotation) ? [{ ...placed, key, field: appArmorField(annotation) }] : [];
  });
