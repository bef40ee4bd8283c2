import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { refusedSelector } from '../../../cel/check/device.js';
import { objectAt, objectsIn, setTextDefault } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { driverName } from '../../registry/validation/drivernames.js';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  type FieldError,
  type Path,
} from '../../registry/validation/field.js';
import { labelValueProblems } from '../../registry/validation/names.js';
import { repeats } from '../../registry/validation/repeats.js';
import { optionallyOneOf, qualified } from '../../registry/validation/values.js';
import { validateList } from './lists.js';

/** Common parts of claims, classes and slices: selectors, configuration, taints and tolerations, binding conditions. */

const selectorsMax = 32;
export const configurationsMax = 32;
const expressionBytesMax = 10 * 1024;
const parametersBytesMax = 10 * 1024;
const bindingConditionsMax = 4;
const taintEffects = ['NoExecute', 'NoSchedule', 'None'];
const tolerationOperators = ['Equal', 'Exists'];

export const setTolerationDefaults = (holder: JsonObject): void => {
  for (const toleration of objectsIn(holder, 'tolerations')) setTextDefault(toleration, 'operator', 'Equal');
};

export const validateSelectors = (holder: JsonObject, path: Path): FieldError[] =>
  validateList(objectsIn(holder, 'selectors'), selectorsMax, path, (selector, at) => {
    const cel = objectAt(selector, 'cel');
    if (cel === null) return [required(at.child('cel'), '')];
    const [expression, ofExpression] = [textAt(cel, 'expression'), at.child('cel', 'expression')];
    if (Buffer.byteLength(expression) > expressionBytesMax) return [tooLong(ofExpression, expressionBytesMax)];
    const refused = refusedSelector(expression);
    if (refused === null) return [];
    return refused.reason === 'costly'
      ? [forbidden(ofExpression, 'too complex, exceeds cost limit')]
      : [invalid(ofExpression, expression, refused.text)];
  });

/** Only the driver interprets configuration. A `stored` one may be larger than a new one. */
export function validateConfiguration(configuration: JsonObject, path: Path, stored = false): FieldError[] {
  const opaque = objectAt(configuration, 'opaque');
  const at = path.child('opaque');
  if (opaque === null) return [required(at, '')];
  return [
    ...driverName(textAt(opaque, 'driver'), at.child('driver')),
    ...validateParameters(opaque['parameters'], at.child('parameters'), stored),
  ];
}

/** A JSON object of limited size. */
export function validateParameters(value: JsonValue | undefined, path: Path, stored = false): FieldError[] {
  if (value === undefined || value === null) return [required(path, '')];
  if (!stored && Buffer.byteLength(writeJson(value)) > parametersBytesMax) return [tooLong(path, parametersBytesMax)];
  return typeof value === 'object' && !Array.isArray(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}

export const validateTolerations = (holder: JsonObject, path: Path): FieldError[] =>
  validateList(objectsIn(holder, 'tolerations'), null, path, (toleration, at) => {
    const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((member) => textAt(toleration, member)) as [
      string,
      string,
      string,
      string,
    ];
    return [
      ...(key === '' ? [] : qualified(key, at.child('key'))),
      ...validateOperator(operator, value, at),
      ...optionallyOneOf(effect === '' ? undefined : effect, taintEffects, at.child('effect')),
    ];
  });

function validateOperator(operator: string, value: string, path: Path): FieldError[] {
  switch (operator) {
    case 'Exists':
      return value === '' ? [] : [invalid(path.child('value'), value, 'must be empty for operator `Exists`')];
    case 'Equal':
      return labelValueProblems(value).map((text) => invalid(path.child('value'), value, text));
    case '':
      return [required(path.child('operator'), '')];
    default:
      return [notSupported(path.child('operator'), operator, tolerationOperators)];
  }
}

export function validateTaint(taint: JsonObject, path: Path): FieldError[] {
  const [value, effect] = [textAt(taint, 'value'), textAt(taint, 'effect')];
  return [
    ...qualified(textAt(taint, 'key'), path.child('key')),
    ...(value === '' ? [] : labelValueProblems(value).map((text) => invalid(path.child('value'), value, text))),
    ...(effect === '' ? [required(path.child('effect'), '')] : optionallyOneOf(effect, taintEffects, path.child('effect'))),
  ];
}

/** Conditions that a device must meet before pods are bound, and those of a failure. Both lists are set, or neither. */
export function validateBindingConditions(holder: JsonObject, path: Path): FieldError[] {
  const [wanted, failures] = ['bindingConditions', 'bindingFailureConditions'].map((member) => itemsOf(holder[member]).map(String)) as [
    string[],
    string[],
  ];
  const [wantedPath, failuresPath] = [path.child('bindingConditions'), path.child('bindingFailureConditions')];
  const [isRepeated, isWanted] = [repeats(failures), new Set(wanted)];
  return [
    ...validateList(wanted, bindingConditionsMax, wantedPath, qualified),
    ...validateList(failures, bindingConditionsMax, failuresPath, qualified),
    ...repeated(wanted, wantedPath),
    ...failures.flatMap((condition, position) => [
      ...(isRepeated(position) ? [duplicate(failuresPath.index(position), condition)] : []),
      ...(isWanted.has(condition)
        ? [invalid(failuresPath.index(position), condition, 'bindingFailureConditions must not overlap with bindingConditions')]
        : []),
    ]),
    ...(wanted.length === 0 && failures.length > 0
      ? [invalid(wantedPath, null, 'bindingConditions are required to use bindingFailureConditions')]
      : []),
    ...(failures.length === 0 && wanted.length > 0
      ? [invalid(failuresPath, null, 'bindingFailureConditions are required to use bindingConditions')]
      : []),
  ];
}

function repeated(values: readonly string[], path: Path): FieldError[] {
  const isRepeated = repeats(values);
  return values.flatMap((value, position) => (isRepeated(position) ? [duplicate(path.index(position), value)] : []));
}
