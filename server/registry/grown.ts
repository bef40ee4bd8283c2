import type { Steps } from '../../api/steps.js';
import type { ApiObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';

/** A larger object has grown by defaults or patches. */
const textMax = 3 * 1024 * 1024;
const stepValues = 2_000;

/** Refuses before the content is processed. */
export function* refuseGrown(object: ApiObject): Steps<void> {
  let [length, values] = [0, 0];
  const waiting: unknown[] = [object];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string') length += value.length;
    else if (Array.isArray(value)) for (const item of value) waiting.push(item ?? null);
    else if (typeof value === 'object' && value !== null) for (const name in value) waiting.push((value as ApiObject)[name] ?? null);
    if (length > textMax) throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${textMax}`);
    if (++values % stepValues === 0) yield;
  }
}
