import { Failure, keyOf, Optional, shownKey, type Value } from './values.js';

export const notOptional = new Failure('cannot initialize optional entry from non-optional value');

/** Returns the failure if the entry cannot be added. */
export function addEntry(made: Map<string, readonly [Value, Value]>, key: Value, value: Value, maybe: boolean): Failure | null {
  if (key instanceof Failure) return key;
  if (value instanceof Failure) return value;
  if (maybe && !(value instanceof Optional)) return notOptional;
  const inner = maybe && value instanceof Optional ? value.value : value;
  if (inner === undefined) return null;
  const known = keyOf(key);
  if (known === null) return new Failure('unsupported key type');
  if (made.has(known)) return new Failure(`insert failed: key ${shownKey(key)} already exists`);
  made.set(known, [key, inner]);
  return null;
}
