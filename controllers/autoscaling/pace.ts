import type { HPAScalingRules, HorizontalPodAutoscalerBehavior } from '../../api/types/autoscaling/v2.js';

/** Limits the change of scale: bounds, rates, and earlier recommendations. Pure. Times are monotonic. */

export interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}
/** A change of scale: positive up, negative down. */
export interface Change {
  readonly by: number;
  readonly at: number;
}
export interface History {
  readonly recommendations: readonly Recommendation[];
  readonly changes: readonly Change[];
}
export const noHistory: History = { recommendations: [], changes: [] };

export interface ScaleRequest {
  readonly current: number;
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly downWindowMs: number;
  readonly now: number;
}

interface ConditionReason {
  readonly reason: string;
  readonly message: string;
}
export interface Granted {
  readonly replicas: number;
  readonly ability: ConditionReason;
  readonly limited: ConditionReason & { readonly status: boolean };
  readonly history: History;
}

const upFactor = 2;
const upMin = 4;
const upDefaults: Required<Pick<HPAScalingRules, 'policies' | 'selectPolicy' | 'stabilizationWindowSeconds'>> = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const downDefaults: Required<Pick<HPAScalingRules, 'policies' | 'selectPolicy'>> = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

const within: ConditionReason = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooMany: ConditionReason = { reason: 'TooManyReplicas', message: 'the desired replica count is more than the maximum replica count' };
const tooFew: ConditionReason = { reason: 'TooFewReplicas', message: 'the desired replica count is less than the minimum replica count' };
const upLimit: ConditionReason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const downLimit: ConditionReason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const stabilizedUp: ConditionReason = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const stabilizedDown: ConditionReason = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const ready: ConditionReason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };

export const firstSeen = (history: History, current: number, now: number): History =>
  history.recommendations.length > 0 ? history : { ...history, recommendations: [{ replicas: current, at: now }] };

export function granted(request: ScaleRequest, history: History): Granted {
  const { wanted, current, behavior, now } = request;
  const up = { ...upDefaults, ...behavior?.scaleUp };
  const down = { ...downDefaults, stabilizationWindowSeconds: request.downWindowMs / 1000, ...behavior?.scaleDown };
  const after = (cutoff: number): readonly number[] =>
    history.recommendations.filter(({ at }) => at > cutoff).map(({ replicas }) => replicas);
  const recent = (seconds: number): readonly number[] => after(now - seconds * 1000);
  const grows = behavior !== undefined && wanted >= current;
  // A behaviour keeps the number between the lowest recommendation for growing and the highest for shrinking.
  const steady = behavior
    ? Math.min(
        Math.max(current, Math.min(wanted, ...recent(up.stabilizationWindowSeconds))),
        Math.max(wanted, ...recent(down.stabilizationWindowSeconds)),
      )
    : Math.max(wanted, ...after(now - request.downWindowMs - 1));
  const ability = steady === wanted ? ready : grows ? stabilizedUp : stabilizedDown;
  const bounded = behavior ? atRate(request, steady, { up, down }, history.changes) : atUsualRate(request, steady);
  const windowMs = 1000 * Math.max(up.stabilizationWindowSeconds, down.stabilizationWindowSeconds, request.downWindowMs / 1000);
  return {
    replicas: bounded.replicas,
    ability,
    limited: { ...bounded.condition, status: bounded.replicas !== steady },
    history: {
      ...history,
      recommendations: [...history.recommendations.filter(({ at }) => at >= now - windowMs), { replicas: wanted, at: now }],
    },
  };
}

interface Bounded {
  readonly replicas: number;
  readonly condition: ConditionReason;
}

function atUsualRate({ current, min, max }: ScaleRequest, wanted: number): Bounded {
  const rate = Math.max(upFactor * current, upMin);
  if (wanted < min) return { replicas: min, condition: tooFew };
  if (wanted > Math.min(max, rate)) return { replicas: Math.min(max, rate), condition: max > rate ? upLimit : tooMany };
  return { replicas: wanted, condition: within };
}

interface Rates {
  readonly up: HPAScalingRules;
  readonly down: HPAScalingRules;
}

function atRate({ current, min, max, now }: ScaleRequest, wanted: number, { up, down }: Rates, changes: readonly Change[]): Bounded {
  if (wanted > current) {
    const limit = Math.max(current, upTo(current, up, changes, now));
    const most = Math.min(max, limit);
    if (wanted > most) return { replicas: most, condition: max > limit ? upLimit : tooMany };
  } else if (wanted < current) {
    const limit = Math.min(current, downTo(current, down, changes, now));
    const least = Math.max(min, limit);
    if (wanted < least) return { replicas: least, condition: min < limit ? downLimit : tooFew };
  }
  return { replicas: wanted, condition: within };
}

/** Returns the number at the start of a period, undoing its additions and removals. */
const startOf = (current: number, changes: readonly Change[], seconds: number, now: number): number =>
  changes.reduce((sum, { by, at }) => (at > now - seconds * 1000 ? sum - by : sum), current);

/** Returns the limit of each policy: `sign` is 1 for more replicas, -1 for fewer; `startAt` returns the number at the start of a period. */
const allowed = ({ policies = [] }: HPAScalingRules, startAt: (seconds: number) => number, sign: 1 | -1): number[] =>
  policies.map(({ type, value, periodSeconds }) => {
    const start = startAt(periodSeconds);
    if (type === 'Pods') return start + sign * value;
    return (sign === 1 ? Math.ceil : Math.floor)(start * (1 + (sign * value) / 100));
  });

function upTo(current: number, rules: HPAScalingRules, changes: readonly Change[], now: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const proposals = allowed(rules, (seconds) => startOf(current, changes, seconds, now), 1);
  return rules.selectPolicy === 'Min' ? Math.min(...proposals) : Math.max(0, ...proposals);
}

function downTo(current: number, rules: HPAScalingRules, changes: readonly Change[], now: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const proposals = allowed(rules, (seconds) => startOf(current, changes, seconds, now), -1);
  return rules.selectPolicy === 'Min' ? Math.max(...proposals) : Math.min(...proposals);
}

/** Adds a change of scale to the history, and drops those too old for all policies. */
export function withChange(history: History, by: number, behavior: HorizontalPodAutoscalerBehavior | undefined, now: number): History {
  const periods = [...(behavior?.scaleUp?.policies ?? upDefaults.policies), ...(behavior?.scaleDown?.policies ?? downDefaults.policies)];
  const longestMs = 1000 * Math.max(0, ...periods.map(({ periodSeconds }) => periodSeconds));
  return { ...history, changes: [...history.changes.filter(({ at }) => at > now - longestMs), { by, at: now }] };
}
