import { timeOf } from '../../api/time.js';
import type { Container, Pod } from '../../api/types/core/v1.js';
import { conditionOf, isFinished } from '../workloads/podState.js';
import { amountsOf, combined, greater, plus, whole, type Amounts } from './quantity.js';

/** What a pod uses of the resources that quotas count, besides its place in storage. Pure. */

type List = 'requests' | 'limits';

const none: Amounts = new Map();
const measured: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
export const hugePages = 'hugepages-';
const requestsPrefix = 'requests.';

/** Nothing, for a pod that has ended or that outlived its grace period. */
export function podUsage(pod: Pod, now: number): Amounts {
  return occupies(pod, now) ? new Map([['pods', whole(1)], ...named(totals(pod, 'requests'), totals(pod, 'limits'))]) : none;
}

export function occupies(pod: Pod, now: number): boolean {
  if (isFinished(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // A node that is lost must not cost its users their quota for ever.
  return deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined || now <= timeOf(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** Requests count by their own name and with the prefix, limits with theirs; of other resources only what is requested. */
function named(requests: Amounts, limits: Amounts): Amounts {
  const counted = new Map(none);
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
export const isExtendedInQuota = (name: string): boolean => name.startsWith(requestsPrefix) && name.includes('/') && !name.includes('kubernetes.io/');

/**
 * The containers together, or the largest of the init containers if that is more: these run one after another, beside those of them that keep
 * running. What is set for the pod as a whole counts in place of the sum, and running the pod costs its overhead.
 */
function totals(pod: Pod, list: List): Amounts {
  const { containers, initContainers = [], resources, overhead } = pod.spec ?? {};
  let sum = (containers ?? []).map(container => ofContainer(pod, container, list)).reduce(add, none);
  let [staying, starting] = [none, none];
  for (const container of initContainers) {
    const own = container.restartPolicy === 'Always' ? ofContainer(pod, container, list) : amountsOf(container.resources?.[list]);
    starting = combined(starting, add(own, staying), greater);
    if (container.restartPolicy === 'Always') [sum, staying] = [add(sum, own), add(staying, own)];
  }
  const all = new Map(combined(sum, starting, greater));
  for (const [name, amount] of amountsOf(resources?.[list])) if (name === 'cpu' || name === 'memory' || name.startsWith(hugePages)) all.set(name, amount);
  // Without a limit there is nothing that the overhead could raise.
  const extra = new Map([...amountsOf(overhead)].filter(([name]) => list === 'requests' || all.has(name)));
  return add(all, extra);
}

const add = (a: Amounts, b: Amounts): Amounts => combined(a, b, plus);

/** While a container is resized in place, the largest of what is wanted, given and in effect counts. */
function ofContainer(pod: Pod, { name, resources }: Container, list: List): Amounts {
  const statuses = [...pod.status?.containerStatuses ?? [], ...pod.status?.initContainerStatuses ?? []];
  const status = statuses.find(each => each.name === name);
  const wanted = amountsOf(resources?.[list]);
  if (!status?.resources) return wanted;
  const inEffect = combined(amountsOf(status.resources[list]), list === 'requests' ? amountsOf(status.allocatedResources) : none, greater);
  const pending = conditionOf(pod.status?.conditions, 'PodResizePending');
  return pending?.reason === 'Infeasible' ? inEffect : combined(wanted, inEffect, greater);
}
