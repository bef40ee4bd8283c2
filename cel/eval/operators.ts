import type { Meter } from './budget.js';
import { callCost } from './costs.js';
import { compare, equals } from './equality.js';
import { arithmetic, duration, int, timestamp, type Sign } from './numbers.js';
import { unmatched } from './overloads.js';
import type { Code } from './run.js';
import {
  Duration,
  Failure,
  JoinedList,
  keyOf,
  lengthOf,
  ListValue,
  MapValue,
  noOverload,
  Opaque,
  Optional,
  shownKey,
  sizeOf,
  Timestamp,
  typeNameOf,
  UInt,
  weightOf,
  type Value,
} from './values.js';

/** Longer texts are refused. */
const textMax = 8 * 1024 * 1024;

export const orElse = (value: Value | undefined, missing: Value): Value => (value === undefined ? missing : value);

export function selected(holder: Value, field: string, missing: Failure): Value {
  if (holder instanceof MapValue) return orElse(holder.select(field), missing);
  if (holder instanceof Failure) return holder;
  return holder instanceof Optional ? selectedMaybe(holder, field) : missing;
}

/** `a.?b`, and `a.b` of an optional. */
export function selectedMaybe(holder: Value, field: string): Value {
  if (holder instanceof Failure) return holder;
  const inner = holder instanceof Optional ? holder.value : holder;
  return optionalOf(inner instanceof MapValue ? inner.select(field) : undefined);
}

/** A present value may itself be an optional. */
const optionalOf = (value: Value | undefined): Value =>
  value === undefined ? Optional.none : value instanceof Failure ? value : new Optional(value);

/** `a[key]`, `a[?key]`. */
export function indexed(holder: Value, key: Value, asks: boolean): Value {
  if (holder instanceof Failure) return holder;
  if (key instanceof Failure) return key;
  if (!asks && !(holder instanceof Optional)) {
    const member = memberAt(holder, key);
    return member === undefined
      ? new Failure(`${holder instanceof ListValue ? 'index out of bounds' : 'no such key'}: ${shownKey(key)}`)
      : member;
  }
  const inner = holder instanceof Optional ? holder.value : holder;
  return inner === undefined ? Optional.none : optionalOf(memberAt(inner, key));
}

/** Undefined when it is absent. */
function memberAt(holder: Value, key: Value): Value | undefined {
  if (holder instanceof MapValue) return holder.get(key);
  if (!(holder instanceof ListValue)) return undefined;
  const position = key instanceof UInt ? Number(key.value) : Number(key);
  if (typeof key !== 'bigint' && typeof key !== 'number' && !(key instanceof UInt))
    return new Failure(`unsupported index type '${typeNameOf(key)}' in list`);
  if (!Number.isInteger(position)) return new Failure(`unsupported index value ${key instanceof UInt ? key.value : key} in list`);
  return position >= 0 && position < holder.length ? holder.at(position) : undefined;
}

/** Compiles `&&` and `||` of any number of terms. A term equal to `settling` decides the result, even if another fails. */
export function logical(terms: readonly Code[], settling: boolean): Code {
  return (run) => {
    let failed: Failure | null = null;
    for (const term of terms) {
      const value = term(run);
      if (value === settling) return settling;
      if (value !== !settling) failed ??= value instanceof Failure ? value : noOverload;
    }
    return failed ?? !settling;
  };
}

export const conditional =
  (condition: Code, { yes, no }: { readonly yes: Code; readonly no: Code }): Code =>
  (run) => {
    const value = condition(run);
    return value === true ? yes(run) : value === false ? no(run) : value instanceof Failure ? value : noOverload;
  };

export const not =
  (of: Code): Code =>
  (run) => {
    const value = of(run);
    run.meter.spend(1);
    return typeof value === 'boolean' ? !value : value instanceof Failure ? value : noOverload;
  };

export const negate =
  (of: Code): Code =>
  (run) => {
    const value = of(run);
    run.meter.spend(1);
    if (value instanceof Failure) return value;
    if (typeof value === 'bigint') return int(-value);
    if (typeof value === 'number') return -value;
    return value instanceof Duration ? duration(-value.nanoseconds) : unmatched('-_', [value]);
  };

/** An operand that may not be a list makes the call cost a unit. Comparisons always count steps. */
export const inside =
  (one: Code, all: Code, ambiguous: boolean): Code =>
  (run) => {
    const [value, holder] = [one(run), all(run)];
    if (value instanceof Failure) return value;
    if (holder instanceof Failure) return holder;
    run.meter.spend(!ambiguous && holder instanceof ListValue ? holder.length : 1);
    if (holder instanceof MapValue) return holder.get(value) !== undefined;
    return holder instanceof ListValue ? contains(holder, value, run.meter) : noOverload;
  };

/** The reference searches a set of constant scalars, at no cost. */
export function isMember(one: Code, list: ListValue): Code {
  const keys = new Set<string | null>();
  for (let i = 0; i < list.length; i++) if (!Number.isNaN(list.at(i))) keys.add(keyOf(list.at(i)));
  return (run) => {
    const value = one(run);
    if (value instanceof Failure) return value;
    run.meter.traverse(weightOf(value));
    return keys.has(keyOf(value));
  };
}

function contains(list: ListValue, value: Value, meter: Meter): Value {
  let failed: Failure | null = null;
  for (let i = 0; i < list.length; i++) {
    const same = equals(value, list.at(i), meter);
    if (same === true) return true;
    // As cel-go.
    if (same instanceof Failure && same !== noOverload) failed ??= same;
  }
  return failed ?? false;
}

