import type { JsonObject } from '../../../api/object.js';
import { itemsOf } from '../../../api/json/members.js';
import { forbidden, notSupported, type Path, type FieldError } from '../../registry/validation/field.js';

const knownModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Access modes of a volume; the mode for a single pod excludes all others. */
export function validateAccessModes(spec: JsonObject, path: Path): FieldError[] {
  const modes = itemsOf(spec['accessModes']).map(String);
  const known = modes.filter((mode) => knownModes.includes(mode));
  const single = known.includes('ReadWriteOncePod');
  return [
    ...modes.filter((mode) => !knownModes.includes(mode)).map((mode) => notSupported(path, mode, knownModes)),
    ...(single && known.some((mode) => mode !== 'ReadWriteOncePod')
      ? [forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}
