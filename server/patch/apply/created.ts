import { entryOf } from '../../../api/json/members.js';
import { inOneGo } from '../../../api/steps.js';
import { isObject, sortNames } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { isBare, sameValue } from './compare.js';
import { fieldElement, type FieldSet } from './fieldSet.js';
import { indexItems, itemElement } from './items.js';
import { memberOf, type Schema } from './schema.js';

const serverMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind']);
const serverMetadata: ReadonlySet<string> = new Set([
  'clusterName',
  'creationTimestamp',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
]);
const metadata = 'metadata';

export const isServerMember = (name: string): boolean => serverMembers.has(name);
export const isServerMetadata = (name: string): boolean => serverMetadata.has(name);

/**
 * Returns `fieldsV1` of the creator of an object without owners; null for none. `empty` is an empty object of the type. Equals the result of `ownUpdate`, in
 * one pass without sets: most writes are such creations. `resets`: members that do not count for the creator. Throws ListItemError.
 */
export function fieldsOfCreator(schema: Schema, empty: JsonObject, object: JsonObject, resets: FieldSet): JsonObject | null {
  const fields: JsonObject = {};
  for (const name of sortNames(Object.keys(object))) {
    if (serverMembers.has(name) || resets.child(elementOf(name)).self) continue;
    const member = memberOf(schema, name);
    const below =
      name === metadata
        ? ofMetadata(member, isObject(empty[name]) ? empty[name] : {}, object[name])
        : changed(member, entryOf(empty, name), object[name]);
    if (below !== null) fields[elementOf(name)] = below;
  }
  return isBare(fields) ? null : fields;
}

function ofMetadata(schema: Schema, empty: JsonObject, metadata: JsonValue | undefined): JsonObject | null {
  if (!isObject(metadata)) return null;
  const fields: JsonObject = {};
  for (const name of sortNames(Object.keys(metadata))) {
    const below = serverMetadata.has(name) ? null : changed(memberOf(schema, name), entryOf(empty, name), metadata[name]);
    if (below !== null) fields[elementOf(name)] = below;
  }
  return isBare(fields) ? null : fields;
}

function changed(schema: Schema, before: JsonValue | undefined, after: JsonValue | undefined): JsonObject | null {
  if (after === undefined || before === after) return null;
  const added = before === undefined;
  // Most are.
  if (schema.kind === 'leaf') return added || !sameValue(before, after) ? {} : null;
  const isList = schema.kind === 'list' || (schema.kind === 'unknown' && (Array.isArray(before) || Array.isArray(after)));
  if (isOneField(schema, isList) || (isBare(before) && isBare(after))) return added || !sameValue(before, after) ? {} : null;
  const fields: JsonObject = added ? { '.': {} } : {};
  if (isList) {
    if (schema.kind === 'list') items(fields, schema, before, after);
  } else if (schema.kind !== 'unknown' || isObject(before) || isObject(after)) {
    const left = isObject(before) ? before : null;
    const right = isObject(after) ? after : {};
    for (const name of sortNames(Object.keys(right))) {
      const below = changed(memberOf(schema, name), left === null ? undefined : entryOf(left, name), right[name]);
      if (below !== null) fields[schema.kind === 'struct' ? elementOf(name) : fieldElement(name)] = below;
    }
  } else return added || !sameValue(before, after) ? {} : null;
  return finished(fields, added);
}

/** A field without children is written without its own mark. */
function finished(fields: JsonObject, added: boolean): JsonObject | null {
  if (!added) return isBare(fields) ? null : fields;
  for (const name in fields) if (name !== '.') return fields;
  return {};
}

function items(
  fields: JsonObject,
  schema: Extract<Schema, { kind: 'list' }>,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  const present = Array.isArray(after) ? after : [];
  const left = Array.isArray(before) && before.length > 0 ? inOneGo(indexItems(schema, before)).byElement : null;
  const own = (element: string, item: JsonValue | undefined): void => {
    const below = changed(schema.element, left?.get(element), item);
    if (below !== null) fields[element] = below;
  };
  const elements = present.map((item) => itemElement(schema, item));
  if (elements.every((element, position) => position === 0 || (elements[position - 1] as string) < element))
    return elements.forEach((element, position) => own(element, present[position]));
  const known = new Map<string, JsonValue>();
  const repeated = new Set<string>();
  for (const [position, element] of elements.entries())
    if (known.has(element)) repeated.add(element);
    else known.set(element, present[position] as JsonValue);
  for (const element of sortNames([...known.keys()]))
    if (repeated.has(element)) fields[element] = {};
    else own(element, known.get(element));
}

/** Path elements by member name, as look-ups cost less than joining texts. */
const elements = new Map<string, string>();
const elementsMax = 16_384;

function elementOf(name: string): string {
  let element = elements.get(name);
  if (element === undefined) {
    element = fieldElement(name);
    if (elements.size < elementsMax) elements.set(name, element);
  }
  return element;
}

function isOneField(schema: Schema, isList: boolean): boolean {
  switch (schema.kind) {
    case 'leaf':
      return true;
    case 'list':
      return schema.relationship === 'atomic';
    case 'unknown':
      return isList;
    default:
      return schema.atomic;
  }
}
