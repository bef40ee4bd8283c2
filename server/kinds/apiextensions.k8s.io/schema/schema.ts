import { inOneGo, type Steps } from '../../../../api/steps.js';
import { forbidden, invalid, Path, type FieldError } from '../../../registry/validation/field.js';
import { validateDefaults } from './defaults.js';
import { isEmpty, isTrue, typeOf, unreadable, type Schema } from './nodes.js';
import { validateOpenApi } from './openapi.js';
import { validateRuleExpressions } from './rules.js';
import { validateStructural } from './structural.js';
import { atOnce, inOrder, type Found } from '../../../registry/validation/ofEach.js';
import { outcomeOf } from '../../../registry/stepwise.js';
import { causesMax } from '../../../../api/status.js';

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

/** A schema, and where it stands. */
export interface PlacedSchema {
  readonly schema: Schema;
  /** Status is a subresource. */
  readonly hasStatus: boolean;
  readonly path: Path;
}

interface Review extends PlacedSchema {
  readonly findings: FieldError[];
}

/** Findings that have been worked out in turns, for as long as the schema is there. Nobody changes one from the moment in which it is reviewed. */
const reviewed = new WeakMap<Schema, Review>();

/** Whether a schema is one of those of old that do not say for every field which type it has. */
export const isNonStructural = (schema: Schema): boolean => structureFindings(schema, Path.root).length > 0;

/** What keeps a schema from being structural: findings, or why no structure can be read at all. */
export const structureFindings = (schema: Schema, path: Path): string | readonly FieldError[] =>
  unreadable(schema) ?? inOneGo(validateStructural(schema, path));

/**
 * What is wrong with a schema. Takes some 100 ms for half a megabyte, unless it has been reviewed in turns. One that need not be `structural` is looked at
 * without what only means something in a structure: defaults and rules.
 */
export function validateSchema({ schema, hasStatus, path }: PlacedSchema, structural: boolean): FieldError[] {
  if (!structural) return atOnce(validateForm({ schema, hasStatus, path }, []));
  const before = reviewed.get(schema);
  if (before !== undefined && before.hasStatus === hasStatus && String(before.path) === String(path)) return before.findings;
  return inOneGo(review({ schema, hasStatus, path }));
}

/** The same work in steps, so that others have their turn in between; `validateSchema` knows of it afterwards. */
export function* reviewInSteps(placed: PlacedSchema): Steps<void> {
  reviewed.set(placed.schema, { ...placed, findings: yield* review(placed) });
}

/** Conditions of structure come first; defaults are looked at when there is a structure. */
function* review({ schema, hasStatus, path }: PlacedSchema): Steps<FieldError[]> {
  const obstacle = unreadable(schema);
  yield;
  const structure = obstacle === null ? yield* validateStructural(schema, path) : [];
  yield;
  const defaults = obstacle === null && structure.length === 0 ? yield* outcomeOf(validateDefaults(schema, path)) : [];
  yield;
  const findings = yield* outcomeOf(validateForm({ schema, hasStatus, path }, [...structure, ...defaults]));
  if (obstacle !== null) return findings.length === 0 ? [invalid(path, '', obstacle)] : findings;
  yield;
  // Nobody is told more, and what the findings beyond these are about is not known.
  if (findings.length >= causesMax) return findings;
  return [...findings, ...(yield* validateRuleExpressions(schema, path, findings))];
}

/** What holds for every schema, around what has been found of its structure. */
const validateForm = ({ schema, hasStatus, path }: PlacedSchema, ofStructure: FieldError[]): Found =>
  inOrder(
    hasStatus ? validateBesideStatus(schema, path) : [],
    isTrue(schema, 'nullable') ? [forbidden(path.child('nullable'), 'nullable cannot be true at the root')] : [],
    ofStructure,
    validateOpenApi(schema, path),
  );

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
