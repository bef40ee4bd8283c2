import { nameOf } from '../../api/meta/object.js';
import { type DaemonSet, daemonSets } from '../../api/types/apps/v1.js';
import type { Affinity, Pod, PodSpec, Toleration } from '../../api/types/core/v1.js';
import { podOf } from '../workloads/podTemplate.js';
import { sameMeaning } from '../../api/json/equality.js';

export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';
const nodeNameField = 'metadata.name';

/** Tolerations of a daemon on any node, which it may have to repair. In the reference's order. */
const daemonTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const hostNetworkToleration: Toleration = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' };

export function tolerationsOf({ tolerations = [], hostNetwork = false }: PodSpec): readonly Toleration[] {
  const sameTaint = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.effect === b.effect && (a.operator ?? '') === (b.operator ?? '') && (a.value ?? '') === (b.value ?? '');
  const added = hostNetwork ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  return added.reduce<readonly Toleration[]>((known, toleration) => {
    const at = known.findIndex((other) => sameTaint(other, toleration));
    if (at < 0) return [...known, toleration];
    return sameMeaning(known[at], toleration) ? known : known.map((other, index) => (index === at ? toleration : other));
  }, tolerations);
}

const templateGeneration = ({ metadata }: DaemonSet): string | undefined => metadata.annotations?.[generationAnnotation];

/** Returns a pod for one node. The scheduler binds it by an affinity to the node, which replaces the template's (checked already). */
export function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const { metadata, spec = {} } = podOf(set.spec?.template, daemonSets, set);
  const generation = templateGeneration(set);
  const labels = {
    ...metadata.labels,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
    ...(hash ? { [hashLabel]: hash } : {}),
  };
  return { metadata: { ...metadata, labels }, spec: { ...spec, affinity: boundTo(spec.affinity, node), tolerations: tolerationsOf(spec) } };
}

function boundTo(affinity: Affinity | undefined, node: string): Affinity {
  const terms = { nodeSelectorTerms: [{ matchFields: [{ key: nodeNameField, operator: 'In', values: [node] }] }] };
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: terms } };
}

/** Returns the node of a pod, or the node to bind it to; null if neither is known. */
export function nodeOf({ spec }: Pod): string | null {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    const [field, ...others] = matchFields;
    const [name, ...more] = field?.values ?? [];
    if (field && others.length === 0 && field.key === nodeNameField && field.operator === 'In' && name !== undefined && more.length === 0)
      return name;
  }
  return null;
}

export function isUpdated(set: DaemonSet, pod: Pod, hash: string): boolean {
  const { [hashLabel]: own = '', [generationLabel]: generation } = pod.metadata.labels ?? {};
  return (hash !== '' && own === hash) || (generation !== undefined && generation === templateGeneration(set));
}

export const describe = (pod: Pod): string => `${pod.metadata.namespace ?? ''}/${nameOf(pod)}`;
