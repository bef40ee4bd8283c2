import type { ApiObject } from '../api/object.js';
import { textAt } from '../registry/members.js';

/** Selectable fields that are called after the members that hold them: `spec.nodeName`. */
export const fieldsAt = (...names: readonly string[]): Record<string, (object: ApiObject) => string> =>
  Object.fromEntries(
    names.map((name) => {
      const path = name.split('.');
      return [name, (object: ApiObject) => textAt(object, ...path)];
    }),
  );

/** How storage reads all of them. */
export function fieldsOf(fields: Readonly<Record<string, (object: ApiObject) => string>>): (object: ApiObject) => Record<string, string> {
  const entries = Object.entries(fields);
  return (object) => Object.fromEntries(entries.map(([name, valueIn]) => [name, valueIn(object)]));
}
