/** Objects above this weight are remembered: V8 lists all members of an object before it yields the first, which takes as long as visiting them all. */
const remembered = 2_000;
const heavy = new WeakSet<object>();

/** Counts on all levels, and stops as early as possible. */
export const weighsMore = (value: unknown, most: number): boolean => left(value, most) < 0;

/** Negative as soon as `most` is used up. */
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
  // Avoids a list of the members: nearly every object is small, and every write checks.
  for (const name in value) {
    members++;
    if (remaining >= 0) remaining = left((value as Readonly<Record<string, unknown>>)[name], remaining - 1);
    // An object that exhausts a smaller allowance may be narrower; counting on costs less than listing its members again.
    if (remaining < 0 && members > remembered) {
      heavy.add(value);
      break;
    }
  }
  return remaining;
}

/** Returns whether an object was found to have more than two thousand members. */
export const isKnownWide = (value: object): boolean => heavy.has(value);
