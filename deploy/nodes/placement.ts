import { nameOf, type Labels } from '../../controllers/client/index.js';
import { labelOperators } from '../../api/selectors.js';
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from '../../api/types/core/v1.js';
import { podsPerNode } from './node.js';

/** Chooses a pod's node. Pure. */

export type Placement = { readonly node: string } | { readonly node: null; readonly why: string };

interface Schedulable {
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly unknown[];
}
const schedulerName = 'default-scheduler';
const unschedulable: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export function waitsForNode(pod: Pod): boolean {
  const { schedulerName: wanted = schedulerName, schedulingGates = [] }: Schedulable = pod.spec ?? {};
  return !pod.spec?.nodeName && pod.metadata.deletionTimestamp === undefined && wanted === schedulerName && schedulingGates.length === 0;
}

/** Returns the least loaded node that fits the pod, the first by name among equals. `loads` counts pods by node. */
export function place(pod: Pod, nodes: readonly Node[], loads: ReadonlyMap<string, number>): Placement {
  const load = (node: Node): number => loads.get(nameOf(node)) ?? 0;
  let best: Node | null = null;
  // Only nodes with less load than the best so far are checked closely: few of thousands.
  for (const node of nodes) {
    const better = best === null || load(node) < load(best) || (load(node) === load(best) && nameOf(node) < nameOf(best));
    if (better && problem(pod, node, load(node)) === null) best = node;
  }
  if (best !== null) return { node: nameOf(best) };
  const problems = nodes.map((node) => problem(pod, node, load(node)));
  return { node: null, why: `0/${nodes.length} nodes are available: ${summary(problems)}.` };
}

function summary(problems: readonly (string | null)[]): string {
  const counts = new Map<string, number>();
  for (const text of problems) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts.size === 0
    ? 'no nodes'
    : [...counts]
        .map(([text, count]) => `${count} ${text}`)
        .sort()
        .join(', ');
}

function problem(pod: Pod, node: Node, load: number): string | null {
  if (!selectsNode(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  const taints = [...(node.spec?.taints ?? []), ...(node.spec?.unschedulable ? [unschedulable] : [])].filter(
    ({ effect }) => effect !== 'PreferNoSchedule',
  );
  const taint = taints.find((candidate) => !(pod.spec?.tolerations ?? []).some((toleration) => tolerates(toleration, candidate)));
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  return load >= podsPerNode ? 'Too many pods' : null;
}

function tolerates({ key = '', operator = 'Equal', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || (key !== '' && value === (taint.value ?? ''));
}

function selectsNode({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels;
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels?.[key] === value)) return false;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms === null || terms.some((term) => matchesTerm(term, node));
}

/** A term without requirements matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matches(requirement, node.metadata.labels)) &&
    matchFields.every((requirement) => matches(requirement, { 'metadata.name': nameOf(node) }))
  );
}

const operators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  ...labelOperators,
  Gt: (value, values) => value !== undefined && Number(value) > Number(values[0]),
  Lt: (value, values) => value !== undefined && Number(value) < Number(values[0]),
};

const matches = ({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean =>
  operators[operator]?.(labels?.[key], values) ?? false;
