import type { Pointer } from './recordings.js';

type Members = Record<string, unknown>;

export const escaped = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Segments of a JSON pointer (RFC 6901). */
const segmentsOf = (pointer: Pointer): string[] => (pointer === '' ? [] : pointer.slice(1).split('/').map(unescaped));

const isBranch = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** What a pointer leads to; undefined where there is nothing. In texts, numbers lead to characters and `length` to how many there are. */
export const valueAt = (value: unknown, pointer: Pointer): unknown =>
  segmentsOf(pointer).reduce<unknown>(
    (at, segment) =>
      isBranch(at) ? at[segment] : typeof at === 'string' ? (segment === 'length' ? at.length : at[Number(segment)]) : undefined,
    value,
  );

/** Takes away what a pointer leads to. Elements of lists become null, so that the others keep their places. */
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

/** The last segment of a pointer and what it is a member of; what lacks on the way is made. */
export function parentOf(value: unknown, pointer: Pointer): { readonly parent: Members; readonly last: string } {
  const segments = segmentsOf(pointer);
  let parent = value as Members;
  for (const [index, segment] of segments.slice(0, -1).entries()) {
    parent[segment] ??= /^\d+$/.test(segments[index + 1] ?? '') ? [] : {};
    parent = parent[segment] as Members;
  }
  return { parent, last: segments.at(-1) ?? '' };
}

/** Every leaf by its pointer. Empty lists and objects are leaves. */
export function leavesOf(value: unknown, at: Pointer = '', leaves = new Map<Pointer, unknown>()): Map<Pointer, unknown> {
  if (!isBranch(value) || Object.keys(value).length === 0) return leaves.set(at, value);
  for (const [name, member] of Object.entries(value)) leavesOf(member, `${at}/${escaped(name)}`, leaves);
  return leaves;
}
