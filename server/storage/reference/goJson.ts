import { htmlSafe } from '../../../workers/codecs/goJson.js';
import { jsonCodec } from '../../../workers/codecs/json.js';

export const asGoWrites = (json: string): string => `${htmlSafe(json)}\n`;

/** Sorts members, as Go does for maps. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return plainJson(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Longer numbers are the codec's own objects.
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return plainJson(value);
  return `{${members
    .sort(([a], [b]) => byBytes(a, b))
    .map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`)
    .join(',')}}`;
}

export function plainJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Integers beyond 2^53.
    if (error instanceof TypeError) return jsonCodec.encode(value).toString();
    throw error;
  }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
