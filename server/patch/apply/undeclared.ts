import type { JsonValue } from '../../../api/object.js';
import { isObject } from '../../../api/json/json.js';
import { unknown, type Schema } from './schema.js';

/** The first member of a value that its type does not declare, as a path (`.spec.foo`); null when all are declared. */
export function undeclaredField(value: JsonValue | undefined, schema: Schema): string | null {
  if (Array.isArray(value)) {
    if (schema.kind !== 'list') return null;
    for (const [position, item] of value.entries()) {
      const found = isScalar(item) ? null : undeclaredField(item, schema.element);
      if (found !== null) return `[${position}]${found}`;
    }
    return null;
  }
  if (!isObject(value) || (schema.kind !== 'struct' && schema.kind !== 'map')) return null;
  for (const name of Object.keys(value)) {
    const member = schema.kind === 'map' ? schema.element : (schema.field(name) ?? (schema.open === true ? unknown : undefined));
    const found = member === undefined ? '' : isScalar(value[name]) ? null : undeclaredField(value[name], member);
    if (found !== null) return `.${name}${found}`;
  }
  return null;
}

/** Most members are, and there is nothing to look for in them. */
const isScalar = (value: JsonValue | undefined): boolean => typeof value !== 'object';
