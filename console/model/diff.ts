/** A line of two compared texts: in both, only in the first (`-`), or only in the second (`+`). */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Limit of edits: longer differences take too long, and are not read. */
const editsMax = 2_000;

/** Returns a short list of removed and added lines: Myers' greedy algorithm (An O(ND) Difference Algorithm, 1986, section 4). */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ];
}

const removed = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: '-', text }));
const added = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: '+', text }));

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length === 0 || b.length === 0) return [...removed(a), ...added(b)];
  const reach = furthest(a, b);
  if (reach === null) return [...removed(a), ...added(b)];
  return walkBack(a, b, reach);
}

/** Returns the progress of each diagonal (`x - y`) for each number of edits; null when the texts differ too much. */
function furthest(a: readonly string[], b: readonly string[]): readonly ReadonlyMap<number, number>[] | null {
  const reached: Map<number, number>[] = [];
  let last = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(a.length + b.length, editsMax); edits++) {
    const now = new Map<number, number>();
    for (let k = -edits; k <= edits; k += 2) {
      let x = comesDown(last, k, edits) ? (last.get(k + 1) ?? 0) : (last.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      now.set(k, x);
      if (x >= a.length && x - k >= b.length) return [...reached, now];
    }
    reached.push(now);
    last = now;
  }
  return null;
}

const comesDown = (last: ReadonlyMap<number, number>, k: number, edits: number): boolean =>
  k === -edits || (k !== edits && (last.get(k - 1) ?? -1) < (last.get(k + 1) ?? -1));

function walkBack(a: readonly string[], b: readonly string[], reached: readonly ReadonlyMap<number, number>[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let edits = reached.length - 1; edits > 0; edits--) {
    const before = reached[edits - 1]!;
    const k = x - y;
    const from = comesDown(before, k, edits) ? k + 1 : k - 1;
    const startX = before.get(from) ?? 0;
    const startY = startX - from;
    while (x > Math.max(startX, 0) && y > Math.max(startY, 0) && a[x - 1] === b[y - 1]) {
      lines.push({ sign: ' ', text: a[--x]! });
      y--;
    }
    if (x > startX) lines.push({ sign: '-', text: a[--x]! });
    else if (y > startY) lines.push({ sign: '+', text: b[--y]! });
  }
  while (x > 0 && y > 0) {
    lines.push({ sign: ' ', text: a[--x]! });
    y--;
  }
  return lines.reverse();
}

/** Returns the differences with a few equal lines around; `null` marks omitted lines. */
export function hunks(lines: readonly DiffLine[], around = 3): readonly (DiffLine | null)[] {
  const near = lines.map(({ sign }) => sign !== ' ');
  const shown = lines.map((_, at) => near.slice(Math.max(0, at - around), at + around + 1).some(Boolean));
  return lines.flatMap((line, at) => (shown[at] ? [line] : shown[at - 1] || (at === 0 && near.some(Boolean)) ? [null] : []));
}
