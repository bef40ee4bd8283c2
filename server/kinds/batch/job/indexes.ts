/** Completion indexes in text, such as `0,2-5`. */
export type Indexes = { readonly ok: true; readonly total: number } | { readonly ok: false; readonly message: string };

interface Interval {
  readonly first: number;
  readonly last: number;
}
type Parsed = Interval | { readonly message: string };

/** Numbers must increase and stay below `completions`. Messages are the reference's. */
export function parseIndexes(text: string, completions: number): Indexes {
  let total = 0;
  let previous: number | null = null;
  for (const fragment of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(fragment, completions);
    if ('message' in interval) return { ok: false, message: interval.message };
    if (previous !== null && previous >= interval.first) return { ok: false, message: notGrowing(previous, interval.first) };
    previous = interval.last;
    total += interval.last - interval.first + 1;
  }
  return { ok: true, total };
}

/** Unreadable fragments are reported for the list itself. */
export function overlapOf(completed: string, failed: string, completions: number): number | null {
  const [done, lost] = [completed, failed].map((text) =>
    text.split(',').flatMap((fragment) => {
      const interval = parseInterval(fragment, completions);
      return 'message' in interval ? [] : [interval];
    }),
  ) as [Interval[], Interval[]];
  for (let [atDone, atLost] = [0, 0]; ;) {
    const [one, other] = [done[atDone], lost[atLost]];
    if (one === undefined || other === undefined) return null;
    if (one.first <= other.last && other.first <= one.last) return Math.max(one.first, other.first);
    if (one.first <= other.first) atDone++;
    else atLost++;
  }
}

const notGrowing = (previous: number, current: number): string => `non-increasing order, previous: ${previous}, current: ${current}`;

function parseInterval(fragment: string, completions: number): Parsed {
  const limits = fragment.split('-');
  if (limits.length > 2)
    return {
      message: `the fragment ${JSON.stringify(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  for (const limit of limits) {
    const value = integerIn(limit);
    if (value === null) return { message: `cannot convert string to integer for index: ${JSON.stringify(limit)}` };
    if (value >= completions) return { message: `too large index: ${JSON.stringify(limit)}` };
  }
  const [first = 0, last = first] = limits.map(Number);
  return limits.length > 1 && first >= last ? { message: notGrowing(first, last) } : { first, last };
}

const integerIn = (text: string): number | null => (/^[+-]?[0-9]+$/.test(text) && Math.abs(Number(text)) < 2 ** 63 ? Number(text) : null);
