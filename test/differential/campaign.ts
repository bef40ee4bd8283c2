import type { Area, Sequence } from './area.js';
import type { Found } from './compare.js';
import { knownAs, type Known } from './known.js';
import type { Answers, Pair } from './pair.js';
import { Random } from './random.js';
import { shrink } from './shrink.js';

export interface Bounds {
  readonly cases: number;
  /** The time to start no more cases, as of `Date.now()`. */
  readonly until: number;
  /** The time to stop reducing differences. */
  readonly shrinkUntil?: number;
}

/** Identifies a case: `--area AREA --case SEED:INDEX`. */
export interface Case {
  readonly area: Area;
  readonly seed: number;
  readonly index: number;
}

/** A difference in behaviour with the smallest sequence found. */
export interface Finding {
  readonly origin: Case;
  readonly difference: Found;
  readonly sequence: Sequence;
  readonly answers: Answers;
  readonly count: number;
}

export interface Result {
  readonly area: Area;
  readonly cases: number;
  readonly requests: number;
  /** Number of intended differences. */
  readonly known: number;
  readonly findings: readonly Finding[];
  /** Differences that did not recur when the case ran alone. */
  readonly notAgain: number;
  readonly agreed: readonly { readonly origin: Case; readonly sequence: Sequence; readonly answers: Answers }[];
}

/** Cases mostly wait for answers. */
const casesAtOnce = 8;
const shrinksAtOnce = 3;
const agreedMax = 25;

export const sequenceOf = ({ area, seed, index }: Case): Sequence => area.generate(new Random(seed * 1_000_003 + index));

interface Campaign {
  readonly seed: number;
  readonly bounds: Bounds;
  readonly known: readonly Known[];
  readonly onFinding: (finding: Finding) => void;
}

/** Runs one area and reduces each difference. `onFinding` is called at once. */
export const campaign = (pair: Pair, area: Area, options: Campaign): Promise<Result> =>
  pair.beside({ steps: area.standing ?? [] }, () => played(pair, area, options));

async function played(pair: Pair, area: Area, { seed, bounds, known, onFinding }: Campaign): Promise<Result> {
  const met = new Map<string, Met>();
  const counts = { cases: 0, requests: 0, known: 0, notAgain: 0 };
  const agreed: Result['agreed'][number][] = [];
  const findings: Finding[] = [];
  const one = async (index: number): Promise<void> => {
    const origin = { area, seed, index };
    const sequence = sequenceOf(origin);
    const answers = await pair.ask(sequence);
    counts.cases++;
    counts.requests += sequence.steps.length;
    if (answers.differences.length === 0 && agreed.length < agreedMax) agreed.push({ origin, sequence, answers });
    for (const difference of answers.differences) {
      if (knownAs(difference, known) !== undefined) counts.known++;
      else add(met, { origin, difference, sequence });
    }
  };
  await eachOf(bounds, casesAtOnce, one);
  const queue = [...met.values()];
  await eachOf({ cases: queue.length, until: Infinity }, shrinksAtOnce, async (index) => {
    const finding = await smallest(pair, queue[index] as Met, bounds.shrinkUntil ?? Infinity);
    if (finding === null) return void counts.notAgain++;
    findings.push(finding);
    onFinding(finding);
  });
  return { area, ...counts, findings, agreed };
}

interface Met {
  readonly origin: Case;
  readonly difference: Found;
  readonly sequence: Sequence;
  count: number;
}

function add(met: Map<string, Met>, found: Omit<Met, 'count'>): void {
  const { key } = found.difference.rule;
  const known = met.get(key);
  if (known === undefined) met.set(key, { ...found, count: 1 });
  else known.count++;
}

/** Null where the difference does not recur: a concurrent case caused it. */
async function smallest(pair: Pair, { origin, difference, sequence, count }: Met, until: number): Promise<Finding | null> {
  const { isSound = () => true } = origin.area;
  const sameIn = ({ differences }: Answers): Found | undefined => differences.find(({ rule }) => rule.key === difference.rule.key);
  const shows = async (trial: Sequence): Promise<boolean> => sameIn(await pair.ask(trial)) !== undefined;
  if (!(await shows(sequence))) return null;
  const isSmaller = async (trial: Sequence): Promise<boolean> => Date.now() < until && isSound(trial) && shows(trial);
  const small = await shrink(sequence, isSmaller);
  const answers = await pair.ask(small);
  return { origin, difference: sameIn(answers) ?? difference, sequence: small, answers, count };
}

/** Runs `work` for 0, 1, 2 ... concurrently, within the bounds. */
async function eachOf({ cases, until }: Bounds, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < cases && Date.now() < until) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
