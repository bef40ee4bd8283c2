/** The returned function reports, in linear time, whether a value occurs earlier in the list. */
export function repeats<T>(values: readonly T[]): (position: number) => boolean {
  if (values.length < 2) return () => false;
  const first = firstPositions(values);
  return (position) => first.get(values[position] as T) !== position;
}

export function firstPositions<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const first = new Map<T, number>();
  for (const [position, value] of values.entries()) if (!first.has(value)) first.set(value, position);
  return first;
}

/** Items with the same key keep their order. */
export function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
