import type { JsonObject } from '../../../../api/object.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { entryOf, textAt } from '../../../../api/json/members.js';
import { forbidden, Path, type FieldError } from '../../../registry/validation/field.js';
import {
  apparmorAnnotation,
  placedContainers,
  seccompContainerAnnotation,
  seccompPodAnnotation,
  type Placed,
} from '../podSpec/warnings/containers.js';

/** Security profiles in fields and in older annotations, which must agree. */

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
export const validateProfilesAgree = (annotations: JsonObject, spec: JsonObject, path: Path): FieldError[] =>
  [seccomp, ...(textAt(spec, 'os', 'name') === 'windows' ? [] : [apparmor])].flatMap((profiles) =>
    agree(profiles, annotations, spec, path),
  );

function agree(profiles: Profiles, annotations: JsonObject, spec: JsonObject, path: Path): FieldError[] {
  const isAnnotated = Object.keys(annotations).some(
    (key) => key === profiles.podAnnotation || key.startsWith(profiles.containerAnnotation),
  );
  if (!isAnnotated) return [];
  const ofPod = objectAt(objectAt(spec, 'securityContext') ?? {}, profiles.member);
  return [
    ...(profiles.podAnnotation === null || ofPod === null
      ? []
      : contradiction(profiles, annotations[profiles.podAnnotation], ofPod, path.child('securityContext', profiles.member))),
    ...placedContainers(spec, path).flatMap(({ container, path: at }) => {
      const own = objectAt(objectAt(container, 'securityContext') ?? {}, profiles.member);
      const profile = own ?? (profiles.inherits ? ofPod : null);
      return profile === null
        ? []
        : contradiction(
            profiles,
            annotations[`${profiles.containerAnnotation}${textAt(container, 'name')}`],
            profile,
            at.child('securityContext', profiles.member),
          );
    }),
  ];
}

function contradiction({ name, spellings }: Profiles, annotation: unknown, profile: JsonObject, path: Path): FieldError[] {
  if (typeof annotation !== 'string') return [];
  const type = textAt(profile, 'type');
  const wrongType = forbidden(path.child('type'), `${name} type in annotation and field must match`);
  if (type !== 'Localhost') return entryOf(spellings, type)?.includes(annotation) === false ? [wrongType] : [];
  if (!annotation.startsWith(localhost)) return [wrongType];
  return annotation.slice(localhost.length) === profile['localhostProfile']
    ? []
    : [forbidden(path.child('localhostProfile'), `${name} profile in annotation and field must match`)];
}

function appArmorField(annotation: string): JsonObject | null {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const file = annotation.startsWith(localhost) ? annotation.slice(localhost.length) : '';
  return file === '' || file.trim() !== file ? null : { type: 'Localhost', localhostProfile: file };
}

export const annotatedContainers = (
  annotations: JsonObject,
  spec: JsonObject,
): (Placed & { readonly key: string; readonly field: JsonObject | null })[] =>
  placedContainers(spec, Path.of('spec')).flatMap((placed) => {
    const key = `${apparmorAnnotation}${textAt(placed.container, 'name')}`;
    const annotation = annotations[key];
    return typeof annotation === 'string' ? [{ ...placed, key, field: appArmorField(annotation) }] : [];
  });
