import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { tellingAt, type Telling } from '../../api/catalogue/emptiness.js';
import { typeNamed, typeOfKind, type Field, type KindName, type Shape } from '../../api/catalogue/types.js';

/** A place in a type that may hold an empty list or map: names of members, `each` for every item or value. */
interface Place {
  readonly steps: readonly string[];
  readonly as: 'null' | 'absent';
}
const each = '*';

const known = new Map<string, readonly Place[]>();

function placesOf(kind: KindName): readonly Place[] {
  const key = `${kind.group}/${kind.version}/${kind.kind}`;
  let places = known.get(key);
  if (places === undefined) known.set(key, (places = placesIn(typeOfKind(kind)?.name ?? '', [], null)));
  return places;
}

/** Before this, empty lists and maps show that the sender has set them. */
export function settleEmpty(object: ApiObject, kind: KindName): void {
  for (const { steps, as } of placesOf(kind)) settle(object, steps, 0, as);
}

/** Removes empty values that will be absent, which have no owner. */
export function withoutEmpty(object: ApiObject, kind: KindName): ApiObject {
  const places = placesOf(kind).filter(({ as }) => as === 'absent');
  if (!places.some(({ steps }) => hasEmpty(object, steps, 0))) return object;
  const copy = structuredClone(object);
  for (const { steps, as } of places) settle(copy, steps, 0, as);
  return copy;
}

/** A type that contains itself (a schema) is entered once. Inner places come first. */
function placesIn(type: string, around: readonly string[], telling: Telling | null): Place[] {
  if (around.includes(type)) return [];
  const owner = type.split('.').at(-1) ?? type;
  return [...(typeNamed(type)?.fields?.values() ?? [])].flatMap((field) => {
    const own = tellingAt(owner, field.name) ?? telling;
    const below = placesOfShape(field.shape, [...around, type], own);
    return [...below.map(({ steps, as }) => ({ steps: [field.name, ...steps], as })), ...ownPlace(field, own)];
  });
}

function ownPlace({ name, shape, presence }: Field, telling: Telling | null): Place[] {
  if (shape.is !== 'list' && shape.is !== 'map') return [];
  if (presence === 'nullable') return [{ steps: [name], as: 'null' }];
  return telling === 'lists and maps' || (telling === 'lists' && shape.is === 'list') ? [{ steps: [name], as: 'absent' }] : [];
}

function placesOfShape(shape: Shape, around: readonly string[], telling: Telling | null): Place[] {
  if (shape.is === 'type') return placesIn(shape.name, around, telling);
  const inner = shape.is === 'list' ? shape.items : shape.is === 'map' ? shape.values : null;
  return inner === null ? [] : placesOfShape(inner, around, telling).map(({ steps, as }) => ({ steps: [each, ...steps], as }));
}

const isEmpty = (value: JsonValue | undefined): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function settle(value: JsonValue | ApiObject | undefined, steps: readonly string[], at: number, as: Place['as']): void {
  if (typeof value !== 'object' || value === null) return;
  const step = steps[at]!;
  if (step === each) {
    for (const item of Object.values(value)) settle(item as JsonValue, steps, at + 1, as);
    return;
  }
  const holder = value as JsonObject;
  if (at < steps.length - 1) settle(holder[step], steps, at + 1, as);
  else if (isEmpty(holder[step]))
    if (as === 'null') holder[step] = null;
    else delete holder[step];
}

function hasEmpty(value: JsonValue | ApiObject | undefined, steps: readonly string[], at: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const step = steps[at]!;
  if (step === each) return Object.values(value).some((item) => hasEmpty(item as JsonValue, steps, at + 1));
  const member = (value as JsonObject)[step];
  return at < steps.length - 1 ? hasEmpty(member, steps, at + 1) : isEmpty(member);
}
