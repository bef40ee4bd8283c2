import type * as v1 from '../../../api/types/resource/v1.js';
import { addQuantities, formatQuantity } from '../../../api/quantity.js';
import { quantityOf } from '../../../api/resourceLists.js';
import {
  compareAmounts,
  duplicate,
  forbidden,
  invalid,
  isSet,
  itemsOf,
  missing,
  repeats,
  tooMany,
  wholeValue,
  type FieldError,
  type Path,
  type Writable,
} from '../language.js';

type Policy = Writable<v1.CapacityRequestPolicy>;
type Range = Writable<v1.CapacityRequestPolicyRange>;
type Finder = (found: boolean, value: string, text: string) => FieldError[];

const optionsMax = 10;

const finderAt =
  (path: Path): Finder =>
  (found, value, text) =>
    found ? [invalid(path, value, text)] : [];

export function requestPolicy(policy: Policy, path: Path, { value: capacity = '0' }: Writable<v1.DeviceCapacity>): FieldError[] {
  const { default: amount, validRange: range } = policy;
  const values = itemsOf(policy.validValues);
  if (values.length > 0 && isSet(range))
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')];
  if (values.length === 0 && !isSet(range)) return [];
  const member = isSet(range) ? 'validRange' : 'validValues';
  if (!isSet(amount)) return [missing(path.child('default'), `required when ${member} is defined`)];
  return isSet(range)
    ? validateRange(amount, capacity, range, path.child(member))
    : validateOptions(amount, capacity, values, path.child(member));
}

function validateOptions(amount: string, capacity: string, values: readonly string[], path: Path): FieldError[] {
  const sorted = values.flatMap((value, position) =>
    finderAt(path.index(position))(
      position > 0 && compareAmounts(values[position - 1], value) > 0,
      value,
      'values must be sorted in ascending order',
    ),
  );
  const fitting = values.flatMap((value, position) =>
    finderAt(path.index(position))(compareAmounts(value, capacity) > 0, value, `option is larger than capacity value: ${capacity}`),
  );
  const each = values.length > optionsMax ? [tooMany(path, values.length, optionsMax)] : [...fitting, ...validateDistinct(values, path)];
  const found = values.some((value) => compareAmounts(value, amount) === 0);
  return [...sorted, ...each, ...finderAt(path)(!found, amount, 'default value is not valid according to the requestPolicy')];
}

/** Amounts that round up to the same integer are equal, and reported as that integer. */
function validateDistinct(values: readonly string[], path: Path): FieldError[] {
  const keys = values.map((value) => String(wholeValue(value)));
  const isRepeated = repeats(keys);
  return keys.flatMap((key, position) => (isRepeated(position) ? [duplicate(path.index(position), key)] : []));
}

/** A default out of range is reported at the bound that it exceeds. */
function validateRange(amount: string, capacity: string, { min, max, step }: Range, path: Path): FieldError[] {
  if (!isSet(min)) return [missing(path.child('min'), 'required when validRange is defined')];
  const [atMin, atMax] = [finderAt(path.child('min')), finderAt(path.child('max'))];
  return [
    ...atMin(compareAmounts(min, capacity) > 0, min, `min is larger than capacity value: ${capacity}`),
    ...atMin(compareAmounts(amount, min) < 0, amount, `default is less than min: ${min}`),
    ...(isSet(max)
      ? [
          ...atMax(compareAmounts(min, max) > 0, min, `min is larger than max: ${max}`),
          ...atMax(compareAmounts(max, capacity) > 0, max, `max is larger than capacity value: ${capacity}`),
          ...atMax(compareAmounts(amount, max) > 0, amount, `default is more than max: ${max}`),
        ]
      : []),
    ...(isSet(step) ? validateStep({ min, step }, isSet(max) ? [amount, max] : [amount], capacity, path.child('step')) : []),
  ];
}

/** Steps are integers, rounded up. */
function validateStep({ min, step }: Required<Pick<Range, 'min' | 'step'>>, amounts: string[], capacity: string, path: Path): FieldError[] {
  const [wholeStep, wholeMin] = [wholeValue(step), wholeValue(min)];
  if (wholeStep <= 0n) return [invalid(path, step, 'must be greater than zero')];
  const [found, one] = [finderAt(path), formatQuantity(addQuantities(quantityOf(min), quantityOf(step)))];
  return [
    ...found(compareAmounts(one, capacity) > 0, step, `one step ${one} is larger than capacity value: ${capacity}`),
    ...amounts.flatMap((amount) =>
      found((wholeValue(amount) - wholeMin) % wholeStep !== 0n, amount, `value is not a multiple of a given step (${step}) from (${min})`),
    ),
  ];
}
