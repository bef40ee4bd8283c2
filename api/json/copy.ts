import { setMember } from './setMember.js';
import type { JsonObject, JsonValue } from '../object.js';
import type { Steps } from '../steps.js';

/** Larger objects are dictionaries in V8, which are copied faster member by member. */
const wideMembers = 1_024;

/** Returns a deep copy that shares only primitive values, far cheaper than `structuredClone`. */
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

const copiedInStep = 256;

/** Like `copyOf`, in steps. Values that are not plain JSON, such as spellings of numbers, are shared. */
export function* copyInSteps<T extends JsonValue | undefined>(value: T): Steps<T> {
  if (typeof value !== 'object' || value === null) return value;
  let copied = 0;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value as readonly JsonValue[]) {
      if (++copied % copiedInStep === 0) yield;
      items.push(typeof item === 'object' ? yield* copyInSteps(item) : item);
    }
    return items as unknown as T;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value as JsonObject)) {
    if (++copied % copiedInStep === 0) yield;
    const member = (value as JsonObject)[name];
    setMember(copy, name, typeof member === 'object' ? yield* copyInSteps(member) : member);
  }
  return copy as T;
}
