import type { Pointer } from './recordings.js';

type Members = Record<string, unknown>;

export const escaped = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const segmentsOf = (pointer: Pointer): string[] => (pointer === '' ? [] : pointer.slice(1).split('/').map(unescaped));

const isBranch = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** The value at a pointer, or undefined. In texts, numbers select characters and `length` is their count. */
export const valueAt = (value: unknown, pointer: Pointer): unknown =>
  segmentsOf(pointer).reduce<unknown>(
    (at, segment) =>
      isBranch(at) ? at[segment] : typeof at === 'string' ? (segment === 'length' ? at.length : at[Number(segment)]) : undefined,
    value,
  );

/** Removes the value at a pointer. Removed list items become null, so that others keep their index. */
export function drop(value: unknown, pointer: Pointer): void {
  dropBelow(value, segmentsOf(pointer));
}

function dropBelow(value: unknown, [segment = '', ...rest]: readonly string[]): void {
  if (!isBranch(value)) return;
  for (const member of segment === '*' ? Object.keys(value) : [segment]) {
    if (rest.length > 0) dropBelow(value[member], rest);
    else if (Array.isArray(value)) value[Number(member)] = null;
    else delete value[member];
  }
}

/** The last segment of a pointer and its parent; creates missing parents. */
export function parentOf(value: unknown, pointer: Pointer): { readonly parent: Members; readonly last: string } {
  const segments = segmentsOf(pointer);
  let parent = value as Members;
  for (const [index, segment] of segments.slice(0, -1).entries()) {
    parent[segment] ??= /^\d+$/.test(segments[index + 1] ?? '') ? [] : {};
    parent = parent[segment] as Members;
  }
  return { parent, last: segments.at(-1) ?? '' };
}

/** Every leaf by its pointer; empty lists and objects count. */
export function leavesOf(value: unknown, at: Pointer = '', leaves = new Map<Pointer, unknown>()): Map<Pointer, unknown> {
  if (!isBranch(value) || Object.keys(value).length === 0) return leaves.set(at, value);
  for (const [name, member] of Object.entries(value)) leavesOf(member, `${at}/${escaped(name)}`, leaves);
  return leaves;
}
