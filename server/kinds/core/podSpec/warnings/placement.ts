import type * as v1 from '../../../../../api/types/core/v1.js';
import { isSet, itemsOf, labelValueProblems, type Path, type Writable } from '../../../language.js';

type PodSpec = Writable<v1.PodSpec>;

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

export function nodeWarnings(spec: PodSpec, path: Path): string[] {
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((label) => {
      const text = deprecatedNodeLabel(label);
      return text === null ? [] : [`${path.child('nodeSelector').key(label)}: ${text}`];
    }),
    ...nodeAffinityWarnings(spec.affinity?.nodeAffinity ?? {}, path.child('affinity', 'nodeAffinity')),
    ...itemsOf(spec.topologySpreadConstraints).flatMap((constraint, position) => {
      const at = path.child('topologySpreadConstraints').index(position);
      return [...namedLabel(constraint.topologyKey ?? '', at.child('topologyKey')), ...selectorWarning(constraint, at)];
    }),
  ];
}

function nodeAffinityWarnings(affinity: Writable<v1.NodeAffinity>, path: Path): string[] {
  return [
    ...itemsOf(affinity[required]?.nodeSelectorTerms).flatMap((term, position) =>
      termWarnings(term, false, path.child(required, 'nodeSelectorTerms').index(position)),
    ),
    ...itemsOf(affinity[preferred]).flatMap(({ preference = {} }, position) =>
      termWarnings(preference, true, path.child(preferred).index(position).child('preference')),
    ),
  ];
}

/** Invalid values of preferences only cause warnings. */
function termWarnings(term: Writable<v1.NodeSelectorTerm>, checkValues: boolean, path: Path): string[] {
  return itemsOf(term.matchExpressions).flatMap(({ key = '', values }, position) => {
    const at = path.child('matchExpressions').index(position);
    return [
      ...namedLabel(key, at.child('key')),
      ...(checkValues ? itemsOf(values) : []).flatMap((value, each) =>
        labelValueProblems(value).map((text) => `${at.child('values').index(each)}: ${value} is invalid, ${text}`),
      ),
    ];
  });
}

const selectorWarning = ({ labelSelector }: Pick<Writable<v1.PodAffinityTerm>, 'labelSelector'>, path: Path): string[] =>
  isSet(labelSelector) ? [] : [`${path.child('labelSelector')}: ${noMatch}`];

export function podAffinityWarnings({ affinity }: PodSpec, path: Path): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => {
    const at = path.child('affinity', kind);
    const rules = affinity?.[kind];
    return [
      ...itemsOf(rules?.[required]).flatMap((term, position) => selectorWarning(term, at.child(required).index(position))),
      ...itemsOf(rules?.[preferred]).flatMap(({ podAffinityTerm = {} }, position) =>
        selectorWarning(podAffinityTerm, at.child(preferred).index(position).child('podAffinityTerm')),
      ),
    ];
  });
}
