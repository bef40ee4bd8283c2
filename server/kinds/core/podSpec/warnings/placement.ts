import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../../api/json/members.js';
import type { Path } from '../../../../registry/validation/field.js';
import { labelValueProblems } from '../../../../registry/validation/names.js';

/** Node labels with a successor, and their warnings. */
const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const noMatch = 'a null labelSelector results in matching no pod';

export const deprecatedNodeLabel = (label: string): string | null =>
  Object.hasOwn(deprecatedNodeLabels, label) ? (deprecatedNodeLabels[label] ?? null) : null;

export const namedLabel = (label: string, path: Path): string[] => {
  const text = deprecatedNodeLabel(label);
  return text === null ? [] : [`${path}: ${label} is ${text}`];
};

/** Warns about the node selector, node affinity and topology spread. */
export function nodeWarnings(spec: JsonObject, path: Path): string[] {
  return [
    ...Object.keys(objectAt(spec, 'nodeSelector') ?? {}).flatMap((label) => {
      const text = deprecatedNodeLabel(label);
      return text === null ? [] : [`${path.child('nodeSelector').key(label)}: ${text}`];
    }),
    ...nodeAffinityWarnings(objectAt(objectAt(spec, 'affinity') ?? {}, 'nodeAffinity') ?? {}, path.child('affinity', 'nodeAffinity')),
    ...objectsIn(spec, 'topologySpreadConstraints').flatMap((constraint, position) => {
      const at = path.child('topologySpreadConstraints').index(position);
      return [...namedLabel(textAt(constraint, 'topologyKey'), at.child('topologyKey')), ...selectorWarning(constraint, at)];
    }),
  ];
}

function nodeAffinityWarnings(affinity: JsonObject, path: Path): string[] {
  return [
    ...objectsIn(objectAt(affinity, required) ?? {}, 'nodeSelectorTerms').flatMap((term, position) =>
      termWarnings(term, false, path.child(required, 'nodeSelectorTerms').index(position)),
    ),
    ...objectsIn(affinity, preferred).flatMap((term, position) =>
      termWarnings(objectAt(term, 'preference') ?? {}, true, path.child(preferred).index(position).child('preference')),
    ),
  ];
}

/** Invalid values of preferences only cause warnings. */
function termWarnings(term: JsonObject, checkValues: boolean, path: Path): string[] {
  return objectsIn(term, 'matchExpressions').flatMap((expression, position) => {
    const at = path.child('matchExpressions').index(position);
    return [
      ...namedLabel(textAt(expression, 'key'), at.child('key')),
      ...(checkValues
        ? itemsOf(expression['values']).flatMap((value, each) =>
            labelValueProblems(String(value)).map((text) => `${at.child('values').index(each)}: ${String(value)} is invalid, ${text}`),
          )
        : []),
    ];
  });
}

const selectorWarning = (holder: JsonObject, path: Path): string[] =>
  objectAt(holder, 'labelSelector') === null ? [`${path.child('labelSelector')}: ${noMatch}`] : [];

export function podAffinityWarnings(spec: JsonObject, path: Path): string[] {
  const affinity = objectAt(spec, 'affinity') ?? {};
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const at = path.child('affinity', kind);
    const rules = objectAt(affinity, kind) ?? {};
    return [
      ...objectsIn(rules, required).flatMap((term, position) => selectorWarning(term, at.child(required).index(position))),
      ...objectsIn(rules, preferred).flatMap((term, position) =>
        selectorWarning(objectAt(term, 'podAffinityTerm') ?? {}, at.child(preferred).index(position).child('podAffinityTerm')),
      ),
    ];
  });
}
