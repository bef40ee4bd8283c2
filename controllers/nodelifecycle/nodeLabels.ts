import type { Node } from '../../api/types/core/v1.js';

/** Older label names with the same values as newer ones. */
const older: readonly (readonly [label: string, older: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

/** Null where the node has all labels. Pure. */
export function missingLabels({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | null {
  const missing = older.flatMap(([label, old]) => {
    const value = labels[label];
    return value === undefined || labels[old] === value ? [] : [[old, value] as const];
  });
  return missing.length === 0 ? null : Object.fromEntries(missing);
}
