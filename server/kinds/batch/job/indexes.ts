/** Lists of completion indexes in text, such as `0,2-5`. */
export type Indexes =
  | { readonly ok: true; readonly intervals: readonly (readonly [first: number, last: number])[]; readonly total: number }
  | { readonly ok: false; readonly message: string };

const failed = (message: string): Indexes => ({ ok: false, message });
const numberIn = (text: string): number | null => (/^[+-]?[0-9]+$/.test(text) ? Number(text) : null);

/** Reads a list whose numbers must grow and stay below `completions`. Messages are in the reference's words. */
export function parseIndexes(text: string, completions: number): Indexes {
  const intervals: [number, number][] = [];
  let total = 0;
  let previous: number | null = null;
  for (const fragment of text === '' ? [] : text.split(',')) {
    const limits = fragment.split('-');
    if (limits.length > 2)
      return failed(
        `the fragment ${JSON.stringify(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      );
    const [first, last] = limits.map(numberIn);
    for (const [position, value] of [first, last].entries()) {
      if (value === undefined) continue;
      if (value === null) return failed(`cannot convert string to integer for index: ${JSON.stringify(limits[position])}`);
      if (value >= completions) return failed(`too large index: ${JSON.stringify(limits[position])}`);
      if (previous !== null && previous >= value) return failed(`non-increasing order, previous: ${previous}, current: ${value}`);
      previous = value;
    }
    const interval: [number, number] = [first ?? 0, last ?? first ?? 0];
    intervals.push(interval);
    total += interval[1] - interval[0] + 1;
  }
  return { ok: true, intervals, total };
}
