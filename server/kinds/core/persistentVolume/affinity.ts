import type { JsonObject } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';

/** Labels of nodes and what they are called since they are stable. */
const stableLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

const termsOf = (affinity: JsonObject): JsonObject[] => objectsIn(objectAt(affinity, 'required') ?? {}, 'nodeSelectorTerms');

/** The affinity of before, with the new names of labels where `now` has them in the same place. */
export function withNewLabels(before: JsonObject, now: JsonObject): JsonObject {
  const renamed = structuredClone(before);
  termsOf(renamed).forEach((term, outer) => {
    const terms = objectsIn(termsOf(now)[outer] ?? {}, 'matchExpressions');
    objectsIn(term, 'matchExpressions').forEach((requirement, inner) => {
      // The reference looks labels up without asking whether they are known: no name at all stands for all others.
      const stable = stableLabels.get(textAt(requirement, 'key')) ?? '';
      const requested = terms[inner];
      if (requested !== undefined && textAt(requested, 'key') === stable) requirement['key'] = stable;
    });
  });
  return renamed;
}
