import { amountsOf, maxOf, noAmounts, type Amounts } from '../amounts.js';
import { podTotals, type ResourceList } from '../podTotals.js';
import { wholeQuantity } from '../quantity.js';
import { timeOf } from '../time.js';
import type { Container, Pod } from '../types/core/v1.js';

/** A pod's usage that quotas count, apart from object counts. Pure. */

const measured: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
export const hugePages = 'hugepages-';
const requestsPrefix = 'requests.';

/** No usage if the pod has ended or exceeded its grace period. */
export function podUsage(pod: Pod, now: number): Amounts {
  const total = (list: ResourceList): Amounts => podTotals(pod.spec ?? {}, list, (container) => ofContainer(pod, container, list));
  return occupies(pod, now) ? new Map([['pods', wholeQuantity(1)], ...namedUsage(total('requests'), total('limits'))]) : noAmounts;
}

export function occupies(pod: Pod, now: number): boolean {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // Pods on a lost node must not use up a quota for ever.
  return (
    deletionTimestamp === undefined ||
    deletionGracePeriodSeconds === undefined ||
    now <= timeOf(deletionTimestamp) + deletionGracePeriodSeconds * 1000
  );
}

/** Requests count by plain and prefixed name, limits by prefixed name, other resources by requests only. */
export function namedUsage(requests: Amounts, limits: Amounts): Amounts {
  const counted = new Map(noAmounts);
  for (const [name, amount] of requests) {
    if (measured.has(name) || name.startsWith(hugePages)) counted.set(name, amount);
    if (measured.has(name) || name.startsWith(hugePages) || isExtended(name)) counted.set(`${requestsPrefix}${name}`, amount);
  }
  for (const [name, amount] of limits) if (measured.has(name)) counted.set(`limits.${name}`, amount);
  return counted;
}

/** Extended resources have a domain outside the reference's own, and no quota prefix. */
const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith(requestsPrefix);

/** Quotas count extended resources by requests alone. */
export const isExtendedInQuota = (name: string): boolean =>
  name.startsWith(requestsPrefix) && name.includes('/') && !name.includes('kubernetes.io/');

/** During an in-place resize, the largest of desired, allocated and actual amounts counts. */
function ofContainer(pod: Pod, { name, resources }: Container, list: ResourceList): Amounts {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const status = statuses.find((each) => each.name === name);
  const wanted = amountsOf(resources?.[list]);
  if (!status?.resources) return wanted;
  const inEffect = maxOf(amountsOf(status.resources[list]), list === 'requests' ? amountsOf(status.allocatedResources) : noAmounts);
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  return pending?.reason === 'Infeasible' ? inEffect : maxOf(wanted, inEffect);
}
