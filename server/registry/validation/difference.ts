import { writeIndentedJson } from '../../../workers/codecs/jsonWriter.js';

/** The reference's line diff of printed forms. */

const context = 3;

interface Step {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
  readonly old: number;
  readonly now: number;
}

/** Returns a unified diff of indented JSON. */
export function differenceOf(old: unknown, now: unknown): string {
  const steps = stepsBetween(writeIndentedJson(old).split('\n'), writeIndentedJson(now).split('\n'));
  return hunksOf(steps).map(printHunk).join('');
}

interface Run {
  readonly old: number;
  readonly now: number;
  readonly length: number;
}
interface Window {
  readonly old: number;
  readonly oldEnd: number;
  readonly now: number;
  readonly nowEnd: number;
}

/** Ratcliff and Obershelp's algorithm, removals first, as in the reference. */
function stepsBetween(old: readonly string[], now: readonly string[]): Step[] {
  const steps: Step[] = [];
  const end: Run = { old: old.length, now: now.length, length: 0 };
  let [i, j] = [0, 0];
  for (const run of [...commonRuns(old, now, { old: 0, oldEnd: old.length, now: 0, nowEnd: now.length }), end]) {
    for (; i < run.old; i++) steps.push({ kind: '-', line: old[i] ?? '', old: i, now: j });
    for (; j < run.now; j++) steps.push({ kind: '+', line: now[j] ?? '', old: i, now: j });
    for (let each = 0; each < run.length; each++, i++, j++) steps.push({ kind: ' ', line: old[i] ?? '', old: i, now: j });
  }
  return steps;
}

function commonRuns(old: readonly string[], now: readonly string[], window: Window): Run[] {
  const run = longestRun(old, now, window);
  if (run.length === 0) return [];
  return [
    ...commonRuns(old, now, { ...window, oldEnd: run.old, nowEnd: run.now }),
    run,
    ...commonRuns(old, now, { ...window, old: run.old + run.length, now: run.now + run.length }),
  ];
}

function longestRun(old: readonly string[], now: readonly string[], window: Window): Run {
  let best: Run = { old: window.old, now: window.now, length: 0 };
  // Lengths of runs that end with the previous line of `old`, by position in `now`.
  let before = new Map<number, number>();
  for (let i = window.old; i < window.oldEnd; i++) {
    const here = new Map<number, number>();
    for (let j = window.now; j < window.nowEnd; j++) {
      if (old[i] !== now[j]) continue;
      const length = (before.get(j - 1) ?? 0) + 1;
      here.set(j, length);
      if (length > best.length) best = { old: i - length + 1, now: j - length + 1, length };
    }
    before = here;
  }
  return best;
}

/** Changes whose context touches share a hunk. */
function hunksOf(steps: readonly Step[]): Step[][] {
  const near = steps.map((_, index) => steps.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== ' '));
  const hunks: Step[][] = [];
  steps.forEach((step, index) => {
    if (!near[index]) return;
    if (index === 0 || !near[index - 1]) hunks.push([]);
    hunks.at(-1)?.push(step);
  });
  return hunks;
}

function printHunk(hunk: readonly Step[]): string {
  const [first] = hunk;
  const count = (without: '-' | '+'): number => hunk.filter(({ kind }) => kind !== without).length;
  return `@@ -${span(first?.old ?? 0, count('+'))} +${span(first?.now ?? 0, count('-'))} @@\n${hunk.map(({ kind, line }) => `${kind}${line}\n`).join('')}`;
}

const span = (start: number, length: number): string =>
  length === 1 ? String(start + 1) : `${length === 0 ? start : start + 1},${length}`;
