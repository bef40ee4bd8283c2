import { amountsOf, maxOf, noAmounts, sumOf, type Amounts } from './amounts.js';
import type { Container, PodSpec } from './types/core/v1.js';

export type ResourceList = 'requests' | 'limits';

/** The amounts of a container that keeps running; its status may say more than the specification. */
type AmountsOfContainer = (container: Container, list: ResourceList) => Amounts;

const specified: AmountsOfContainer = ({ resources }, list) => amountsOf(resources?.[list]);
/** Pod-level amounts of these resources replace the containers' sum. */
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/**
 * A pod's total requests or limits: the sum of its containers, or the largest of its init containers (which run one after another, next to the sidecars), plus
 * overhead.
 */
export function podTotals(
  { containers, initContainers, resources, overhead }: PodSpec,
  list: ResourceList,
  ofRunning: AmountsOfContainer = specified,
): Amounts {
  const running = (containers ?? []).map((container) => ofRunning(container, list)).reduce(sumOf, noAmounts);
  let [staying, starting] = [noAmounts, noAmounts];
  for (const container of initContainers ?? []) {
    const stays = container.restartPolicy === 'Always';
    const own = (stays ? ofRunning : specified)(container, list);
    starting = maxOf(starting, sumOf(own, staying));
    if (stays) staying = sumOf(staying, own);
  }
  const total = new Map(maxOf(sumOf(running, staying), starting));
  for (const [name, amount] of amountsOf(resources?.[list])) if (isPodLevel(name)) total.set(name, amount);
  // The overhead raises only limits that exist.
  return sumOf(total, new Map([...amountsOf(overhead)].filter(([name]) => list === 'requests' || total.has(name))));
}
