/** Versions such as `v1`, `v2beta1`; all others sort last. */
const version = /^v(\d{1,15})(?:(alpha|beta)(\d{1,15}))?$/;
const stabilityRank: Readonly<Record<string, number>> = { alpha: 0, beta: 1, stable: 2 };

/** Orders versions by preference: stable, beta, alpha, higher numbers first, then others by name. Negative when `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [version.exec(a), version.exec(b)];
  if (left === null || right === null) return left === right ? (a < b ? -1 : a > b ? 1 : 0) : left === null ? 1 : -1;
  const byStability = stabilityOf(right) - stabilityOf(left);
  if (byStability !== 0) return byStability;
  return Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0);
}

const stabilityOf = ([, , stability = 'stable']: RegExpExecArray): number => stabilityRank[stability] ?? 0;
