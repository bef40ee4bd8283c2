import type * as v1 from '../../../../../api/types/core/v1.js';
import {
  fieldNotFound,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  ofEach,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../../language.js';

type PodSpec = Writable<v1.PodSpec>;

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Such a volume needs the pod's own lifetime. These findings come last (validateFileKeyRefVolumes in core/validation). */
export function fileKeyVolumes(spec: PodSpec, path: Path): Found {
  const volumes = new Map(itemsOf(spec.volumes).map((volume) => [volume.name ?? '', volume]));
  const ofVariable = ({ valueFrom }: Writable<v1.EnvVar>, at: Path): FieldError[] => {
    if (!isSet(valueFrom?.fileKeyRef)) return [];
    const { volumeName = '' } = valueFrom.fileKeyRef;
    const [held, named] = [volumes.get(volumeName), at.child('valueFrom').child('fileKeyRef').child('volumeName')];
    if (held === undefined) return [fieldNotFound(named, volumeName)];
    return isSet(held.emptyDir) ? [] : [invalid(named, volumeName, 'referenced volume must be of type emptyDir')];
  };
  return inOrder(
    ...lists.map((list) =>
      ofEach([...itemsOf<Writable<v1.Container>[] | null | undefined>(spec[list])], ({ env }, position) =>
        ofEach(env ?? [], (variable, place) => ofVariable(variable, path.child(list).index(position).child('env').index(place))),
      ),
    ),
  );
}
