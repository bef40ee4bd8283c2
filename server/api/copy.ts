import type { JsonObject, JsonValue } from './object.js';

/** A copy of a JSON value that shares nothing with it but texts and numbers. Costs a fraction of what `structuredClone` does. */
export function copyOf<T extends JsonValue | undefined>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: JsonObject = { ...(value as JsonObject) };
  for (const name of Object.keys(copy)) {
    const member = copy[name];
    if (typeof member !== 'object' || member === null) continue;
    // Plain assignment would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value: copyOf(member), writable: true, enumerable: true, configurable: true });
    else copy[name] = copyOf(member);
  }
  return copy as T;
}
