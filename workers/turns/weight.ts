/** V8 lists all members of an object before the first, so wide objects are remembered. */
const remembered = 2_000;
const heavy = new WeakSet<object>();

/** Counts on all levels, and stops as early as possible. */
export const weighsMore = (value: unknown, most: number): boolean => left(value, most) < 0;

function left(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return most;
  if (Array.isArray(value)) return leftOfItems(value, most);
  return most <= remembered && heavy.has(value) ? -1 : leftOfMembers(value, most);
}

function leftOfItems(items: readonly unknown[], most: number): number {
  let remaining = most - items.length;
  for (let position = 0; remaining >= 0 && position < items.length; position++) remaining = left(items[position], remaining);
  return remaining;
}

function leftOfMembers(value: object, most: number): number {
  let [remaining, members] = [most, 0];
  // Makes no list of the members: nearly every object is small.
  for (const name in value) {
    members++;
    if (remaining >= 0) remaining = left((value as Readonly<Record<string, unknown>>)[name], remaining - 1);
    // It may be narrower; counting on costs less than listing its members again.
    if (remaining < 0 && members > remembered) {
      heavy.add(value);
      break;
    }
  }
  return remaining;
}

/** Returns whether an object was found to have over two thousand members. */
export const isKnownWide = (value: object): boolean => heavy.has(value);
