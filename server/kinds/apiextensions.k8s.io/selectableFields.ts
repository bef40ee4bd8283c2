import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { duplicate, invalid, missing, tooMany, type FieldError, type Path, type Writable } from '../language.js';
import { resolvePath } from './schema/fieldPath.js';
import { typeOf, unreadable, type Schema } from './schema/nodes.js';

type Field = Writable<v1.SelectableField>;

const fieldsMax = 8;
const checkedMax = 100;
const types = ['string', 'boolean', 'integer'];
const typeText = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

const withoutSchema = {
  version: 'may only be set when `version.schema.openAPIV3Schema` is not included',
  all: 'may only be set when validations.schema is included',
} as const;

export function validateSelectableFields(
  fields: readonly Field[],
  { schema, of }: { readonly schema: Schema | null; readonly of: keyof typeof withoutSchema },
  holder: Path,
): FieldError[] {
  const path = holder.child('selectableFields');
  if (schema === null) return [invalid(path, '', withoutSchema[of])];
  const obstacle = unreadable(schema);
  if (obstacle !== null) return [invalid(holder.child('schema', 'openAPIV3Schema'), '', obstacle), ...unread(fields, path)];
  const seen = new Set<string>();
  const findings = fields
    .slice(0, checkedMax)
    .flatMap(({ jsonPath }, position) => validateField(jsonPath, { schema, seen }, path.index(position).child('jsonPath')));
  const count = fields.length > checkedMax ? fields.length : seen.size;
  return count > fieldsMax ? [...findings, tooMany(path, count, fieldsMax)] : findings;
}

/** The reference does not tell whether a path is well-formed where the schema cannot be read. */
const unread = (fields: readonly Field[], path: Path): FieldError[] =>
  fields.flatMap(({ jsonPath }, position) =>
    validateField(jsonPath, { schema: {}, seen: new Set() }, path.index(position).child('jsonPath')).filter(
      ({ message }) => !message.endsWith('does not refer to a valid field'),
    ),
  );

function validateField(text = '', { schema, seen }: { schema: Schema; seen: Set<string> }, path: Path): FieldError[] {
  if (text === '') return [missing(path, '')];
  const found = resolvePath(text, schema, false);
  if (!found.ok) return [invalid(path, text, `is an invalid path: ${found.problem}`)];
  const name = found.names.join('.');
  const known = seen.has(name);
  seen.add(name);
  return [
    ...(found.names[0] === 'metadata' ? [invalid(path, text, 'must not point to fields in metadata')] : []),
    ...(found.schema !== null && types.includes(typeOf(found.schema)) ? [] : [invalid(path, text, typeText)]),
    ...(known ? [duplicate(path, text)] : []),
  ];
}
