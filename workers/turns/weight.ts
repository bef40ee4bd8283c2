/**
 * Objects that have been found to weigh so much are remembered: the language lists all members of an object before it shows the first one, which takes as long as
 * going through all of them.
 */
const remembered = 2_000;
const heavy = new WeakSet<object>();

/** Whether a value has more members and items than `most`, on all levels. Stops counting as soon as it knows. */
export const weighsMore = (value: unknown, most: number): boolean => left(value, most) < 0;

/** What is left of `most` when the value has been counted; less than zero as soon as it is used up. */
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
  // Without a list of the members: nearly every object is small, and each write asks.
  for (const name in value) {
    members++;
    if (remaining >= 0) remaining = left((value as Readonly<Record<string, unknown>>)[name], remaining - 1);
    // One that uses up the rest of a smaller allowance need not be that wide. To count on costs less than another list of its members.
    if (remaining < 0 && members > remembered) {
      heavy.add(value);
      break;
    }
  }
  return remaining;
}

/** Whether an object has been found to have more than two thousand members. */
export const isKnownWide = (value: object): boolean => heavy.has(value);
