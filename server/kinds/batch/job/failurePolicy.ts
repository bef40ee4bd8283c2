import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { duplicate, invalid, notSupported, type Path, required, tooMany, type FieldError } from '../../../registry/validation/field.js';
import { qualified } from '../../../registry/validation/values.js';
import { repeats } from '../../../registry/validation/repeats.js';

/** Actions after pod failures (`podFailurePolicy`). */

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];
const rulesMax = 20;
const patternsMax = 20;
const exitCodesMax = 255;

const listed = (values: readonly string[]): string => `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
/** A finding about a whole structure, which is not shown. */
const wrong = (path: Path, why: string): FieldError => ({
  type: 'FieldValueInvalid',
  path: path.toString(),
  message: `Invalid value: ${why}`,
});

export function validateFailurePolicy(spec: JsonObject, path: Path): FieldError[] {
  const rules = objectsIn(objectAt(spec, 'podFailurePolicy') ?? {}, 'rules');
  const at = path.child('rules');
  const pod = objectAt(objectAt(spec, 'template') ?? {}, 'spec') ?? {};
  const names = new Set(
    ['initContainers', 'containers'].flatMap((list) => objectsIn(pod, list).map((container) => textAt(container, 'name'))),
  );
  const perIndex = spec['backoffLimitPerIndex'] !== undefined && spec['backoffLimitPerIndex'] !== null;
  return [
    ...(rules.length > rulesMax ? [tooMany(at, rules.length, rulesMax)] : []),
    ...rules.flatMap((rule, position) => validateRule(rule, { names, perIndex }, at.index(position))),
  ];
}

interface JobFacts {
  /** Names of containers that end. */ readonly names: ReadonlySet<string>;
  readonly perIndex: boolean;
}

function validateRule(rule: JsonObject, { names, perIndex }: JobFacts, path: Path): FieldError[] {
  const codes = objectAt(rule, 'onExitCodes');
  const conditions = objectsIn(rule, 'onPodConditions');
  return [
    ...validateAction(textAt(rule, 'action'), perIndex, path.child('action')),
    ...(codes === null ? [] : validateExitCodes(codes, names, path.child('onExitCodes'))),
    ...validateConditions(conditions, path.child('onPodConditions')),
    ...(codes !== null && conditions.length > 0 ? [wrong(path, 'specifying both OnExitCodes and OnPodConditions is not supported')] : []),
    ...(codes === null && conditions.length === 0 ? [wrong(path, 'specifying one of OnExitCodes and OnPodConditions is required')] : []),
  ];
}

function validateAction(action: string, perIndex: boolean, path: Path): FieldError[] {
  if (action === '') return [required(path, listed(actions))];
  if (action === 'FailIndex') return perIndex ? [] : [invalid(path, action, 'requires the backoffLimitPerIndex to be set')];
  return actions.includes(action) ? [] : [notSupported(path, action, actions)];
}

function validateExitCodes(codes: JsonObject, names: ReadonlySet<string>, path: Path): FieldError[] {
  const operator = textAt(codes, 'operator');
  const container = codes['containerName'];
  const unknown = container !== undefined && container !== null && !names.has(String(container));
  return [
    ...(operator === ''
      ? [required(path.child('operator'), listed(operators))]
      : operators.includes(operator)
        ? []
        : [notSupported(path.child('operator'), operator, operators)]),
    ...(unknown
      ? [invalid(path.child('containerName'), container, 'must be one of the container or initContainer names in the pod template')]
      : []),
    ...validateValues(codes['values'], operator, path.child('values')),
  ];
}

function validateValues(list: JsonValue | undefined, operator: string, path: Path): FieldError[] {
  const values = itemsOf(list).map(Number);
  if (values.length === 0) return [invalid(path, list ?? null, 'at least one value is required')];
  const isRepeated = repeats(values);
  return [
    ...(values.length > exitCodesMax ? [tooMany(path, values.length, exitCodesMax)] : []),
    ...values.flatMap((value, position) => [
      ...(operator === 'In' && value === 0 ? [invalid(path.index(position), value, 'must not be 0 for the In operator')] : []),
      ...(isRepeated(position) ? [duplicate(path.index(position), value)] : []),
    ]),
    ...(values.some((value, position) => position > 0 && (values[position - 1] ?? 0) > value)
      ? [invalid(path, values, 'must be ordered')]
      : []),
  ];
}

function validateConditions(patterns: readonly JsonObject[], path: Path): FieldError[] {
  return [
    ...(patterns.length > patternsMax ? [tooMany(path, patterns.length, patternsMax)] : []),
    ...patterns.flatMap((pattern, position) => {
      const status = textAt(pattern, 'status');
      const at = path.index(position);
      return [
        ...qualified(textAt(pattern, 'type'), at.child('type')),
        ...(status === ''
          ? [required(at.child('status'), listed(statuses))]
          : statuses.includes(status)
            ? []
            : [notSupported(at.child('status'), status, statuses)]),
      ];
    }),
  ];
}
