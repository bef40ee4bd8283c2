import { forbidden, invalid, type FieldError, type Path } from '../../../registry/validation/field.js';
import { validateDefaults } from './defaults.js';
import { isEmpty, isTrue, typeOf, unreadable, type Schema } from './nodes.js';
import { validateOpenApi } from './openapi.js';
import { validateRuleExpressions } from './rules.js';
import { validateStructural } from './structural.js';

/** The schema of a whole custom resource. */

/** Members of the root that stay in force when status is a resource of its own, with a schema taken out of this one. */
const besideStatus = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];
/** Those names as the reference prints them. */
const internalNames = besideStatus
  .map((member) =>
    member.startsWith('x-kubernetes-')
      ? `X${member.slice('x-kubernetes-'.length).split('-').map(capitalized).join('')}`
      : capitalized(member),
  )
  .join(' ');

/** `hasStatus`: status is a subresource. Conditions of structure come first; defaults are looked at when there is a structure. */
export function validateSchema(schema: Schema, hasStatus: boolean, path: Path): FieldError[] {
  const obstacle = unreadable(schema);
  const structure = obstacle === null ? validateStructural(schema, path) : [];
  const findings = [
    ...(hasStatus ? validateBesideStatus(schema, path) : []),
    ...(isTrue(schema, 'nullable') ? [forbidden(path.child('nullable'), 'nullable cannot be true at the root')] : []),
    ...structure,
    ...(obstacle === null && structure.length === 0 ? validateDefaults(schema, path) : []),
    ...validateOpenApi(schema, path),
  ];
  if (obstacle !== null) return findings.length === 0 ? [invalid(path, '', obstacle)] : findings;
  return [...findings, ...validateRuleExpressions(schema, path, findings)];
}

/** The first that does not fit is reported. */
function validateBesideStatus(schema: Schema, path: Path): FieldError[] {
  const type = typeOf(schema);
  if (type !== '' && type !== 'object') {
    return [
      invalid(
        path.child('type'),
        type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  }
  const other = Object.keys(schema).some((member) => !besideStatus.includes(member) && !isEmpty(schema[member]));
  return other
    ? [invalid(path, schema, `only [${internalNames}] fields are allowed at the root of the schema if the status subresource is enabled`)]
    : [];
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
