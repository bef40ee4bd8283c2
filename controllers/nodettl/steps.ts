/** Kubelets' cache lifetimes of secrets and configuration: longer in large clusters. Pure. */

interface Step {
  readonly min: number;
  readonly max: number;
  readonly seconds: number;
}

/** The steps overlap, so that a cluster at a border does not keep changing all its nodes. */
const steps: readonly Step[] = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1_000, seconds: 30 },
  { min: 900, max: 2_000, seconds: 60 },
  { min: 1_800, max: 10_000, seconds: 300 },
  { min: 9_000, max: Infinity, seconds: 600 },
];

export function stepAt(size: number, from: number): number {
  const step = steps[from];
  if (!step) return 0;
  if (size > step.max) return stepAt(size, from + 1);
  return size < step.min ? stepAt(size, from - 1) : from;
}

export const secondsOf = (step: number): number => steps[step]?.seconds ?? 0;
