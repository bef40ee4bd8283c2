import { inOneGo } from '../../../workers/turns/turns.js';
import type { JsonMembers } from '../../../workers/codecs/value.js';
import type { CompiledSchema } from '../../../workers/schema/custom/contract.js';
import type { JsonObject } from '../../api/object.js';

/** What server-side apply calls the types of schemas. */
const expected: Readonly<Record<string, string>> = {
  integer: 'numeric (int or float)',
  number: 'numeric (int or float)',
  string: 'string',
  boolean: 'boolean',
  array: 'list',
  object: 'map',
};
const wrongType = /must be of type (\w+): "(\w+)"$/;

/**
 * The first value of a configuration that is not of the type that its field has. Server-side apply looks at types before anything is merged, and refuses them in
 * words of its own; whatever else the schema demands is checked of the merged object. A null fits everywhere.
 */
export function typeMismatch(schema: CompiledSchema, config: JsonObject): string | null {
  for (const { type, path, message } of inOneGo(schema.validate(config as JsonMembers))) {
    const [, wanted = '', found = ''] = type === 'FieldValueTypeInvalid' ? (wrongType.exec(message) ?? []) : [];
    if (wanted !== '' && found !== 'null') return `.${path}: expected ${expected[wanted] ?? wanted}, got ${found}`;
  }
  return null;
}
