import type { ApiObject, JsonObject, JsonValue } from '../api/object.js';
import { typeNamed, typeOfKind, type Field, type KindName, type Shape } from '../catalogue/types.js';

/** Where the objects of a type hold lists and maps that are null while they are empty: names of members, `EACH` for every item or value. */
type ListPath = readonly string[];
const each = '*';

const known = new Map<string, readonly ListPath[]>();

/** Gives empty lists and maps the form in which they are kept. Until then they tell that their sender has set them. */
export function nullEmptyLists(object: ApiObject, kind: KindName): void {
  const key = `${kind.group}/${kind.version}/${kind.kind}`;
  let paths = known.get(key);
  if (paths === undefined) known.set(key, (paths = pathsIn(typeOfKind(kind)?.name ?? '', [])));
  for (const path of paths) clear(object, path);
}

/** A type that contains itself (a schema) is entered once. */
function pathsIn(type: string, around: readonly string[]): ListPath[] {
  if (around.includes(type)) return [];
  return [...(typeNamed(type)?.fields?.values() ?? [])].flatMap((field) => [
    ...ownPath(field),
    ...pathsOfShape(field.shape, [...around, type]).map((rest) => [field.name, ...rest]),
  ]);
}

const ownPath = ({ name, shape, presence }: Field): ListPath[] =>
  presence === 'nullable' && (shape.is === 'list' || shape.is === 'map') ? [[name]] : [];

function pathsOfShape(shape: Shape, around: readonly string[]): ListPath[] {
  if (shape.is === 'type') return pathsIn(shape.name, around);
  if (shape.is === 'list') return pathsOfShape(shape.items, around).map((rest) => [each, ...rest]);
  return shape.is === 'map' ? pathsOfShape(shape.values, around).map((rest) => [each, ...rest]) : [];
}

function clear(value: JsonValue | undefined, [first = '', ...rest]: ListPath): void {
  if (typeof value !== 'object' || value === null) return;
  if (first === each) {
    for (const item of Object.values(value)) clear(item, rest);
    return;
  }
  const holder = value as JsonObject;
  const member = holder[first];
  if (rest.length > 0) clear(member, rest);
  else if (typeof member === 'object' && member !== null && Object.keys(member).length === 0) holder[first] = null;
}
