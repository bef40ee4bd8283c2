import type * as v1 from '../../../../api/types/core/v1.js';
import { itemsOf, type Writable } from '../../language.js';

/** Stable names of node labels. */
const stableLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

type Affinity = Writable<v1.VolumeNodeAffinity>;

/** Renames labels where the new affinity has the stable name in the same place. */
export function withNewLabels(before: Affinity, now: Affinity): Affinity {
  const renamed = structuredClone(before);
  itemsOf(renamed.required?.nodeSelectorTerms).forEach((term, outer) => {
    const requested = itemsOf(now.required?.nodeSelectorTerms?.[outer]?.matchExpressions);
    itemsOf(term.matchExpressions).forEach((requirement, inner) => {
      // Unknown labels map to the empty name, as in the reference.
      const stable = stableLabels.get(requirement.key ?? '') ?? '';
      if (requested[inner]?.key === stable) requirement.key = stable;
    });
  });
  return renamed;
}
