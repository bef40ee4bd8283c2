import { expect } from 'chai';
import fc from 'fast-check';
import type { HorizontalPodAutoscalerBehavior } from '../../../../api/types/autoscaling/v2.js';
import {
  firstSeen,
  granted,
  noHistory,
  withChange,
  type Granted,
  type History,
  type ScaleRequest,
} from '../../../../controllers/autoscaling/pace.js';
import { behaviors } from './behaviors.js';

const wish = (current: number, wanted: number, more: Partial<ScaleRequest> = {}): ScaleRequest => ({
  current,
  wanted,
  min: 1,
  max: 100,
  behavior: undefined,
  downWindowMs: 300_000,
  now: 1_000_000,
  ...more,
});
const seen = (...recommendations: readonly (readonly [replicas: number, secondsAgo: number])[]): History => ({
  changes: [],
  recommendations: recommendations.map(([replicas, ago]) => ({ replicas, at: 1_000_000 - ago * 1000 })),
});
const short = ({ replicas, ability, limited }: Granted): string =>
  `${replicas} ${ability.reason} ${limited.reason} ${String(limited.status)}`;

describe('the pace of autoscaling', () => {
  const rules = (behavior: HorizontalPodAutoscalerBehavior): Partial<ScaleRequest> => ({ behavior });
  const pods = (value: number, periodSeconds = 60): HorizontalPodAutoscalerBehavior['scaleUp'] => ({
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value, periodSeconds }],
  });
  const cases: readonly (readonly [string, ScaleRequest, History, string])[] = [
    ['goes up at once', wish(2, 3), noHistory, '3 ReadyForNewScale DesiredWithinRange false'],
    ['goes up at most to twice the number', wish(4, 30), noHistory, '8 ReadyForNewScale ScaleUpLimit true'],
    ['or to four', wish(1, 30), noHistory, '4 ReadyForNewScale ScaleUpLimit true'],
    ['ends at the most', wish(4, 30, { max: 6 }), noHistory, '6 ReadyForNewScale TooManyReplicas true'],
    ['ends at the least', wish(4, 1, { min: 3 }), noHistory, '3 ReadyForNewScale TooFewReplicas true'],
    ['waits before it goes down', wish(4, 1), seen([3, 200], [9, 301]), '3 ScaleDownStabilized DesiredWithinRange false'],
    [
      'waits before it goes up where it shall',
      wish(4, 9, rules({ scaleUp: { stabilizationWindowSeconds: 60 } })),
      seen([5, 50]),
      '5 ScaleUpStabilized DesiredWithinRange false',
    ],
    ['goes up by so many pods', wish(4, 30, rules({ scaleUp: pods(2)! })), noHistory, '6 ReadyForNewScale ScaleUpLimit true'],
    [
      'goes up by a part',
      wish(10, 30, rules({ scaleUp: { policies: [{ type: 'Percent', value: 15, periodSeconds: 60 }] } })),
      noHistory,
      '12 ReadyForNewScale ScaleUpLimit true',
    ],
    [
      'takes the lesser of policies where it shall',
      wish(
        10,
        30,
        rules({
          scaleUp: {
            selectPolicy: 'Min',
            policies: [
              { type: 'Percent', value: 50, periodSeconds: 60 },
              { type: 'Pods', value: 1, periodSeconds: 60 },
            ],
          },
        }),
      ),
      noHistory,
      '11 ReadyForNewScale ScaleUpLimit true',
    ],
    [
      'stays where it must not',
      wish(10, 30, rules({ scaleUp: { selectPolicy: 'Disabled' } })),
      noHistory,
      '10 ReadyForNewScale ScaleUpLimit true',
    ],
    [
      'goes down by so many',
      wish(10, 1, rules({ scaleDown: { stabilizationWindowSeconds: 0, ...pods(3) } })),
      noHistory,
      '7 ReadyForNewScale ScaleDownLimit true',
    ],
    [
      'goes down by a part',
      wish(10, 1, rules({ scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 25, periodSeconds: 60 }] } })),
      noHistory,
      '7 ReadyForNewScale ScaleDownLimit true',
    ],
  ];
  for (const [what, given, history, wanted] of cases) it(what, () => expect(short(granted(given, history))).to.equal(wanted));

  it('counts what was done within the period', () => {
    const behavior = { scaleUp: pods(4)! };
    const history = withChange(noHistory, 3, behavior, 990_000);
    expect(granted(wish(8, 30, { behavior }), history).replicas).to.equal(9);
    expect(granted(wish(8, 30, { behavior, now: 1_051_000 }), history).replicas).to.equal(12);
  });

  it('counts what was done the other way within the period', () => {
    const behavior = { scaleUp: pods(4)!, scaleDown: { ...pods(4)!, stabilizationWindowSeconds: 0 } };
    const shrunk = withChange(noHistory, -3, behavior, 990_000);
    expect(granted(wish(8, 30, { behavior }), shrunk).replicas, 'from the eleven that there were').to.equal(15);
    const grown = withChange(noHistory, 3, behavior, 990_000);
    expect(granted(wish(8, 1, { behavior, min: 1 }), grown).replicas, 'from the five that there were').to.equal(1);
  });

  it('takes what there was at first for wanted', () => {
    expect(granted(wish(10, 1), firstSeen(noHistory, 10, 1_000_000)).replicas).to.equal(10);
    const known = seen([3, 1]);
    expect(firstSeen(known, 10, 1_000_000)).to.equal(known);
  });

  it('keeps its bounds, whatever is wanted', () => {
    const step = fc.record({ wanted: fc.integer({ min: 0, max: 60 }), seconds: fc.integer({ min: 1, max: 90 }) });
    fc.assert(
      fc.property(behaviors, fc.array(step, { minLength: 1, maxLength: 30 }), (rule, steps) => {
        let history = firstSeen(noHistory, 10, 0);
        let current = 10;
        let now = 0;
        const wanted: { at: number; replicas: number }[] = [{ at: 0, replicas: 10 }];
        for (const each of steps) {
          now += each.seconds * 1000;
          const result = granted({ current, wanted: each.wanted, min: 2, max: 50, behavior: rule, downWindowMs: 60_000, now }, history);
          expect(result.replicas).to.be.within(2, 50);
          if (result.replicas > current) {
            if (rule) expect(result.replicas, 'nothing above what was wanted').to.be.at.most(Math.max(each.wanted, 2));
            if (rule === undefined) expect(result.replicas).to.be.at.most(Math.max(2 * current, 4));
            if (rule?.scaleUp?.selectPolicy === 'Disabled' && current >= 2) expect.fail('it must not go up');
          }
          const downMs = rule ? (rule.scaleDown?.stabilizationWindowSeconds ?? 60) * 1000 : 60_000;
          if (result.replicas < current && current <= 50) {
            // A rule's window excludes its first moment; the default window includes it.
            const since = rule ? now - downMs : now - downMs - 1;
            const highest = Math.max(...wanted.filter(({ at }) => at > since).map(({ replicas }) => replicas), each.wanted);
            expect(result.replicas, 'nothing below what was wanted a while ago').to.be.at.least(Math.min(highest, current, 50));
          }
          wanted.push({ at: now, replicas: each.wanted });
          history = result.history;
          if (result.replicas !== current) history = withChange(history, result.replicas - current, rule, now);
          expect(history.recommendations.length, 'what is remembered is bounded').to.be.at.most(steps.length + 1);
          current = result.replicas;
        }
      }),
      { numRuns: 300 },
    );
  });
});
