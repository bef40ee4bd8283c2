import { amountsOf, maxOf, noAmounts, type Amounts } from '../amounts.js';
import { podTotals, type ResourceList } from '../podTotals.js';
import { wholeQuantity } from '../quantity.js';
import { timeOf } from '../time.js';
import type { Container, Pod } from '../types/core/v1.js';

/** What a pod uses of the resources that quotas count, besides its place in storage. Pure. */

const measured: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
export const hugePages = 'hugepages-';
const requestsPrefix = 'requests.';

/** Nothing, for a pod that has ended or that outlived its grace period. */
export function podUsage(pod: Pod, now: number): Amounts {
  const total = (list: ResourceList): Amounts => podTotals(pod.spec ?? {}, list, (container) => ofContainer(pod, container, list));
  return occupies(pod, now)
    ? new Map([['pods', wholeQuantity(1)], ...namedUsage(total('requests'), { limits: total('limits') })])
    : noAmounts;
}

export function occupies(pod: Pod, now: number): boolean {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // A node that is lost must not cost its users their quota for ever.
  return (
    deletionTimestamp === undefined ||
    deletionGracePeriodSeconds === undefined ||
    now <= timeOf(deletionTimestamp) + deletionGracePeriodSeconds * 1000
  );
}

/** Requests count by their own name and with the prefix, limits with theirs; of other resources only what is requested. */
export function namedUsage(requests: Amounts, { limits }: { readonly limits: Amounts }): Amounts {
  const counted = new Map(noAmounts);
  for (const [name, amount] of requests) {
    if (measured.has(name) || name.startsWith(hugePages)) counted.set(name, amount);
    if (measured.has(name) || name.startsWith(hugePages) || isExtended(name)) counted.set(`${requestsPrefix}${name}`, amount);
  }
  for (const [name, amount] of limits) if (measured.has(name)) counted.set(`limits.${name}`, amount);
  return counted;
}

/** With a domain that is not the reference's own, and without the prefix that belongs to quotas. */
const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith(requestsPrefix);

/** Whether a name in a quota is one of an extended resource: those are counted by requests alone. */
export const isExtendedInQuota = (name: string): boolean =>
  name.startsWith(requestsPrefix) && name.includes('/') && !name.includes('kubernetes.io/');

/** While a container is resized in place, the largest of what is wanted, given and in effect counts. */
function ofContainer(pod: Pod, { name, resources }: Container, list: ResourceList): Amounts {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const status = statuses.find((each) => each.name === name);
  const wanted = amountsOf(resources?.[list]);
  if (!status?.resources) return wanted;
  const inEffect = maxOf(amountsOf(status.resources[list]), list === 'requests' ? amountsOf(status.allocatedResources) : noAmounts);
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  return pending?.reason === 'Infeasible' ? inEffect : maxOf(wanted, inEffect);
}
