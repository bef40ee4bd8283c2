import type { ValuePath } from '../../../api/json/valuePath.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { FieldSet, fieldElement } from './fieldSet.js';
import { itemElement } from './items.js';
import { isAtomic, memberOf, shapeOf, type Schema } from './schema.js';

/**
 * Returns fields that count as changed for their spelling. The reference compares lists inside atomic fields as Go values (`listReflect.EqualsUsing` of
 * structured-merge-diff): `1024Mi` differs from the stored `1Gi`, an empty list or map from an absent one. `paths` lead to such values. Throws ListItemError.
 */
export function respelledFields(paths: readonly ValuePath[], sent: JsonObject, schema: Schema): FieldSet {
  return FieldSet.unionOf(paths.map((path) => respelledField(path, sent, schema)));
}

function respelledField(path: ValuePath, sent: JsonObject, schema: Schema): FieldSet {
  const elements: string[] = [];
  let [value, type]: [JsonValue | undefined, Schema] = [sent, schema];
  for (const [index, step] of path.entries()) {
    const shape = shapeOf(type, value);
    if (shape.kind === 'leaf' || isAtomic(shape))
      return path.slice(index).some((each) => typeof each === 'number') ? FieldSet.at(elements) : FieldSet.empty;
    value = (value as Readonly<Record<string | number, JsonValue>>)[step];
    if (shape.kind === 'list') {
      elements.push(itemElement(shape, value as JsonValue));
      type = shape.element;
    } else {
      elements.push(fieldElement(String(step)));
      type = memberOf(type, String(step));
    }
  }
  return FieldSet.empty;
}
