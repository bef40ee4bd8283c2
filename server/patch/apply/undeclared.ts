import type { JsonObject, JsonValue } from '../../api/object.js';
import { isObject } from '../../../api/json.js';
import type { Schema } from './schema.js';

/** The first member of a value that its type does not declare, as a path (`.spec.foo`); null when all are declared. */
export function undeclaredField(value: JsonObject, schema: Schema): string | null {
  return search(value, schema, '');
}

function search(value: JsonValue | undefined, schema: Schema, path: string): string | null {
  if (Array.isArray(value)) {
    if (schema.kind !== 'list') return null;
    return firstOf(value.map((item, position) => () => search(item, schema.element, `${path}[${position}]`)));
  }
  if (!isObject(value) || (schema.kind !== 'struct' && schema.kind !== 'map')) return null;
  return firstOf(
    Object.keys(value).map((name) => () => {
      const member = schema.kind === 'map' ? schema.element : schema.field(name);
      return member === undefined ? `${path}.${name}` : search(value[name], member, `${path}.${name}`);
    }),
  );
}

function firstOf(searches: readonly (() => string | null)[]): string | null {
  for (const each of searches) {
    const found = each();
    if (found !== null) return found;
  }
  return null;
}
