import type { JsonObject, JsonValue } from '../../../api/object.js';

/** References anywhere in foreign documents, which may contain more than this server knows. Pure. */

export const definitionsPrefix = '#/definitions/';
export const schemasPrefix = '#/components/schemas/';

/** Escapes a name for a JSON pointer (RFC 6901, section 3). */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (text: string): string => text.replaceAll('~1', '/').replaceAll('~0', '~');

export const referenceTo = (prefix: string, name: string): string => `${prefix}${escaped(name)}`;

/** Returns a reference's target, or null for other values. A member named `$ref` may also be described: then it is an object. */
export const nameIn = (reference: JsonValue | undefined, prefix: string): string | null =>
  typeof reference === 'string' && reference.startsWith(prefix) ? unescaped(reference.slice(prefix.length)) : null;

/** Returns names of all definitions that a value needs, directly or indirectly. */
export function definitionsNeeded(value: JsonValue | undefined, definitions: JsonObject): ReadonlySet<string> {
  const needed = new Set<string>();
  const waiting = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (typeof each !== 'object' || each === null) continue;
    const name = Array.isArray(each) ? null : nameIn(each['$ref'], definitionsPrefix);
    if (name !== null && !needed.has(name) && Object.hasOwn(definitions, name)) {
      needed.add(name);
      waiting.push(definitions[name]);
    }
    for (const inner of Object.values(each)) waiting.push(inner);
  }
  return needed;
}

export function withReferences(value: JsonValue, change: (reference: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, each]) => [
      member,
      member === '$ref' && typeof each === 'string' ? change(each) : each === undefined ? each : withReferences(each, change),
    ]),
  );
}
