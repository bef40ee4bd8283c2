import type { Registry } from 'prom-client';
import type { RuleTimes } from './times.js';
import { DurationHistogram } from '../../program/metrics/durations.js';

/** Bounds in seconds, as in the reference. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createRuleMetrics(registry: Registry): RuleTimes {
  const [compilation, evaluation] = (
    [
      ['compilation', 'Time that the rules of a version of a custom resource took to compile, in seconds.'],
      ['evaluation', 'Time that the rules of a custom resource took for one object, in seconds.'],
    ] as const
  ).map(([what, help]) =>
    new DurationHistogram({ name: `apiserver_cel_${what}_duration_seconds`, help, buckets: bounds, registers: [registry] }).of({}),
  );
  return {
    compiled: (seconds) => compilation?.observe(seconds),
    evaluated: (seconds) => evaluation?.observe(seconds),
  };
}
