import { createdAt, uidOf } from '../../api/meta/object.js';
import type { Pod } from '../../api/types/core/v1.js';
import { isReady, readySince, restartsOf } from './podState.js';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phaseRanks: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** A pod and its number of related pods on its node: where there are many, the loss of one matters least. */
interface Ranked {
  readonly pod: Pod;
  readonly neighbours: number;
}

type Comparison = (a: Ranked, b: Ranked, now: number) => number;

const byCost: Comparison = (a, b) => costOf(a.pod) - costOf(b.pod);

/** The first comparison with a difference decides; the lower pod goes first. The reference's order. */
const comparisons: readonly Comparison[] = [
  (a, b) => Number(isAssigned(a.pod)) - Number(isAssigned(b.pod)),
  (a, b) => phaseRank(a.pod) - phaseRank(b.pod),
  (a, b) => Number(isReady(a.pod)) - Number(isReady(b.pod)),
  byCost,
  (a, b) => b.neighbours - a.neighbours,
  (a, b, now) => (isReady(a.pod) && isReady(b.pod) ? youngerFirst(readySince, a.pod, b.pod, now) : 0),
  (a, b) => restartsOf(b.pod.status) - restartsOf(a.pod.status),
  (a, b, now) => youngerFirst(createdAt, a.pod, b.pod, now),
];

const isAssigned = (pod: Pod): boolean => Boolean(pod.spec?.nodeName);
const phaseRank = (pod: Pod): number => phaseRanks[pod.status?.phase ?? ''] ?? 0;

function costOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[costAnnotation] ?? '0';
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

/** Ages count by order of magnitude, so that not always the same kind is chosen. Unknown times are youngest. */
function youngerFirst(since: (pod: Pod) => number, first: Pod, second: Pod, now: number): number {
  const [a, b] = [since(first), since(second)];
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (Number.isNaN(a)) return -1;
  if (Number.isNaN(b)) return 1;
  const magnitude = (time: number): number => (now - time <= 0 ? 0 : Math.floor(Math.log2((now - time) * 1e6)));
  return magnitude(a) - magnitude(b) || (uidOf(first) < uidOf(second) ? -1 : 1);
}

/** Facts that distinguish pods. */
export interface Circumstances {
  /** All sibling pods, including those in question. */
  readonly related?: readonly Pod[];
  readonly now: number;
  /** Considers deletion cost annotations. Default: true. */
  readonly knowsCosts?: boolean;
}

export function podsToDelete(pods: readonly Pod[], count: number, { related = [], now, knowsCosts = true }: Circumstances): readonly Pod[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const { spec, status } of related)
    if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && spec?.nodeName)
      onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1);
  const ranked = pods.map((pod) => ({ pod, neighbours: onNode.get(pod.spec?.nodeName ?? '') ?? 0 }));
  const compare = (a: Ranked, b: Ranked): number => {
    for (const comparison of comparisons) {
      if (comparison === byCost && !knowsCosts) continue;
      const order = comparison(a, b, now);
      if (order !== 0) return order;
    }
    return 0;
  };
  return ranked
    .sort(compare)
    .slice(0, count)
    .map(({ pod }) => pod);
}
