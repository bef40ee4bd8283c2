import { compare, equals } from '../equality.js';
import { arithmetic, duration } from '../numbers.js';
import type { Run } from '../run.js';
import {
  ArrayList,
  Duration,
  Failure,
  lengthOf,
  ListValue,
  MapValue,
  noOverload,
  Optional,
  orderedTypes,
  typeNameOf,
  type Value,
} from '../values.js';
import type { Implementation, Library } from './library.js';
import { sortedByKeys } from './sorting.js';

const elementsMax = 100_000;

function* elements(list: ListValue, { meter }: Run): Generator<Value> {
  for (let i = 0; i < list.length; i++) {
    meter.step(1);
    yield list.at(i);
  }
}

const ofList =
  (of: (list: ListValue, run: Run, others: readonly Value[]) => Value): Implementation =>
  ([list, ...others], run) =>
    list instanceof ListValue ? of(list, run, others) : noOverload;

const numeric = new Set(['int', 'uint', 'double', 'google.protobuf.Duration']);

/** The first element selects the implementation, which exists for these types only. */
const ofListOf =
  (types: ReadonlySet<string>, of: (list: ListValue, run: Run) => Value): Implementation =>
  ([list], run) =>
    list instanceof ListValue && (list.length === 0 || types.has(typeNameOf(list.at(0)))) ? of(list, run) : noOverload;

function isSorted(list: ListValue, run: Run): Value {
  let before: Value | undefined;
  for (const element of elements(list, run)) {
    const order = before === undefined ? 0 : compare(before, element, run.meter);
    if (order instanceof Failure) return order;
    if (order > 0) return false;
    before = element;
  }
  return true;
}

function sum(list: ListValue, run: Run): Value {
  let total: Value | undefined;
  for (const element of elements(list, run)) {
    if (element instanceof Failure) return element;
    if (total === undefined) total = element;
    else if (total instanceof Duration && element instanceof Duration) total = duration(total.nanoseconds + element.nanoseconds);
    else total = arithmetic('+', total, element) ?? noOverload;
    if (total instanceof Failure) return total;
  }
  return total ?? 0n;
}

const extreme = (name: string, better: (order: number) => boolean) =>
  ofListOf(orderedTypes, (list, run) => {
    let best: Value | undefined;
    for (const element of elements(list, run)) {
      const order = best === undefined ? 0 : compare(element, best, run.meter);
      if (order instanceof Failure) return order;
      if (best === undefined || better(order)) best = element;
    }
    return best ?? new Failure(`${name} called on empty list`);
  });

function positionIn(list: ListValue, wanted: Value, run: Run, last: boolean): Value {
  for (let i = 0; i < list.length; i++) {
    const at = last ? list.length - 1 - i : i;
    const same = equals(list.at(at), wanted, run.meter);
    if (same === true) return BigInt(at);
  }
  return -1n;
}

function slice(list: ListValue, run: Run, [from, to]: readonly Value[]): Value {
  if (typeof from !== 'bigint' || typeof to !== 'bigint') return noOverload;
  if (from < 0n || to < 0n) return new Failure(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to) return new Failure(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > BigInt(list.length)) return new Failure(`cannot slice(${from}, ${to}), list is length ${list.length}`);
  run.meter.step(Number(to - from));
  return new ArrayList(Array.from({ length: Number(to - from) }, (_, i) => list.at(Number(from) + i)));
}

function flatten(list: ListValue, run: Run, [depth = 1n]: readonly Value[]): Value {
  if (typeof depth !== 'bigint') return noOverload;
  if (depth < 0n) return new Failure('level must be non-negative');
  const flat: Value[] = [];
  const add = (one: ListValue, levels: bigint): void => {
    for (const element of elements(one, run)) {
      if (element instanceof ListValue && levels > 0n) add(element, levels - 1n);
      else flat.push(element);
    }
  };
  add(list, depth);
  return new ArrayList(flat);
}

function distinct(list: ListValue, run: Run): Value {
  const found: Value[] = [];
  for (const element of elements(list, run)) if (!found.some((one) => equals(one, element, run.meter) === true)) found.push(element);
  return new ArrayList(found);
}

const sorted = (list: ListValue, run: Run): Value =>
  sortedByKeys(
    Array.from(elements(list, run), (element) => ({ element, key: element })),
    run,
  );

function range([end]: readonly Value[], run: Run): Value {
  if (typeof end !== 'bigint') return noOverload;
  if (end > BigInt(elementsMax)) return new Failure(`list must not have more than ${elementsMax} elements`);
  run.meter.step(Number(end));
  return new ArrayList(Array.from({ length: Math.max(0, Number(end)) }, (_, i) => BigInt(i)));
}

const isIn = (list: ListValue, wanted: Value, run: Run): boolean => {
  for (let i = 0; i < list.length; i++) if (equals(list.at(i), wanted, run.meter) === true) return true;
  return false;
};

const everyIn = (some: ListValue, all: ListValue, run: Run): boolean => {
  for (const element of elements(some, run)) if (!isIn(all, element, run)) return false;
  return true;
};

const anyIn = (some: ListValue, all: ListValue, run: Run): boolean => {
  for (const element of elements(some, run)) if (isIn(all, element, run)) return true;
  return false;
};

const ofLists =
  (of: (one: ListValue, other: ListValue, run: Run) => Value): Implementation =>
  ([one, other], run) =>
    one instanceof ListValue && other instanceof ListValue ? of(one, other, run) : noOverload;

const sizeOfAny: Implementation = ([value]) => {
  if (typeof value === 'string') return BigInt(lengthOf(value));
  if (value instanceof ListValue || value instanceof Uint8Array) return BigInt(value.length);
  return value instanceof MapValue ? BigInt(value.size) : noOverload;
};

export const lists: Library = {
  'size/1': sizeOfAny,
  '.size/0': sizeOfAny,
  '.isSorted/0': ofListOf(orderedTypes, isSorted),
  '.sum/0': ofListOf(numeric, sum),
  '.min/0': extreme('min', (order) => order < 0),
  '.max/0': extreme('max', (order) => order > 0),
  '.indexOf/1': ofList((list, run, [wanted = null]) => positionIn(list, wanted, run, false)),
  '.lastIndexOf/1': ofList((list, run, [wanted = null]) => positionIn(list, wanted, run, true)),
  '.slice/2': ofList(slice),
  '.flatten/0': ofList(flatten),
  '.flatten/1': ofList(flatten),
  '.distinct/0': ofList(distinct),
  '.sort/0': ofList(sorted),
  'lists.range/1': range,
  '.reverse/0': ofList((list, run) => new ArrayList([...elements(list, run)].reverse())),
  '.first/0': ofList((list) => (list.length === 0 ? Optional.none : new Optional(list.at(0)))),
  '.last/0': ofList((list) => (list.length === 0 ? Optional.none : new Optional(list.at(list.length - 1)))),
  'sets.contains/2': ofLists((all, some, run) => everyIn(some, all, run)),
  'sets.intersects/2': ofLists((one, other, run) => anyIn(one, other, run)),
  'sets.equivalent/2': ofLists((one, other, run) => everyIn(one, other, run) && everyIn(other, one, run)),
};
