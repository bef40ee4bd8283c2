/**
 * Releases before these may report a revision before all its events, so readers could miss writes. Source: etcd's changelogs of 3.4.31 and 3.5.13, and the
 * reference's check.
 */
const firstRight: readonly (readonly [major: number, minor: number, patch: number])[] = [
  [3, 4, 31],
  [3, 5, 13],
];

/** An unparsable one is not trusted. */
export function answersProgressRightly(version: string): boolean {
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null) return false;
  const [major, minor, patch] = found.slice(1).map(Number) as [number, number, number];
  const [first, last] = [firstRight[0]!, firstRight.at(-1)!];
  if (major !== first[0] || minor > last[1]) return major > last[0] || (major === last[0] && minor > last[1]);
  return firstRight.some(([, rightMinor, rightPatch]) => minor === rightMinor && patch >= rightPatch);
}
