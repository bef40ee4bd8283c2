import { expect } from 'chai';
import fc from 'fast-check';
import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from '../../../../api/types/autoscaling/v2.js';
import { firstSeen, granted, noHistory, withChange, type History } from '../../../../controllers/autoscaling/pace.js';
import { behaviors } from './behaviors.js';

/**
 * A model of scaling behaviour from its published rules, which keeps the whole history:
 * https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior
 */

const bounds = { min: 2, max: 50 };
const downWindowSeconds = 60;

interface Event {
  readonly second: number;
  readonly number: number;
}

class Model {
  readonly #behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly #recommended: Event[];
  readonly #changes: Event[] = [];

  constructor(
    public current: number,
    behavior: HorizontalPodAutoscalerBehavior | undefined,
  ) {
    this.#behavior = behavior;
    this.#recommended = [{ second: 0, number: current }];
  }

  /** The new number of pods for a wanted number. */
  step(wanted: number, second: number): number {
    const steady = this.#behavior === undefined ? this.#steadyDown(wanted, second) : this.#steady(wanted, second);
    this.#recommended.push({ second, number: wanted });
    const next = this.#behavior === undefined ? this.#usual(steady) : this.#limited(steady, second);
    if (next !== this.current) this.#changes.push({ second, number: next - this.current });
    this.current = next;
    return next;
  }

  /** Without a behaviour: the maximum of the window, including its first moment. */
  #steadyDown(wanted: number, second: number): number {
    const window = this.#recommended.filter((event) => event.second >= second - downWindowSeconds);
    return Math.max(wanted, ...window.map(({ number }) => number));
  }

  /** With one: up to the minimum of one window, down to the maximum of the other, both without their first moment. */
  #steady(wanted: number, second: number): number {
    const within = (seconds: number): number[] =>
      this.#recommended.filter((event) => event.second > second - seconds).map(({ number }) => number);
    const lowest = Math.min(wanted, ...within(this.#behavior?.scaleUp?.stabilizationWindowSeconds ?? 0));
    const highest = Math.max(wanted, ...within(this.#behavior?.scaleDown?.stabilizationWindowSeconds ?? downWindowSeconds));
    if (this.current < lowest) return Math.min(lowest, highest);
    return Math.min(this.current, highest);
  }

  #usual(wanted: number): number {
    const most = Math.min(bounds.max, Math.max(2 * this.current, 4));
    return wanted < bounds.min ? bounds.min : Math.min(wanted, most);
  }

  #limited(wanted: number, second: number): number {
    if (wanted > this.current) {
      const rules = this.#behavior?.scaleUp;
      const policies = rules?.policies ?? [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ];
      const limits = policies.map(({ type, value, periodSeconds }) => {
        const start = this.#startOf(periodSeconds, second);
        return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100));
      });
      return Math.min(wanted, bounds.max, Math.max(this.current, this.#chosen(rules, limits, 'largest')));
    }
    if (wanted < this.current) {
      const rules = this.#behavior?.scaleDown;
      const policies = rules?.policies ?? [{ type: 'Percent', value: 100, periodSeconds: 15 }];
      const limits = policies.map(({ type, value, periodSeconds }) => {
        const start = this.#startOf(periodSeconds, second);
        return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100));
      });
      return Math.max(wanted, bounds.min, Math.min(this.current, this.#chosen(rules, limits, 'smallest')));
    }
    return wanted;
  }

  /** The number before all changes within the period. */
  #startOf(seconds: number, second: number): number {
    return this.current - this.#changes.filter((event) => event.second > second - seconds).reduce((sum, { number }) => sum + number, 0);
  }

  /** The largest or smallest change that the policies allow, or none. */
  #chosen(rules: HPAScalingRules | undefined, limits: readonly number[], far: 'largest' | 'smallest'): number {
    if (rules?.selectPolicy === 'Disabled') return this.current;
    const takesFar = rules?.selectPolicy !== 'Min';
    return (far === 'largest') === takesFar ? Math.max(...limits) : Math.min(...limits);
  }
}

const steps = fc.array(fc.record({ wanted: fc.integer({ min: 0, max: 60 }), seconds: fc.integer({ min: 1, max: 45 }) }), {
  minLength: 1,
  maxLength: 40,
});

describe('the pace of autoscaling, beside a model', () => {
  it('is that of the rules, whatever is wanted and whatever they say', () => {
    fc.assert(
      fc.property(behaviors, fc.integer(bounds), steps, (behavior, initial, sequence) => {
        const model = new Model(initial, behavior);
        let current = initial;
        let second = 0;
        let history: History = firstSeen(noHistory, initial, 0);
        for (const { wanted, seconds } of sequence) {
          second += seconds;
          const result = granted(
            { ...bounds, current, wanted, behavior, downWindowMs: downWindowSeconds * 1000, now: second * 1000 },
            history,
          );
          expect(result.replicas, `at second ${second}`).to.equal(model.step(wanted, second));
          history =
            result.replicas === current ? result.history : withChange(result.history, result.replicas - current, behavior, second * 1000);
          current = result.replicas;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
