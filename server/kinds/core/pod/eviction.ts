import type { ApiObject } from '../../../../api/object.js';
import { labelSelectorOf, type LabelSelectorObject } from '../../../../api/selectors/labelSelectorObject.js';
import { matchesLabels } from '../../../../api/selectors/match.js';
import { forbidden, StatusError } from '../../../../api/status.js';
import { ensureObject, objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { membersOf, textAt } from '../../../../api/json/members.js';
import { setCondition } from './binding.js';
import { statusOf } from '../../parts.js';

/** Evictions, within the limits of disruption budgets. */

const budgets = { group: 'policy', resource: 'poddisruptionbudget' };
const violates = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The evictions that may wait for the budget's controller. */
const disruptedPodsMax = 2000;
const retrySeconds = 10;
const freePhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Pending']);

const finalPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** The pod will never run again. */
export const hasEnded = (pod: ApiObject): boolean =>
  pod.metadata.deletionTimestamp !== undefined || finalPhases.has(textAt(pod, 'status', 'phase'));

/** A pod that does no work, or is terminating, causes no disruption. */
export const needsNoBudget = (pod: ApiObject): boolean =>
  pod.metadata.deletionTimestamp !== undefined || freePhases.has(textAt(pod, 'status', 'phase'));

/** An invalid selector selects nothing. */
export const budgetsOf = (pod: ApiObject, budgets: readonly ApiObject[]): ApiObject[] =>
  budgets.filter((budget) => {
    const parsed = labelSelectorOf(membersOf(budget['spec'])['selector'] as LabelSelectorObject | undefined);
    return parsed.ok && matchesLabels(parsed.selector, pod.metadata.labels ?? {});
  });

/** Reports whether the pod is unhealthy and the budget lets it go uncounted. */
export function goesUncounted(pod: ApiObject, budget: ApiObject): boolean {
  const ready = objectsIn(statusOf(pod), 'conditions').some((condition) => condition['type'] === 'Ready' && condition['status'] === 'True');
  if (ready) return false;
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'desiredHealthy');
  return desired > 0 && numberAt(budget, 'currentHealthy') >= desired;
}

const numberAt = (budget: ApiObject, member: string): number => Number(textAt(budget, 'status', member) || 0);

/** Changes the budget; throws 429 or 403 when it does not allow a disruption. */
export function spend(budget: ApiObject, podName: string, now: string): ApiObject {
  const name = budget.metadata.name ?? '';
  const status = ensureObject(budget, 'status');
  const allowed = numberAt(budget, 'disruptionsAllowed');
  if (numberAt(budget, 'observedGeneration') < (budget.metadata.generation ?? 0)) throw stillProcessed(name);
  if (allowed < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative');
  const disrupted = objectAt(status, 'disruptedPods') ?? {};
  if (Object.keys(disrupted).length > disruptedPodsMax)
    throw forbidden(budgets, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0) throw tooMany([refusal(budget)], 0);
  status['disruptionsAllowed'] = allowed - 1;
  status['disruptedPods'] = { ...disrupted, [podName]: now };
  if (allowed === 1) {
    const observedGeneration = numberAt(budget, 'observedGeneration');
    setCondition(status, { type: 'DisruptionAllowed', status: 'False', observedGeneration, reason: 'InsufficientPods', message: '' }, now);
  }
  return budget;
}

function refusal(budget: ApiObject): string {
  const name = budget.metadata.name ?? '';
  const condition = objectsIn(statusOf(budget), 'conditions').find((each) => each['type'] === 'DisruptionAllowed');
  if (condition?.['status'] === 'False' && condition['reason'] === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${textAt(condition, 'message')}`;
  }
  return `The disruption budget ${name} needs ${numberAt(budget, 'desiredHealthy')} healthy pods and has ${numberAt(budget, 'currentHealthy')} currently`;
}

const tooMany = (causes: readonly string[], retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', violates, {
    causes: causes.map((message) => ({ reason: 'DisruptionBudget', message })),
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });

/** The budget or the pod has changed, and the allowance is being computed. */
export const stillProcessed = (budget: string): StatusError =>
  tooMany([`The disruption budget ${budget} is still being processed by the server.`], retrySeconds);

export function markEvicted(pod: ApiObject, now: string): ApiObject {
  setCondition(
    ensureObject(pod, 'status'),
    { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    now,
  );
  return pod;
}
