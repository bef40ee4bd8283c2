/** Compares two sides in short turns by the median of their ratios, because the machine's speed changes. */
export interface Pair<T> {
  readonly ours: T;
  readonly bare: T;
}

/** Runs both sides `turns` times, each first equally often. */
export async function inTurns<T>(
  turns: number,
  sides: { readonly ours: () => Promise<T>; readonly bare: () => Promise<T> },
): Promise<Pair<T>[]> {
  const pairs: Pair<T>[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const bareFirst = turn % 2 === 1 ? await sides.bare() : null;
    const ours = await sides.ours();
    pairs.push({ ours, bare: bareFirst ?? (await sides.bare()) });
  }
  return pairs;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The median of `of` over all turns. */
export const medianOf = <T>(turns: readonly T[], of: (turn: T) => number): number => median(turns.map(of));
