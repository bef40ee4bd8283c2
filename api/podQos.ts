import { amountsOf, noAmounts, sumOf, type Amounts } from './amounts.js';
import { compareQuantities } from './quantity.js';
import type { Pod, ResourceRequirements } from './types/core/v1.js';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const countedResources: readonly string[] = ['cpu', 'memory'];

/** Depends on requests and limits of cpu and memory, and never changes after creation. */
export function qosClass({ spec }: Pick<Pod, 'spec'>): QosClass {
  const holders = spec?.resources ? [spec] : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const counted = holders.map(({ resources }) => ({ requests: positive(resources, 'requests'), limits: positive(resources, 'limits') }));
  const requests = counted.map((each) => each.requests).reduce(sumOf, noAmounts);
  const limits = counted.map((each) => each.limits).reduce(sumOf, noAmounts);
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const allLimited = counted.every((each) => each.limits.size === countedResources.length);
  return allLimited && requests.size === limits.size && [...requests].every(([name, amount]) => equals(amount, limits.get(name)))
    ? 'Guaranteed'
    : 'Burstable';
}

const equals = (a: Parameters<typeof compareQuantities>[0], b: typeof a | undefined): boolean =>
  b !== undefined && compareQuantities(a, b) === 0;

const positive = (resources: ResourceRequirements | undefined, list: 'requests' | 'limits'): Amounts =>
  new Map([...amountsOf(resources?.[list])].filter(([name, { digits }]) => countedResources.includes(name) && digits > 0n));
