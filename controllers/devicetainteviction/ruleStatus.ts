import { timeText } from '../../api/time.js';
import type { Condition } from '../../api/types/meta/v1.js';
import type { DeviceTaintRule } from '../../api/types/resource/v1beta2.js';

/** The facts that a rule's condition tells. */
export interface RuleCounts {
  /** Existing pods that the rule evicts, or would evict. */
  readonly pods: number;
  readonly namespaces: number;
  readonly published: number;
  readonly allocated: number;
  /** Evicted since the start of the manager. */
  readonly evicted: number;
}

export const inProgress = 'EvictionInProgress';

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

/** Returns a rule's condition in the reference's words. Pure. */
export function ruleCondition(rule: DeviceTaintRule, counts: RuleCounts, now: number): Condition {
  const { status, reason, message } = progressOf(rule.spec.taint.effect, counts);
  const evicted = counts.evicted > 0 ? `${counted(counts.evicted, 'pod', 'pods')} evicted since starting the controller.` : '';
  return {
    type: inProgress,
    status,
    reason,
    message: [message, evicted].filter((part) => part !== '').join(' '),
    observedGeneration: rule.metadata.generation ?? 0,
    lastTransitionTime: timeText(now),
  };
}

function progressOf(
  effect: string,
  counts: RuleCounts,
): { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string } {
  const { pods, namespaces, published, allocated, evicted } = counts;
  const where = counted(namespaces, 'namespace', 'different namespaces');
  if (effect === 'NoExecute' && pods > 0) {
    const message = `${counted(pods, 'pod needs', 'pods need')} to be evicted in ${where}.`;
    return { status: 'True', reason: 'PodsPendingEviction', message };
  }
  if (effect === 'NoExecute') return { status: 'False', reason: evicted > 0 ? 'Completed' : 'NotStarted', message: '' };
  if (effect !== 'None') return { status: 'False', reason: 'OtherEffect', message: 'Eviction only happens for the NoExecute effect.' };
  const message =
    `${counted(published, 'published device', 'published devices')} selected. ${counted(allocated, 'allocated device', 'allocated devices')} selected. ` +
    `${counted(pods, 'pod', 'pods')} would be evicted in ${where} if the effect was NoExecute. ` +
    'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.';
  return { status: 'False', reason: 'NoEffect', message };
}

/** Reports whether two conditions differ in more than their time. Pure. */
export const differs = (before: Condition | undefined, after: Condition): boolean =>
  before === undefined ||
  (['status', 'reason', 'message', 'observedGeneration'] as const).some((member) => before[member] !== after[member]);
