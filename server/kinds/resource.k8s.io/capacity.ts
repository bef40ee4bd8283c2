import { addQuantities, formatQuantity } from '../../../api/quantity.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { itemsOf } from '../../../api/json/members.js';
import { duplicate, forbidden, invalid, required, tooMany, type FieldError, type Path } from '../../registry/validation/field.js';
import { compareAmounts, wholeValue } from '../../registry/validation/quantities.js';
import { quantityOf } from '../../../api/resourceLists.js';
import { repeats } from '../../registry/validation/repeats.js';

/** The share of a device's capacity for a request: one of several amounts, or a multiple within a range. */

const optionsMax = 10;

export function validateRequestPolicy(capacity: JsonValue | undefined, policy: JsonObject, path: Path): FieldError[] {
  const values = itemsOf(policy['validValues']);
  const range = objectAt(policy, 'validRange');
  if (values.length > 0 && range !== null)
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')];
  if (values.length === 0 && range === null) return [];
  const amount = policy['default'];
  const member = range === null ? 'validValues' : 'validRange';
  if (amount === undefined) return [required(path.child('default'), `required when ${member} is defined`)];
  return range === null
    ? validateOptions(amount, capacity, values, path.child(member))
    : validateRange(amount, capacity, range, path.child(member));
}

function validateOptions(amount: JsonValue, capacity: JsonValue | undefined, values: readonly JsonValue[], path: Path): FieldError[] {
  const sorted = values
    .slice(1)
    .flatMap((value, position) =>
      compareAmounts(values[position], value) > 0
        ? [invalid(path.index(position + 1), value, 'values must be sorted in ascending order')]
        : [],
    );
  const each =
    values.length > optionsMax
      ? [tooMany(path, values.length, optionsMax)]
      : [
          ...values.flatMap((value, position) =>
            compareAmounts(value, capacity) > 0
              ? [invalid(path.index(position), value, `option is larger than capacity value: ${String(capacity)}`)]
              : [],
          ),
          ...validateDistinct(values, path),
        ];
  const found = values.some((value) => compareAmounts(value, amount) === 0);
  return [...sorted, ...each, ...(found ? [] : [invalid(path, amount, 'default value is not valid according to the requestPolicy')])];
}

/** Amounts that round up to the same integer are equal, and reported as that integer. */
function validateDistinct(values: readonly JsonValue[], path: Path): FieldError[] {
  const keys = values.map((value) => String(wholeValue(value)));
  const isRepeated = repeats(keys);
  return keys.flatMap((key, position) => (isRepeated(position) ? [duplicate(path.index(position), key)] : []));
}

/** A default out of range is reported at the bound that it exceeds. */
function validateRange(amount: JsonValue, capacity: JsonValue | undefined, { min, max, step }: JsonObject, path: Path): FieldError[] {
  if (min === undefined || min === null) return [required(path.child('min'), 'required when validRange is defined')];
  const findings = [
    ...(compareAmounts(min, capacity) > 0
      ? [invalid(path.child('min'), min, `min is larger than capacity value: ${String(capacity)}`)]
      : []),
    ...(compareAmounts(amount, min) < 0 ? [invalid(path.child('min'), amount, `default is less than min: ${String(min)}`)] : []),
  ];
  if (max !== undefined) {
    if (compareAmounts(min, max) > 0) findings.push(invalid(path.child('max'), min, `min is larger than max: ${String(max)}`));
    if (compareAmounts(max, capacity) > 0)
      findings.push(invalid(path.child('max'), max, `max is larger than capacity value: ${String(capacity)}`));
    if (compareAmounts(amount, max) > 0) findings.push(invalid(path.child('max'), amount, `default is more than max: ${String(max)}`));
  }
  return step === undefined
    ? findings
    : [...findings, ...validateStep({ min, step }, [amount, ...(max === undefined ? [] : [max])], capacity, path.child('step'))];
}

function validateStep(
  { min, step }: { readonly min: JsonValue; readonly step: JsonValue },
  amounts: readonly JsonValue[],
  capacity: JsonValue | undefined,
  path: Path,
): FieldError[] {
  // Steps are integers, rounded up.
  const [wholeStep, wholeMin] = [wholeValue(step), wholeValue(min)];
  if (wholeStep <= 0n) return [invalid(path, step, 'must be greater than zero')];
  const one = formatQuantity(addQuantities(quantityOf(min), quantityOf(step)));
  return [
    ...(compareAmounts(one, capacity) > 0
      ? [invalid(path, step, `one step ${one} is larger than capacity value: ${String(capacity)}`)]
      : []),
    ...amounts
      .filter((amount) => (wholeValue(amount) - wholeMin) % wholeStep !== 0n)
      .map((amount) => invalid(path, amount, `value is not a multiple of a given step (${String(step)}) from (${String(min)})`)),
  ];
}
