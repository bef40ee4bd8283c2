import type { JsonValue } from '../../api/object.js';

/** Go's format of a value (`%v`), which the reference uses in messages about patches: `map[a:map[b:1] c:[x y]]`. */
export function printed(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${printed(value[name])}`).join(' ')}]`;
}
