import type { ApiObject } from '../../api/object.js';
import type { ShortPathIn } from '../registry/memberPath.js';
import { textAt } from '../../api/json/members.js';
import type { FieldValue } from '../registry/rules.js';

/** Selectable fields named after their members: `spec.nodeName`. */
export const fieldsAt = <T extends object>(...names: readonly ShortPathIn<T>[]): Record<string, FieldValue<T>> =>
  Object.fromEntries(
    names.map((name) => {
      const path = name.split('.');
      return [name, (object: T) => textAt(object as ApiObject, ...path)];
    }),
  );

export function fieldsOf(fields: Readonly<Record<string, (object: ApiObject) => string>>): (object: ApiObject) => Record<string, string> {
  const entries = Object.entries(fields);
  return (object) => Object.fromEntries(entries.map(([name, valueIn]) => [name, valueIn(object)]));
}
