import { compare } from '../equality.js';
import type { Run } from '../run.js';
import { ArrayList, Failure, orderedTypes, typeNameOf, type Value } from '../values.js';

const incomparable = new Failure('list elements must be comparable');
const mixed = new Failure('list elements must have the same type');

/** Sorts elements by keys of one ordered type. Unordered keys such as NaN stay where they are (`ext/lists.go` of cel-go). */
export function sortedByKeys(keyed: readonly { readonly element: Value; readonly key: Value }[], run: Run): Value {
  const [first] = keyed;
  if (first === undefined) return new ArrayList([]);
  const type = typeNameOf(first.key);
  if (!orderedTypes.has(type)) return incomparable;
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