/** `ambiguous`: the types leave the overload open. */
type Binary = (one: Code, two: Code, ambiguous: boolean) => Code;

const heldSize = (value: Value): number => sizeOf(value instanceof Optional && value.value !== undefined ? value.value : value);

const equality =
  (wanted: boolean): Binary =>
  (one, two) =>
  (run) => {
    const [left, right] = [one(run), two(run)];
    run.meter.spend(left instanceof Opaque ? 1 : Math.ceil(Math.min(heldSize(left), heldSize(right)) / 10));
    const same = equals(left, right, run.meter);
    return same instanceof Failure ? same : same === wanted;
  };

const comparison = (name: string, holds: (order: number) => boolean): Binary => {
  const { before } = callCost(name);
  return (one, two, ambiguous) => (run) => {
    const [left, right] = [one(run), two(run)];
    const order = compare(left, right, run.meter);
    if (order instanceof Failure) return order === noOverload ? unmatched(name, [left, right]) : order;
    run.meter.spend(ambiguous ? 1 : before([left, right], run.meter));
    return holds(order);
  };
};

const calculation =
  (sign: Sign): Binary =>
  (one, two, ambiguous) =>
  (run) => {
    const [left, right] = [one(run), two(run)];
    if (left instanceof Failure) return left;
    if (right instanceof Failure) return right;
    const number = arithmetic(sign, left, right);
    run.meter.spend(number === undefined && !ambiguous ? joinCost(left, right) : 1);
    const result = number ?? (sign === '+' ? joined(left, right, run.meter) : sign === '-' ? lessTime(left, right) : noOverload);
    return result === noOverload ? unmatched(`_${sign}_`, [left, right]) : result;
  };

const joinCost = (left: Value, right: Value): number =>
  typeof left === 'string' && typeof right === 'string'
    ? Math.ceil((lengthOf(left) + lengthOf(right)) / 10)
    : left instanceof Uint8Array && right instanceof Uint8Array
      ? Math.ceil((left.length + right.length) / 10)
      : 1;

function joined(left: Value, right: Value, meter: Meter): Value {
  if (typeof left === 'string' && typeof right === 'string')
    return left.length + right.length > textMax ? new Failure(`text grows beyond ${textMax} characters`) : left + right;
  if (left instanceof ListValue && right instanceof ListValue) return joinedLists(left, right, meter);
  if (left instanceof Uint8Array && right instanceof Uint8Array)
    return left.length + right.length > textMax
      ? new Failure(`bytes grow beyond ${textMax}`)
      : new Uint8Array(Buffer.concat([left, right]));
  if (left instanceof Duration && right instanceof Duration) return duration(left.nanoseconds + right.nanoseconds);
  const [time, span] = left instanceof Timestamp ? [left, right] : [right, left];
  return time instanceof Timestamp && span instanceof Duration
    ? timestamp(time.nanoseconds + span.nanoseconds, time.offsetMinutes)
    : noOverload;
}

function joinedLists(left: ListValue, right: ListValue, meter: Meter): Value {
  if (left.length + right.length > Number.MAX_SAFE_INTEGER) return new Failure('list too long');
  return left.order === 'ordered' ? new JoinedList(left, right) : new JoinedSet(left, right, meter);
}

/** Adding to a set or a keyed list replaces equal elements (or those with the same key) and appends the rest. */
class JoinedSet extends ListValue {
  override readonly order: ListValue['order'];
  readonly #merged: readonly Value[];

  constructor(left: ListValue, right: ListValue, meter: Meter) {
    super();
    this.order = left.order;
    const items = new Map<string, Value>();
    for (const list of [left, right]) {
      meter.step(list.length);
      for (let i = 0; i < list.length; i++) {
        const key = identity(list.at(i), this.order);
        meter.traverse(key.length);
        items.set(key, list.at(i));
      }
    }
    this.#merged = [...items.values()];
  }

  get length(): number {
    return this.#merged.length;
  }
  at(position: number): Value {
    return this.#merged[position]!;
  }
}

/** Identifies elements: by keys, or (in sets of plain values) by themselves. */
function identity(value: Value, order: ListValue['order']): string {
  const parts = typeof order === 'string' ? [value] : order.map((key) => (value instanceof MapValue ? (value.get(key) ?? null) : null));
  return JSON.stringify(parts.map((part) => (part instanceof UInt ? ['u', String(part.value)] : [typeof part, String(part)])));
}

function lessTime(left: Value, right: Value): Value {
  if (left instanceof Duration && right instanceof Duration) return duration(left.nanoseconds - right.nanoseconds);
  if (left instanceof Timestamp && right instanceof Timestamp) return duration(left.nanoseconds - right.nanoseconds);
  return left instanceof Timestamp && right instanceof Duration
    ? timestamp(left.nanoseconds - right.nanoseconds, left.offsetMinutes)
    : noOverload;
}

export const binaryOperators: ReadonlyMap<string, Binary> = new Map<string, Binary>([
  ['_==_', equality(true)],
  ['_!=_', equality(false)],
  ['_<_', comparison('_<_', (order) => order < 0)],
  ['_<=_', comparison('_<=_', (order) => order <= 0)],
  ['_>_', comparison('_>_', (order) => order > 0)],
  ['_>=_', comparison('_>=_', (order) => order >= 0)],
  ['_+_', calculation('+')],
  ['_-_', calculation('-')],
  ['_*_', calculation('*')],
  ['_/_', calculation('/')],
  ['_%_', calculation('%')],
]);
