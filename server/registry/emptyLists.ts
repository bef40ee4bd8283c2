import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { tellingAt, type Telling } from '../../api/catalogue/emptiness.js';
import { typeNamed, typeOfKind, type Field, type KindName, type Shape } from '../../api/catalogue/types.js';

/** A place in a type that may hold an empty list or map, or the type once more: names of members, `each` for every item or value. */
interface Place {
  readonly steps: readonly string[];
  readonly as: 'null' | 'absent' | Again;
}
interface Again {
  readonly places: readonly Place[];
}
const each = '*';
/** Every item of a list; nothing in an object. */
const eachItem = '[*]';

const known = new Map<string, readonly Place[]>();

function placesOf(kind: KindName): readonly Place[] {
  const key = `${kind.group}/${kind.version}/${kind.kind}`;
  let places = known.get(key);
  if (places === undefined) known.set(key, (places = placesIn(typeOfKind(kind)?.name ?? '', new Map(), null)));
  return places;
}

/** Until then, empty lists and maps show that the sender has set them. `unstored` objects keep those for null. */
export function settleEmpty(object: ApiObject, kind: KindName, unstored = false): void {
  for (const place of placesOf(kind)) if (!unstored || place.as !== 'null') settle(object, place, 0);
}

/** Removes empty values that will be absent, which have no owner. */
export function withoutEmpty(object: ApiObject, kind: KindName): ApiObject {
  const places = placesOf(kind).filter(({ as }) => as !== 'null');
  if (!places.some((place) => hasEmpty(object, place, 0))) return object;
  const copy = structuredClone(object);
  for (const place of places) settle(copy, place, 0);
  return copy;
}

/** Inner places come first. A type that contains itself (a schema) leads to its own places again. */
function placesIn(type: string, around: ReadonlyMap<string, Place[]>, telling: Telling | null): readonly Place[] {
  const known = around.get(type);
  if (known !== undefined) return telling === null ? [] : [{ steps: [], as: { places: known } }];
  const places: Place[] = [];
  const inner = new Map(around).set(type, places);
  const owner = type.split('.').at(-1) ?? type;
  for (const field of typeNamed(type)?.fields?.values() ?? []) {
    const own = tellingAt(owner, field.name) ?? telling;
    for (const { steps, as } of placesOfShape(field.shape, inner, own)) places.push({ steps: [field.name, ...steps], as });
    places.push(...ownPlace(field, own));
  }
  return places;
}

function ownPlace({ name, shape, presence }: Field, telling: Telling | null): Place[] {
  if (shape.is !== 'list' && shape.is !== 'map') return [];
  if (presence === 'nullable') return [{ steps: [name], as: 'null' }];
  return telling === 'lists and maps' || (telling === 'lists' && shape.is === 'list') ? [{ steps: [name], as: 'absent' }] : [];
}

function placesOfShape(shape: Shape, around: ReadonlyMap<string, Place[]>, telling: Telling | null): readonly Place[] {
  if (shape.is === 'type') return placesOfType(shape.name, around, telling);
  const inner = shape.is === 'list' ? shape.items : shape.is === 'map' ? shape.values : null;
  return inner === null ? [] : placesOfShape(inner, around, telling).map(({ steps, as }) => ({ steps: [each, ...steps], as }));
}

/** One of these is a schema, or several, or something else. */
const schemasIn: Readonly<Record<string, readonly (readonly string[])[]>> = {
  JSONSchemaPropsOrArray: [[], [eachItem]],
  JSONSchemaPropsOrBool: [[]],
  JSONSchemaPropsOrStringArray: [[]],
};

function placesOfType(type: string, around: ReadonlyMap<string, Place[]>, telling: Telling | null): readonly Place[] {
  const parts = type.split('.');
  const ways = schemasIn[parts.at(-1) ?? ''];
  if (ways === undefined) return placesIn(type, around, telling);
  const schema = placesIn([...parts.slice(0, -1), 'JSONSchemaProps'].join('.'), around, telling);
  return ways.flatMap((way) => schema.map(({ steps, as }) => ({ steps: [...way, ...steps], as })));
}

const isEach = (step: string, value: object): boolean => step === each || (step === eachItem && Array.isArray(value));

const isEmpty = (value: JsonValue | undefined): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

interface ByFirstStep {
  readonly always: readonly Place[];
  readonly named: ReadonlyMap<string, readonly Place[]>;
}
const byFirstStep = new WeakMap<readonly Place[], ByFirstStep>();

/** Returns those places that the value may have: a schema has few of its type's members. */
function placesFor(value: object, places: readonly Place[]): readonly Place[] {
  let groups = byFirstStep.get(places);
  if (groups === undefined) byFirstStep.set(places, (groups = groupedByFirstStep(places)));
  const found = [...groups.always];
  for (const name of Object.keys(value)) found.push(...(groups.named.get(name) ?? []));
  return found;
}

function groupedByFirstStep(places: readonly Place[]): ByFirstStep {
  const isNamed = ({ steps: [first] }: Place): boolean => first !== undefined && first !== each && first !== eachItem;
  const named = new Map<string, Place[]>();
  for (const place of places.filter(isNamed)) {
    const first = place.steps[0] ?? '';
    named.set(first, [...(named.get(first) ?? []), place]);
  }
  return { always: places.filter((place) => !isNamed(place)), named };
}

function settle(value: JsonValue | ApiObject | undefined, place: Place, at: number): void {
  if (typeof value !== 'object' || value === null) return;
  const { steps, as } = place;
  const step = steps[at];
  const holder = value as JsonObject;
  if (step === undefined) {
    if (typeof as === 'object') for (const again of placesFor(value, as.places)) settle(value, again, 0);
  } else if (isEach(step, value)) for (const item of Object.values(value)) settle(item as JsonValue, place, at + 1);
  else if (at < steps.length - 1 || typeof as === 'object') settle(holder[step], place, at + 1);
  else if (isEmpty(holder[step]))
    if (as === 'null') holder[step] = null;
    else delete holder[step];
}

function hasEmpty(value: JsonValue | ApiObject | undefined, place: Place, at: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { steps, as } = place;
  const step = steps[at];
  if (step === undefined)
    return typeof as === 'object' && placesFor(value, as.places).some((again) => again.as !== 'null' && hasEmpty(value, again, 0));
  if (isEach(step, value)) return Object.values(value).some((item) => hasEmpty(item as JsonValue, place, at + 1));
  const member = Object.hasOwn(value, step) ? (value as JsonObject)[step] : undefined;
  return at < steps.length - 1 || typeof as === 'object' ? hasEmpty(member, place, at + 1) : isEmpty(member);
}
