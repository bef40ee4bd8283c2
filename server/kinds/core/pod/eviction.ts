import type * as v1 from '../../../../api/types/core/v1.js';
import type { PodDisruptionBudget } from '../../../../api/types/policy/v1.js';
import { labelSelectorOf, type LabelSelectorObject } from '../../../../api/selectors/labelSelectorObject.js';
import { matchesLabels } from '../../../../api/selectors/match.js';
import { forbidden, StatusError } from '../../../../api/status.js';
import { ensureObject, itemsOf, statusOf, type Draft } from '../../language.js';
import { setCondition } from './binding.js';

type Pod = Draft<v1.Pod>;
type Budget = Draft<PodDisruptionBudget>;

const budgets = { group: 'policy', resource: 'poddisruptionbudget' };
const violates = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The evictions that may wait for the budget's controller. */
const disruptedPodsMax = 2000;
const retrySeconds = 10;
const freePhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Pending']);

const finalPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** The pod will never run again. */
export const hasEnded = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined || finalPhases.has(pod.status?.phase ?? '');

/** A pod that does no work, or is terminating, causes no disruption. */
export const needsNoBudget = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined || freePhases.has(pod.status?.phase ?? '');

/** An invalid selector selects nothing. */
export const budgetsOf = <B extends Budget>(pod: Pod, budgets: readonly B[]): B[] =>
  budgets.filter((budget) => {
    const parsed = labelSelectorOf(budget.spec?.selector as LabelSelectorObject | undefined);
    return parsed.ok && matchesLabels(parsed.selector, pod.metadata.labels ?? {});
  });

/** Reports whether the pod is unhealthy and the budget lets it go uncounted. */
export function goesUncounted(pod: Pod, budget: Budget): boolean {
  const ready = itemsOf(statusOf(pod).conditions).some(({ type, status }) => type === 'Ready' && status === 'True');
  if (ready) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { desiredHealthy = 0, currentHealthy = 0 } = statusOf(budget);
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** Changes the budget; throws 429 or 403 when it does not allow a disruption. */
export function spend(budget: Budget, podName: string, now: string): Budget {
  const name = budget.metadata.name ?? '';
  const status = ensureObject(budget, 'status');
  const [allowed, observedGeneration] = [status.disruptionsAllowed ?? 0, status.observedGeneration ?? 0];
  const disrupted = status.disruptedPods ?? {};
  if (observedGeneration < (budget.metadata.generation ?? 0)) throw stillProcessed(name);
  if (allowed < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disrupted).length > disruptedPodsMax)
    throw forbidden(budgets, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0) throw tooMany([refusal(budget)], 0);
  status.disruptionsAllowed = allowed - 1;
  status.disruptedPods = { ...disrupted, [podName]: now };
  if (allowed === 1) {
    setCondition(status, { type: 'DisruptionAllowed', status: 'False', observedGeneration, reason: 'InsufficientPods', message: '' }, now);
  }
  return budget;
}

function refusal(budget: Budget): string {
  const name = budget.metadata.name ?? '';
  const { conditions, desiredHealthy = 0, currentHealthy = 0 } = statusOf(budget);
  const condition = itemsOf(conditions).find(({ type }) => type === 'DisruptionAllowed');
  if (condition?.status === 'False' && condition.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message ?? ''}`;
  }
  return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

const tooMany = (causes: readonly string[], retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', violates, {
    causes: causes.map((message) => ({ reason: 'DisruptionBudget', message })),
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });

/** The budget or the pod has changed, and the allowance is being computed. */
export const stillProcessed = (budget: string): StatusError =>
  tooMany([`The disruption budget ${budget} is still being processed by the server.`], retrySeconds);

export function markEvicted(pod: Pod, now: string): Pod {
  setCondition(
    ensureObject(pod, 'status'),
    { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    now,
  );
  return pod;
}
