import { setMember } from './setMember.js';
import type { JsonObject, JsonValue } from '../object.js';

/** Members from which on an object is a dictionary to the engine, which copies it faster one by one. */
const wideMembers = 1_024;

/** A copy of a JSON value that shares nothing with it but texts and numbers. Costs a fraction of what `structuredClone` does. */
export function copyOf<T extends JsonValue | undefined>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const names = Object.keys(value as JsonObject);
  const isWide = names.length > wideMembers;
  const copy: JsonObject = isWide ? {} : { ...(value as JsonObject) };
  for (const name of names) {
    const member = (value as JsonObject)[name];
    const isScalar = typeof member !== 'object' || member === null;
    if (isWide || !isScalar) setMember(copy, name, isScalar ? member : copyOf(member));
  }
  return copy as T;
}
