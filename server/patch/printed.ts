import type { JsonValue } from '../../api/object.js';

/** A value as the reference prints it in messages about patches (Go's `%v`): `map[a:map[b:1] c:[x y]]`. */
export function printed(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${printed(value[name])}`).join(' ')}]`;
}
