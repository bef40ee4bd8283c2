import type { ApiObject, JsonValue } from '../../api/object.js';
import { sameMeaning, sameValue } from '../../api/json/equality.js';
import { memberAt } from '../../api/json/members.js';
import type { PathIn, ValueAt } from '../registry/memberPath.js';
import type { ChangeFindings } from '../registry/rules.js';
import { Path } from '../registry/validation/field.js';
import { printedAs } from '../registry/validation/internalStructures.js';
import { printedEntries, printedMap } from '../registry/validation/printed.js';
import { unchanged } from '../registry/validation/immutable.js';

/** An immutable member. `shown` formats the quoted value, if it differs. */
export function immutable<T extends object, const P extends string>(
  path: PathIn<T, P>,
  shown: (value: ValueAt<T, P>) => unknown = (value) => value,
): ChangeFindings<T> {
  const names = path.split('.');
  const field = Path.root.child(...names);
  return (object, old) => {
    const value = memberAt(object as ApiObject, ...names);
    return unchanged(value, memberAt(old as ApiObject, ...names), field, shown(value as ValueAt<T, P>));
  };
}

/** A map without entries equals none. */
export function immutableMap<T extends object, const P extends string>(path: PathIn<T, P>): ChangeFindings<T> {
  const names = path.split('.');
  const field = Path.root.child(...names);
  return (object, old) => {
    const [map, before] = [memberAt(object as ApiObject, ...names), memberAt(old as ApiObject, ...names)];
    return unchanged(printedEntries(map), printedEntries(before), field, printedMap(map));
  };
}

/** Empty lists and maps equal none (`apiequality.Semantic`). */
export const immutableSpec =
  (structure: string): ChangeFindings<ApiObject> =>
  ({ spec }, { spec: before }) => {
    if (sameValue(spec, before)) return [];
    const shown = printedAs(structure, spec as JsonValue);
    return sameMeaning(shown, printedAs(structure, before as JsonValue)) ? [] : unchanged(spec, before, Path.of('spec'), shown);
  };
