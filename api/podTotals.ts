import { amountsOf, maxOf, noAmounts, sumOf, type Amounts } from './amounts.js';
import type { Container, PodSpec } from './types/core/v1.js';

export type ResourceList = 'requests' | 'limits';

/** What a container that keeps running counts with; whoever knows its status may know more than the specification says. */
type AmountsOfContainer = (container: Container, list: ResourceList) => Amounts;

const specified: AmountsOfContainer = ({ resources }, list) => amountsOf(resources?.[list]);
/** Resources that a pod may set for all its containers together; they then count instead of the sum. */
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/**
 * What a pod requests, or may use at most: its containers together, or the largest of its init containers, which run one after another
 * beside those that keep running; and what running the pod itself costs.
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
  // Without a limit there is nothing that the overhead could raise.
  return sumOf(total, new Map([...amountsOf(overhead)].filter(([name]) => list === 'requests' || total.has(name))));
}
