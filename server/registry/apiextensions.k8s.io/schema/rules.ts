import type { JsonObject } from '../../../api/object.js';
import { check, unwanted } from '../../../cel/check/checker.js';
import { BOOL, typeOf, UNKNOWN } from '../../../cel/check/types.js';
import { objectsIn } from '../../defaulting.js';
import { textAt } from '../../members.js';
import { invalid, notSupported, required, type FieldError, type Path } from '../../validation/field.js';
import { printedStructure, type StructureForm } from '../../validation/internalform.js';
import { resolvePath } from './fieldpath.js';
import type { Schema } from './nodes.js';
import { unreadable } from './nodes.js';

/**
 * Rules of a schema: their messages, reasons and paths, and what is wrong with their expressions whatever the schema says: syntax, unknown names, results of a wrong
 * type. What depends on the types of the schema shows when the rule is compiled by those who serve the resource.
 */

const MEMBER = 'x-kubernetes-validations';
const RULE: StructureForm = [['rule', 'Rule', 'text'], ['message', 'Message', 'text'], ['messageExpression', 'MessageExpression', 'text'], ['reason', 'Reason', 'optional'], ['fieldPath', 'FieldPath', 'text'], ['optionalOldSelf', 'OptionalOldSelf', 'optional']];
const DECLARATIONS = { variables: { self: UNKNOWN, oldSelf: UNKNOWN } };
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const NON_EMPTY = 'must be non-empty if specified';
const ONE_LINE = 'must not contain line breaks';

const hasLines = (text: string): boolean => /[\n\r]/.test(text);
const isBlank = (text: string): boolean => text !== '' && text.trim() === '';

export const validateRules = (schema: Schema, path: Path): FieldError[] =>
  objectsIn(schema, MEMBER).flatMap((rule, position) => validateRule(rule, schema, path.child(MEMBER).index(position)));

function validateRule(rule: JsonObject, schema: Schema, path: Path): FieldError[] {
  const [reason, fieldPath] = [rule['reason'], textAt(rule, 'fieldPath')];
  const at = path.child('fieldPath');
  return [
    ...validateMessage(textAt(rule, 'rule'), textAt(rule, 'message'), path),
    ...validateExpressions(rule, path),
    ...(isBlank(textAt(rule, 'messageExpression')) ? [required(path.child('messageExpression'), `messageExpression ${NON_EMPTY}`)] : []),
    ...(reason === undefined || reason === null || REASONS.includes(String(reason)) ? [] : [notSupported(path.child('reason'), reason, REASONS)]),
    ...(isBlank(fieldPath) ? [invalid(at, fieldPath, NON_EMPTY)] : []),
    ...(hasLines(fieldPath) ? [invalid(at, fieldPath, ONE_LINE)] : []),
    ...(fieldPath === '' || unreadable(schema) !== null || resolvePath(fieldPath, schema, { brackets: true }).ok ? [] : [invalid(at, fieldPath, 'must be a valid path')]),
  ];
}

function validateExpressions(rule: JsonObject, path: Path): FieldError[] {
  const [expression, message] = [textAt(rule, 'rule'), textAt(rule, 'messageExpression')];
  const value = printedStructure(rule, RULE);
  const wrong = expression.trim() === '' ? null : complaint(expression, 'bool', 'compilation failed', 'cel expression must evaluate to a bool');
  const wrongMessage = message.trim() === '' ? null : complaint(message, 'string', 'messageExpression compilation failed', 'messageExpression must evaluate to a string');
  return [
    ...(wrong === null ? [] : [invalid(path.child('rule'), value, wrong)]),
    ...(wrongMessage === null ? [] : [invalid(path.child('messageExpression'), value, wrongMessage)]),
  ];
}

function complaint(expression: string, wanted: 'bool' | 'string', prefix: string, otherwise: string): string | null {
  const checked = check(expression, DECLARATIONS);
  if (!checked.ok) return `${prefix}: ${checked.message}`;
  return unwanted(checked.type, [wanted === 'bool' ? BOOL : typeOf(wanted)]) === null ? null : otherwise;
}

function validateMessage(rule: string, message: string, path: Path): FieldError[] {
  const at = path.child('message');
  if (rule.trim() === '') return [required(path.child('rule'), 'rule is not specified')];
  if (isBlank(message)) return [invalid(at, message, NON_EMPTY)];
  if (hasLines(message.trim())) return [invalid(at, message, ONE_LINE)];
  return hasLines(rule.trim()) && message === '' ? [required(at, 'message must be specified if rule contains line breaks')] : [];
}
