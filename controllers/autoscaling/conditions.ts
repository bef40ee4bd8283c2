import { timeText } from '../../api/time.js';
import type { HorizontalPodAutoscalerCondition } from '../../api/types/autoscaling/v2.js';

export interface Statement {
  readonly type: 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Returns the conditions with the new one; each keeps its place, and its time while its status stays. Pure. */
export function stated(
  before: readonly HorizontalPodAutoscalerCondition[],
  statements: readonly Statement[],
  now: number,
): readonly HorizontalPodAutoscalerCondition[] {
  return statements.reduce<readonly HorizontalPodAutoscalerCondition[]>((conditions, { type, status: truth, reason, message }) => {
    const status = truth ? 'True' : 'False';
    const known = conditions.find((each) => each.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timeText(now);
    const next = { type, status, ...(lastTransitionTime ? { lastTransitionTime } : {}), reason, message };
    return known ? conditions.map((each) => (each === known ? next : each)) : [...conditions, next];
  }, before);
}
