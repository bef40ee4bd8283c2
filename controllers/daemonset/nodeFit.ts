import { nameOf } from '../../api/meta/object.js';
import { labelOperators, selectsAll } from '../../api/selectors.js';
import type { DaemonSet } from '../../api/types/apps/v1.js';
import type { Node, NodeSelectorRequirement, NodeSelectorTerm } from '../../api/types/core/v1.js';
import { tolerates } from '../workloads/toleration.js';
import { difference, signed } from '../workloads/wholeNumbers.js';
import { tolerationsOf } from './daemonPod.js';

export interface Fit {
  /** A pod should be created there. */
  readonly runs: boolean;
  /** An existing pod may stay. */
  readonly stays: boolean;
}

const nowhere: Fit = { runs: false, stays: false };

export function fitOf({ spec }: DaemonSet, node: Node): Fit {
  const template = spec?.template?.spec ?? {};
  if (template.nodeName && template.nodeName !== nameOf(node)) return nowhere;
  if (!selectsAll(template.nodeSelector, node.metadata.labels)) return nowhere;
  const terms = template.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (template.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution && !(terms ?? []).some((term) => matches(term, node)))
    return nowhere;
  const tolerations = tolerationsOf(template);
  const untolerated = (node.spec?.taints ?? []).filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
  // A NoSchedule taint does not remove existing pods.
  return {
    runs: !untolerated.some(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute'),
    stays: !untolerated.some(({ effect }) => effect === 'NoExecute'),
  };
}

/** A term without requirements matches nothing. */
function matches({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields: Readonly<Record<string, string>> = { 'metadata.name': nameOf(node) };
  return (
    matchExpressions.every((requirement) => holds(requirement, node.metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => holds(requirement, fields[requirement.key]))
  );
}

const holds = ({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean =>
  operators[operator]?.(value, values) ?? false;

const operators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  ...labelOperators,
  Gt: (value = '', [than = '']) => difference(value, than, signed) > 0n,
  Lt: (value = '', [than = '']) => difference(value, than, signed) < 0n,
};
