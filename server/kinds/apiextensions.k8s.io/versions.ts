import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { invalid, type FieldError, type Path } from '../../registry/validation/field.js';
import { dns1035LabelName } from '../../registry/validation/names.js';
import { validateColumn } from './columns.js';
import { validateSchema } from './schema/schema.js';
import { validateSelectableFields } from './selectableFields.js';
import { validateSubresources } from './subresources.js';

/** Settings of one version, or of all together. */

const warningBytesMax = 256;

export interface SchemaDemands {
  readonly hasStatus: boolean;
  readonly structural: boolean;
}

export function validateVersion(version: JsonObject, demands: SchemaDemands, path: Path): FieldError[] {
  const name = textAt(version, 'name');
  const problems = dns1035LabelName(name, false);
  return [
    ...(problems.length === 0 ? [] : [invalid(path.child('name'), name, problems.join(','))]),
    ...deprecationProblems(version).map((problem) => invalid(path.child('deprecationWarning'), version['deprecationWarning'], problem)),
    ...validateParts(version, { schemaAt: 'schema', ...demands }, path),
  ];
}

/** `schemaAt`: the member with the schema, whose name differs for all versions together. */
export function validateParts(
  holder: JsonObject,
  { schemaAt, hasStatus, structural }: SchemaDemands & { readonly schemaAt: string },
  path: Path,
): FieldError[] {
  const schema = objectAt(objectAt(holder, schemaAt) ?? {}, 'openAPIV3Schema');
  const columns = path.child('additionalPrinterColumns');
  return [
    ...(schema === null ? [] : validateSchema({ schema, hasStatus, path: path.child(schemaAt, 'openAPIV3Schema') }, structural)),
    ...validateSubresources(objectAt(holder, 'subresources'), path.child('subresources')),
    ...objectsIn(holder, 'additionalPrinterColumns').flatMap((column, position) => validateColumn(column, columns.index(position))),
    ...(itemsOf(holder['selectableFields']).length === 0
      ? []
      : validateSelectableFields(objectsIn(holder, 'selectableFields'), { schema, of: schemaAt === 'schema' ? 'version' : 'all' }, path)),
  ];
}

function deprecationProblems(version: JsonObject): string[] {
  const warning = version['deprecationWarning'];
  if (typeof warning !== 'string') return [];
  if (version['deprecated'] !== true) return ['can only be set for deprecated versions'];
  const unprintable = /[^\P{C} ]|[^\P{Z} ]/u.exec(warning);
  return [
    ...(Buffer.byteLength(warning) > warningBytesMax ? [`must be <= ${warningBytesMax} characters long`] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(unprintable === null
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(warning.slice(0, unprintable.index))}`,
        ]),
  ];
}
