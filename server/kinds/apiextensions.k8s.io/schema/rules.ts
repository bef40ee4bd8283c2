import * as enums from '../../../../api/data/enums.js';
import {
  each,
  forbidden,
  invalid,
  keepable,
  knowing,
  members,
  missing,
  nonZero,
  oneOf,
  optional,
  Path,
  printedStructure,
  when,
  withFacts,
  type FieldError,
  type Found,
  type Steps,
  type StructureForm,
  type Writable,
} from '../../language.js';
import { writeJson } from '../../../../workers/codecs/jsonWriter.js';
import type * as v1 from '../../../../api/types/apiextensions/v1.js';
import { reviewRules } from '../../../../cel/rules/review.js';
import { resolvePath } from './fieldPath.js';
import type { Schema } from './nodes.js';
import { unreadable } from './nodes.js';
import { causesMax } from '../../../../api/status.js';

const member = 'x-kubernetes-validations';
const rule: StructureForm = [
  ['rule', 'Rule', 'text'],
  ['message', 'Message', 'text'],
  ['messageExpression', 'MessageExpression', 'text'],
  ['reason', 'Reason', 'optional'],
  ['fieldPath', 'FieldPath', 'text'],
  ['optionalOldSelf', 'OptionalOldSelf', 'optional'],
];
const nonEmpty = 'must be non-empty if specified';
const oneLine = 'must not contain line breaks';

const hasLines = (text: string): boolean => /[\n\r]/.test(text);
const isBlank = (text: string): boolean => text !== '' && text.trim() === '';

function message({ rule = '', message = '' }: Writable<v1.ValidationRule>, path: Path): FieldError[] {
  const at = path.child('message');
  if (rule.trim() === '') return [missing(path.child('rule'), 'rule is not specified')];
  if (isBlank(message)) return [invalid(at, message, nonEmpty)];
  if (hasLines(message.trim())) return [invalid(at, message, oneLine)];
  return hasLines(rule.trim()) && message === '' ? [missing(at, 'message must be specified if rule contains line breaks')] : [];
}

const refused =
  (detail: string) =>
  (text: string, path: Path): FieldError[] => [invalid(path, text, detail)];

const isPath = knowing((text: string, path, schema: Schema) =>
  unreadable(schema) !== null || resolvePath(text, schema, true).ok ? [] : [invalid(path, text, 'must be a valid path')],
);

const rules = each<Writable<v1.ValidationRule>, unknown, Schema>(
  message,
  members<v1.ValidationRule, Schema>({
    messageExpression: nonZero(when(isBlank, (_text: string, path) => [missing(path, `messageExpression ${nonEmpty}`)])),
    reason: optional(oneOf(...enums.FieldValueErrorReason)),
    fieldPath: nonZero<string, unknown, Schema>(when(isBlank, refused(nonEmpty)), when(hasLines, refused(oneLine)), isPath),
  }),
);

export const validateRules = (schema: Schema, path: Path): Found => withFacts(rules, schema)(schema[member], path.child(member));

/**
 * Rules of a schema with errors are not compiled: its types may be meaningless. Another server may have estimated a lower cost: an expression stays acceptable
 * while the schema does not change.
 */
export function* validateRuleExpressions(schema: Schema, path: Path, findings: readonly FieldError[]): Steps<FieldError[]> {
  const root = path.toString();
  const broken = findings.map((finding) => finding.path).sort();
  const found = yield* reviewRules(schema, root, (at) => hasBeginning(broken, root + at));
  return found.slice(0, causesMax).flatMap((finding) => {
    const at = Path.of(root + finding.at);
    if (finding.kind === 'forbidden') return [forbidden(at, finding.detail)];
    if (finding.kind === 'costly') return keepable(`cost under ${writeJson(schema)}`, [forbidden(at, finding.detail)]);
    return [invalid(at, finding.value ?? printedStructure(finding.rule, rule), finding.detail)];
  });
}

function hasBeginning(sorted: readonly string[], beginning: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < beginning) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.startsWith(beginning) === true;
}
