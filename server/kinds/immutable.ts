import type { ApiObject } from '../api/object.js';
import { memberAt } from '../registry/members.js';
import { Path, type FieldError } from '../registry/validation/field.js';
import { unchanged } from '../registry/validation/immutable.js';

/** Members that no update may change, by their paths: `spec.selector`. */
export function immutable(...paths: readonly string[]): (object: object, old: object) => FieldError[] {
  const members = paths.map((path) => path.split('.'));
  return (object, old) =>
    members.flatMap((path) =>
      unchanged(memberAt(object as ApiObject, ...path), memberAt(old as ApiObject, ...path), Path.root.child(...path)),
    );
}
