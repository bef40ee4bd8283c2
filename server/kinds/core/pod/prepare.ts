import type * as v1 from '../../../../api/types/core/v1.js';
import type { EnabledFeatures } from '../../../../program/features/gates.js';
import { ensureObject, isSet, itemsOf, sameValue, type Draft, type Writable, type WriteContext } from '../../language.js';
import { annotationsOf } from './annotations.js';
import { annotations } from './validation.js';
import { annotatedContainers } from './profiles.js';
import { apparmorText } from '../podSpec/warnings/containers.js';
import { qosClass } from '../../../../api/podQos.js';

type Pod = Draft<v1.Pod>;
type PodSpec = Writable<v1.PodSpec>;

const gated: Writable<v1.PodCondition> = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

export function preparePod(pod: Pod, { enabled, now, warn }: Pick<WriteContext, 'enabled' | 'now' | 'warn'>): void {
  const spec = ensureObject(pod, 'spec');
  pod.status = {
    phase: 'Pending',
    ...(itemsOf(spec.schedulingGates).length === 0 ? {} : { conditions: [{ ...gated, lastTransitionTime: now }] }),
    // A stated class stays (`GetPodQOS` in core/helper/qos/qos.go).
    qosClass: pod.status?.qosClass || qosClass(pod as v1.Pod),
  };
  takeAppArmorFromAnnotations(pod, spec, warn);
  selectByOwnLabels(pod, spec, enabled);
}

/** Invalid annotations stay. Both are warned of even if the pod is refused. */
function takeAppArmorFromAnnotations(pod: Pod, spec: PodSpec, warn: WriteContext['warn']): void {
  if (spec.os?.name === 'windows') return;
  const ofPod = spec.securityContext?.appArmorProfile ?? null;
  for (const { container, key, field } of annotatedContainers(annotationsOf(pod), spec)) {
    if (isSet(container.securityContext?.appArmorProfile) || (field !== null && sameValue(field, ofPod))) continue;
    if (field !== null) ensureObject(container, 'securityContext').appArmorProfile = field;
    warn(`${annotations.key(key)}: ${apparmorText}`);
  }
}

const keyLists = [
  ['matchLabelKeys', 'In'],
  ['mismatchLabelKeys', 'NotIn'],
] as const;

/** Resolves label keys (`matchLabelKeys`) to the pod's own values. */
function selectByOwnLabels(pod: Pod, spec: PodSpec, enabled: EnabledFeatures): void {
  const labels = pod.metadata.labels ?? {};
  for (const term of affinityTerms(spec)) addExpressions(term, labels, keyLists);
  // Keys are left to the scheduler without the second feature.
  if (!enabled('MatchLabelKeysInPodTopologySpread') || !enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')) return;
  for (const constraint of itemsOf(spec.topologySpreadConstraints)) addExpressions(constraint, labels, keyLists.slice(0, 1));
}

function affinityTerms({ affinity }: PodSpec): Keyed[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...itemsOf(rules?.requiredDuringSchedulingIgnoredDuringExecution),
    ...itemsOf(rules?.preferredDuringSchedulingIgnoredDuringExecution).map(({ podAffinityTerm = {} }) => podAffinityTerm),
  ]);
}

type Keyed = Pick<Writable<v1.PodAffinityTerm>, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

function addExpressions(term: Keyed, labels: Readonly<Record<string, string>>, lists: readonly (typeof keyLists)[number][]): void {
  const selector = term.labelSelector;
  if (!isSet(selector)) return;
  const added = lists.flatMap(([list, operator]) =>
    itemsOf(term[list])
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key] ?? ''] })),
  );
  if (added.length > 0) selector.matchExpressions = [...itemsOf(selector.matchExpressions), ...added];
}
