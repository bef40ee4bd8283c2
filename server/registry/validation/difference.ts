import { writeIndentedJson } from '../../../workers/codecs/jsonWriter.js';

/** Shows what changed between two values the way the reference does: as a difference between their printed forms, line by line. */

const CONTEXT = 3;

interface Step { readonly kind: ' ' | '-' | '+'; readonly line: string; /** Lines of each side before this one. */ readonly old: number; readonly now: number }

/** In unified form, without file names. `old` and `now` are printed as indented JSON; the order of their members counts. */
export function differenceOf(old: unknown, now: unknown): string {
  const steps = stepsBetween(writeIndentedJson(old).split('\n'), writeIndentedJson(now).split('\n'));
  return hunksOf(steps).map(printHunk).join('');
}

/** A shortest way from one list of lines to the other, removals first. */
function stepsBetween(old: readonly string[], now: readonly string[]): Step[] {
  const common = commonLengths(old, now);
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const at = { old: i, now: j };
    if (i < old.length && j < now.length && old[i] === now[j]) {
      steps.push({ kind: ' ', line: old[i] ?? '', ...at });
      i++;
      j++;
    } else if (i < old.length && (j >= now.length || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) steps.push({ kind: '-', line: old[i++] ?? '', ...at });
    else steps.push({ kind: '+', line: now[j++] ?? '', ...at });
  }
  return steps;
}

/** `[i][j]`: how many lines the rest of `old` from i on and of `now` from j on have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? [];
    for (let j = now.length - 1; j >= 0; j--) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  return lengths;
}

/** Changes with the lines around them; those whose surroundings touch share a hunk. */
function hunksOf(steps: readonly Step[]): Step[][] {
  const near = steps.map((_, index) => steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== ' '));
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

const span = (start: number, length: number): string => (length === 1 ? String(start + 1) : `${length === 0 ? start : start + 1},${length}`);
