import type { ValuePath } from '../../../api/json/valuePath.js';
import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { FieldSet, fieldElement } from './fieldSet.js';
import { itemElement, ListItemError } from './items.js';
import { memberOf, shapeOf, type Schema } from './schema.js';

/**
 * Returns fields that count as changed for their spelling. The reference compares lists inside atomic fields as Go values (`listReflect.EqualsUsing` of
 * structured-merge-diff): `1024Mi` differs from the stored `1Gi`, an empty list or map from an absent one. `paths` lead to such values.
 */
export function respelledFields(paths: readonly ValuePath[], sent: JsonObject, schema: Schema): FieldSet {
  return FieldSet.unionOf(paths.flatMap((path) => respelledField(path, sent, schema)));
}

function respelledField(path: ValuePath, sent: JsonObject, schema: Schema): readonly FieldSet[] {
  const elements: string[] = [];
  let [value, type]: [JsonValue | undefined, Schema] = [sent, schema];
  for (const [index, step] of path.entries()) {
    const shape = shapeOf(type, value);
    if (shape.kind === 'leaf' || (shape.kind === 'list' ? shape.relationship === 'atomic' : shape.atomic))
      return path.slice(index).some((each) => typeof each === 'number') ? [FieldSet.at(elements)] : [];
    if (typeof step === 'number') {
      const item: JsonValue | undefined = Array.isArray(value) ? value[step] : undefined;
      const element = item === undefined || shape.kind !== 'list' ? null : elementOf(shape, item);
      if (element === null || item === undefined || shape.kind !== 'list') return [];
      elements.push(element);
      [value, type] = [item, shape.element];
    } else {
      elements.push(fieldElement(step));
      [value, type] = [isObject<JsonObject>(value) ? value[step] : undefined, memberOf(type, step)];
    }
  }
  return [];
}

function elementOf(list: Parameters<typeof itemElement>[0], item: JsonValue): string | null {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof ListItemError) return null;
    throw error;
  }
}
