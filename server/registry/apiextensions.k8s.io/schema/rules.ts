import type { JsonObject } from '../../../api/object.js';
import { objectsIn } from '../../defaulting.js';
import { textAt } from '../../members.js';
import { invalid, notSupported, required, type FieldError, type Path } from '../../validation/field.js';
import { resolvePath } from './fieldpath.js';
import type { Schema } from './nodes.js';
import { unreadable } from './nodes.js';

/** What surrounds the expressions of rules: messages, reasons, paths. The expressions themselves are compiled by those who serve the resource. */

const MEMBER = 'x-kubernetes-validations';
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
    ...(isBlank(textAt(rule, 'messageExpression')) ? [required(path.child('messageExpression'), `messageExpression ${NON_EMPTY}`)] : []),
    ...(reason === undefined || reason === null || REASONS.includes(String(reason)) ? [] : [notSupported(path.child('reason'), reason, REASONS)]),
    ...(isBlank(fieldPath) ? [invalid(at, fieldPath, NON_EMPTY)] : []),
    ...(hasLines(fieldPath) ? [invalid(at, fieldPath, ONE_LINE)] : []),
    ...(fieldPath === '' || unreadable(schema) !== null || resolvePath(fieldPath, schema, { brackets: true }).ok ? [] : [invalid(at, fieldPath, 'must be a valid path')]),
  ];
}

function validateMessage(rule: string, message: string, path: Path): FieldError[] {
  const at = path.child('message');
  if (rule.trim() === '') return [required(path.child('rule'), 'rule is not specified')];
  if (isBlank(message)) return [invalid(at, message, NON_EMPTY)];
  if (hasLines(message.trim())) return [invalid(at, message, ONE_LINE)];
  return hasLines(rule.trim()) && message === '' ? [required(at, 'message must be specified if rule contains line breaks')] : [];
}
