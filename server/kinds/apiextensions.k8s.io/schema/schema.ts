import {
  atOnce,
  forbidden,
  inOneGo,
  inOrder,
  invalid,
  isSet,
  outcomeOf,
  Path,
  type FieldError,
  type Found,
  type Steps,
} from '../../language.js';
import { validateDefaults } from './defaults.js';
import { typeOf, unreadable, type Schema } from './nodes.js';
import { validateOpenApi } from './openapi.js';
import { validateRuleExpressions } from './rules.js';
import { printedSchema } from './printed.js';
import { validateStructural } from './structural.js';
import { causesMax } from '../../../../api/status.js';

/** These root members are allowed with the status subresource. */
const allowedWithStatus = [
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
/** The reference's names of those members. */
const internalNames = allowedWithStatus
  .map((member) =>
    member.startsWith('x-kubernetes-')
      ? `X${member.slice('x-kubernetes-'.length).split('-').map(capitalized).join('')}`
      : capitalized(member),
  )
  .join(' ');

export interface PlacedSchema {
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly path: Path;
}

interface Review extends PlacedSchema {
  readonly findings: FieldError[];
}

/** Findings of stepwise reviews. Reviewed schemas are immutable. */
const reviewed = new WeakMap<Schema, Review>();

export const isNonStructural = (schema: Schema): boolean => structureFindings(schema, Path.root).length > 0;

/** Findings that make a schema not structural, or the reason why it cannot be parsed. */
export const structureFindings = (schema: Schema, path: Path): string | readonly FieldError[] =>
  unreadable(schema) ?? inOneGo(validateStructural(schema, path));

/** Takes some 100 ms for half a megabyte, unless reviewed in steps. Defaults and rules are skipped unless it has to be `structural`. */
export function validateSchema({ schema, hasStatus, path }: PlacedSchema, structural: boolean): FieldError[] {
  if (!structural) return atOnce(validateForm({ schema, hasStatus, path }, []));
  const before = reviewed.get(schema);
  if (before !== undefined && before.hasStatus === hasStatus && String(before.path) === String(path)) return before.findings;
  return inOneGo(review({ schema, hasStatus, path }));
}

/** `validateSchema` reuses the result. */
export function* reviewInSteps(placed: PlacedSchema): Steps<void> {
  reviewed.set(placed.schema, { ...placed, findings: yield* review(placed) });
}

/** Structural findings come first; defaults need a structure. */
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
  // Types mean nothing to rules here. Further findings are not reported either.
  if (structure.length + defaults.length > 0 || findings.length >= causesMax) return findings;
  return [...findings, ...(yield* validateRuleExpressions(schema, path, findings))];
}

const validateForm = ({ schema, hasStatus, path }: PlacedSchema, ofStructure: FieldError[]): Found =>
  inOrder(
    hasStatus ? validateRootWithStatus(schema, path) : [],
    schema.nullable === true ? [forbidden(path.child('nullable'), 'nullable cannot be true at the root')] : [],
    ofStructure,
    validateOpenApi(schema, path),
  );

/** Only the first violation is reported. */
function validateRootWithStatus(schema: Schema, path: Path): FieldError[] {
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
  const other = Object.entries(schema).some(([member, value]) => !allowedWithStatus.includes(member) && isSet(value));
  return other
    ? [
        invalid(
          path,
          printedSchema(schema),
          `only [${internalNames}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ]
    : [];
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
