import { compare } from '../equality.js';
import type { Run } from '../run.js';
import { ArrayList, Duration, Failure, Timestamp, typeNameOf, UInt, type Value } from '../values.js';

const incomparable = new Failure('list elements must be comparable');
const mixed = new Failure('list elements must have the same type');

const isComparable = (value: Value): boolean =>
  ['boolean', 'bigint', 'number', 'string'].includes(typeof value) ||
  value instanceof UInt ||
  value instanceof Uint8Array ||
  value instanceof Timestamp ||
  value instanceof Duration;

/** Sorts elements by keys of one type with an order. Keys without an order among each other, such as NaN, stay where they are (`ext/lists.go` of cel-go). */
export function sortedByKeys(keyed: readonly { readonly element: Value; readonly key: Value }[], run: Run): Value {
  const [first] = keyed;
  if (first === undefined) return new ArrayList([]);
  if (!isComparable(first.key)) return incomparable;
  const type = typeNameOf(first.key);
  for (const { key } of keyed) {
    run.meter.step(1);
    if (typeNameOf(key) !== type) return mixed;
  }
  const inOrder = keyed.toSorted((one, other) => {
    run.meter.step(1);
    const order = compare(one.key, other.key, run.meter);
    return order instanceof Failure ? 0 : order;
  });
  return new ArrayList(inOrder.map(({ element }) => element));
}
