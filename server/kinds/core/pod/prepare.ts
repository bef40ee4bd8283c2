import type { Pod } from '../../../../api/types/core/v1.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { EnabledFeatures } from '../../../../program/features/fieldGates.js';
import type { WriteContext } from '../../../registry/rules.js';
import { sameValue } from '../../../../api/json/equality.js';
import { ensureObject, objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { annotationsOf } from './annotations.js';
import { annotations } from './validation.js';
import { annotatedContainers } from './profiles.js';
import { apparmorText } from '../podSpec/warnings/containers.js';
import { qosClass } from '../../../../api/podQos.js';

const gated: JsonObject = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

/** Prepares a new pod, after defaults and mutating admission. */
export function preparePod(pod: ApiObject, { enabled, now, warn }: Pick<WriteContext, 'enabled' | 'now' | 'warn'>): void {
  const spec = ensureObject(pod, 'spec');
  pod['status'] = {
    phase: 'Pending',
    ...(itemsOf(spec['schedulingGates']).length === 0 ? {} : { conditions: [{ ...gated, lastTransitionTime: now }] }),
    // A stated class stays (`GetPodQOS` in core/helper/qos/qos.go).
    qosClass: textAt(pod, 'status', 'qosClass') || qosClass(pod as Pod),
  };
  takeAppArmorFromAnnotations(pod, spec, warn);
  selectByOwnLabels(pod, spec, enabled);
}

/** Invalid annotations stay. Both are warned of even if the pod is refused. */
function takeAppArmorFromAnnotations(pod: ApiObject, spec: JsonObject, warn: WriteContext['warn']): void {
  if (textAt(spec, 'os', 'name') === 'windows') return;
  const ofPod = objectAt(objectAt(spec, 'securityContext') ?? {}, 'appArmorProfile');
  for (const { container, key, field } of annotatedContainers(annotationsOf(pod), spec)) {
    const own = objectAt(objectAt(container, 'securityContext') ?? {}, 'appArmorProfile');
    if (own !== null || (field !== null && sameValue(field, ofPod))) continue;
    if (field !== null) ensureObject(container, 'securityContext')['appArmorProfile'] = field;
    warn(`${annotations.key(key)}: ${apparmorText}`);
  }
}

const keyLists = [
  ['matchLabelKeys', 'In'],
  ['mismatchLabelKeys', 'NotIn'],
] as const;

/** Resolves label keys (`matchLabelKeys`) to the pod's own values. */
function selectByOwnLabels(pod: ApiObject, spec: JsonObject, enabled: EnabledFeatures): void {
  const labels = pod.metadata.labels ?? {};
  for (const term of affinityTerms(spec)) addExpressions(term, labels, keyLists);
  // Keys are left to the scheduler without the second feature.
  if (!enabled('MatchLabelKeysInPodTopologySpread') || !enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')) return;
  for (const constraint of objectsIn(spec, 'topologySpreadConstraints')) addExpressions(constraint, labels, keyLists.slice(0, 1));
}

function affinityTerms(spec: JsonObject): JsonObject[] {
  const affinity = objectAt(spec, 'affinity') ?? {};
  return ['podAffinity', 'podAntiAffinity']
    .map((kind) => objectAt(affinity, kind) ?? {})
    .flatMap((rules) => [
      ...objectsIn(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...objectsIn(rules, 'preferredDuringSchedulingIgnoredDuringExecution').map((weighted) => objectAt(weighted, 'podAffinityTerm') ?? {}),
    ]);
}

function addExpressions(
  term: JsonObject,
  labels: Readonly<Record<string, string>>,
  lists: readonly (readonly [list: string, operator: string])[],
): void {
  const selector = objectAt(term, 'labelSelector');
  if (selector === null) return;
  const added = lists.flatMap(([list, operator]) =>
    itemsOf(term[list])
      .map(String)
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key] ?? ''] })),
  );
  if (added.length > 0) selector['matchExpressions'] = [...itemsOf(selector['matchExpressions']), ...added];
}
