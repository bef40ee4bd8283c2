import { Failure, keyOf, Optional, shownKey, type Value } from './values.js';

export type Entries = Map<string, readonly [Value, Value]>;

export const notOptional = new Failure('cannot initialize optional entry from non-optional value');

/** Returns the text of an entry's key. A key that equals nothing, such as a list, gets its own. */
const placeOf = (made: Entries, key: Value): string => keyOf(key) ?? `#${made.size}`;

/** Sets an entry of a map literal; the last one with a key counts. Returns the failure if it cannot be set. */
export function putEntry(made: Entries, key: Value, value: Value, maybe: boolean): Failure | null {
  if (key instanceof Failure) return key;
  if (value instanceof Failure) return value;
  if (maybe && !(value instanceof Optional)) return notOptional;
  const inner = maybe && value instanceof Optional ? value.value : value;
  const place = placeOf(made, key);
  if (inner === undefined) made.delete(place);
  else made.set(place, [key, inner]);
  return null;
}

/** Adds a macro's entry, whose key must be new. Returns the failure if it cannot be added. */
export function addEntry(made: Entries, key: Value, value: Value): Failure | null {
  if (key instanceof Failure) return key;
  if (value instanceof Failure) return value;
  const place = placeOf(made, key);
  if (made.has(place)) return new Failure(`insert failed: key ${shownKey(key)} already exists`);
  made.set(place, [key, value]);
  return null;
}
