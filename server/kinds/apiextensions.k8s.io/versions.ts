import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { dns1035LabelName, each, inOrder, invalid, itemsOf, members, optional, orEmpty, type Found, type Path } from '../language.js';
import { column } from './columns.js';
import { joined } from './definitionNames.js';
import { schemaOf, type Hoisted, type Version } from './hoisting.js';
import { validateSchema } from './schema/schema.js';
import { validateSelectableFields } from './selectableFields.js';
import { subresources } from './subresources.js';

const warningBytesMax = 256;

export interface SchemaDemands {
  readonly hasStatus: boolean;
  readonly structural: boolean;
}

const ofVersion = members<v1.CustomResourceDefinitionVersion>({
  name: orEmpty(joined(dns1035LabelName)),
  deprecationWarning: optional((warning: string, path: Path, { deprecated }: Version) =>
    warningProblems(warning, deprecated === true).map((problem) => invalid(path, warning, problem)),
  ),
});

export const validateVersion = (version: Version, demands: SchemaDemands, path: Path): Found =>
  inOrder(ofVersion(version, path, null), validateParts(version, { schemaAt: 'schema', ...demands }, path));

const parts = members<Hoisted['shared']>({ subresources, additionalPrinterColumns: each(column) });

/** `schemaAt`: the member with the schema, whose name differs for all versions together. */
export function validateParts(
  holder: Hoisted['shared'],
  { schemaAt, hasStatus, structural }: SchemaDemands & { readonly schemaAt: 'schema' | 'validation' },
  path: Path,
): Found {
  const schema = schemaOf(holder);
  const fields = itemsOf(holder.selectableFields);
  return inOrder(
    schema === null ? [] : validateSchema({ schema, hasStatus, path: path.child(schemaAt, 'openAPIV3Schema') }, structural),
    parts(holder, path, null),
    fields.length === 0 ? [] : validateSelectableFields(fields, { schema, of: schemaAt === 'schema' ? 'version' : 'all' }, path),
  );
}

function warningProblems(warning: string, deprecated: boolean): string[] {
  if (!deprecated) return ['can only be set for deprecated versions'];
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
