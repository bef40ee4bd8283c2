import { forbidden, itemsOf, notSupported, type FieldError, type Path } from '../language.js';

const single = 'ReadWriteOncePod';
const knownModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', single];

/** Access modes of a volume; the mode for a single pod excludes all others. */
export function accessModes(modes: readonly string[] | null | undefined, path: Path): FieldError[] {
  const known = itemsOf(modes).filter((mode) => knownModes.includes(mode));
  return [
    ...itemsOf(modes)
      .filter((mode) => !knownModes.includes(mode))
      .map((mode) => notSupported(path, mode, knownModes)),
    ...(known.includes(single) && known.some((mode) => mode !== single)
      ? [forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}
