import { writeJson } from '../../../../workers/codecs/jsonWriter.js';
import type { JsonObject } from '../../../../api/object.js';
import { reviewRules } from '../../../../cel/rules/review.js';
import { objectsIn } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';
import { forbidden, invalid, keepable, notSupported, Path, required, type FieldError } from '../../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../../registry/validation/internalform.js';
import { resolvePath } from './fieldPath.js';
import type { Schema } from './nodes.js';
import { unreadable } from './nodes.js';
import { ofEach, type Found } from '../../../registry/validation/ofEach.js';
import { causesMax } from '../../../../api/status.js';
import { type Steps } from '../../../../api/steps.js';

const member = 'x-kubernetes-validations';
const rule: StructureForm = [
  ['rule', 'Rule', 'text'],
  ['message', 'Message', 'text'],
  ['messageExpression', 'MessageExpression', 'text'],
  ['reason', 'Reason', 'optional'],
  ['fieldPath', 'FieldPath', 'text'],
  ['optionalOldSelf', 'OptionalOldSelf', 'optional'],
];
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const nonEmpty = 'must be non-empty if specified';
const oneLine = 'must not contain line breaks';

const hasLines = (text: string): boolean => /[\n\r]/.test(text);
const isBlank = (text: string): boolean => text !== '' && text.trim() === '';

export const validateRules = (schema: Schema, path: Path): Found =>
  ofEach(objectsIn(schema, member), (rule, position) => validateRule(rule, schema, path.child(member).index(position)));

function validateRule(rule: JsonObject, schema: Schema, path: Path): FieldError[] {
  const [reason, fieldPath] = [rule['reason'], textAt(rule, 'fieldPath')];
  const at = path.child('fieldPath');
  return [
    ...validateMessage(textAt(rule, 'rule'), textAt(rule, 'message'), path),
    ...(isBlank(textAt(rule, 'messageExpression')) ? [required(path.child('messageExpression'), `messageExpression ${nonEmpty}`)] : []),
    ...(reason === undefined || reason === null || reasons.includes(String(reason))
      ? []
      : [notSupported(path.child('reason'), reason, reasons)]),
    ...(isBlank(fieldPath) ? [invalid(at, fieldPath, nonEmpty)] : []),
    ...(hasLines(fieldPath) ? [invalid(at, fieldPath, oneLine)] : []),
    ...(fieldPath === '' || unreadable(schema) !== null || resolvePath(fieldPath, schema, true).ok
      ? []
      : [invalid(at, fieldPath, 'must be a valid path')]),
  ];
}

function validateMessage(rule: string, message: string, path: Path): FieldError[] {
  const at = path.child('message');
  if (rule.trim() === '') return [required(path.child('rule'), 'rule is not specified')];
  if (isBlank(message)) return [invalid(at, message, nonEmpty)];
  if (hasLines(message.trim())) return [invalid(at, message, oneLine)];
  return hasLines(rule.trim()) && message === '' ? [required(at, 'message must be specified if rule contains line breaks')] : [];
}

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
