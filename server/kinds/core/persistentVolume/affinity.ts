import type { JsonObject } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';

/** Stable names of node labels. */
const stableLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

const termsOf = (affinity: JsonObject): JsonObject[] => objectsIn(objectAt(affinity, 'required') ?? {}, 'nodeSelectorTerms');

/** Renames labels where the new affinity has the stable name in the same place. */
export function withNewLabels(before: JsonObject, now: JsonObject): JsonObject {
  const renamed = structuredClone(before);
  termsOf(renamed).forEach((term, outer) => {
    const terms = objectsIn(termsOf(now)[outer] ?? {}, 'matchExpressions');
    objectsIn(term, 'matchExpressions').forEach((requirement, inner) => {
      // Unknown labels map to the empty name, as in the reference.
      const stable = stableLabels.get(textAt(requirement, 'key')) ?? '';
      const requested = terms[inner];
      if (requested !== undefined && textAt(requested, 'key') === stable) requirement['key'] = stable;
    });
  });
  return renamed;
}
