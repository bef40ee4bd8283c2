import type { JsonValue } from '../api/object.js';

/** Deeper values are refused, so that no input can exhaust the stack. */
const depthMax = 100;

/** JSON as CEL sees it: whole numbers are integers, others doubles. Throws RangeError for values that nest too deeply. */
export function toCel(value: JsonValue, depth = 0): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) throw new RangeError(`value nests more than ${depthMax} levels`);
  if (Array.isArray(value)) return value.map((item) => toCel(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCel(member as JsonValue, depth + 1)]));
}

/** What an expression yields, as JSON. Throws TypeError for what JSON cannot say, such as a type or a time. */
export function toJson(value: unknown): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [String(key), toJson(member)]));
  if (isPlain(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]));
  throw new TypeError('the expression yields a value that is neither text, number, bool, list nor map');
}

function isPlain(value: unknown): value is Record<string, unknown> {
  const prototype: unknown = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype || prototype === null;
}
