import * as enums from '../../../../../api/data/enums.js';
import {
  all,
  between,
  changed,
  dnsLabelName,
  dnsSubdomain,
  duplicate,
  each,
  forbidden,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  keepable,
  labelValueProblems,
  members,
  missing,
  notSupported,
  ofEach,
  oneOf,
  optional,
  optionallyOneOf,
  qualified,
  quote,
  requiredAs,
  requirementForm,
  structure,
  validateLabelSelector,
  whileOff,
  whileOn,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';

type Requirement = Writable<v1.NodeSelectorRequirement>;
type AffinityTerm = Writable<v1.PodAffinityTerm>;
type Constraint = Writable<v1.TopologySpreadConstraint>;
type Keyed = Pick<AffinityTerm, 'labelSelector' | 'matchLabelKeys'>;

const requirement = (entry: Requirement, path: Path): FieldError[] => requirementForm(entry, path, ['Gt', 'Lt']);

const labelValue = (value: string, path: Path): FieldError[] => labelValueProblems(value).map((text) => invalid(path, value, text));
const labelValues = members<v1.NodeSelectorRequirement>({
  values: changed(each(labelValue), (findings) => keepable('value of a node selector', findings)),
});

const oneValue = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";

const fieldName = members<v1.NodeSelectorRequirement>({ values: each(dnsSubdomain) });
function fieldRequirement(entry: Requirement, path: Path): Found {
  const { key = '', operator = '', values } = entry;
  const selects = operator === 'In' || operator === 'NotIn';
  return inOrder(
    selects && itemsOf(values).length !== 1 ? [missing(path.child('values'), oneValue)] : [],
    selects ? [] : [invalid(path.child('operator'), operator, 'not a valid selector operator')],
    key === 'metadata.name' ? fieldName(entry, path, null) : [invalid(path.child('key'), key, 'not a valid field selector key')],
  );
}

const matchFields = each(fieldRequirement);
/** Invalid label values of preferences only cause a warning. */
const preference = members<v1.NodeSelectorTerm>({ matchExpressions: each(requirement), matchFields });
const term = members<v1.NodeSelectorTerm>({ matchExpressions: each(requirement, labelValues), matchFields });

const nodeSelector = members<v1.NodeSelector>({
  nodeSelectorTerms: requiredAs('must have at least one node selector term', each(term)),
});

export const validateNodeSelector = (selector: Writable<v1.NodeSelector>, path: Path): Found => nodeSelector(selector, path, null);

const weight = (value: number | undefined, path: Path): FieldError[] =>
  Number(value ?? 0) < 1 || Number(value) > 100 ? [invalid(path, value ?? 0, 'must be in the range 1-100')] : [];

function labelKeys(keys: string[] | undefined, path: Path, { labelSelector }: Keyed): FieldError[] {
  if (itemsOf(keys).length === 0) return [];
  return isSet(labelSelector)
    ? itemsOf(keys).flatMap((key, position) => qualified(key, path.index(position)))
    : [forbidden(path, 'must not be specified when labelSelector is not set')];
}

/**
 * A pod's keys are expressions by now (`pod/prepare.ts`); in a template only a selector that repeats itself is found. The path lacks the name of the list, as
 * in the reference.
 */
function repeatedKeys({ labelSelector, matchLabelKeys }: Keyed, path: Path): FieldError[] {
  if (!isSet(labelSelector) || itemsOf(matchLabelKeys).length === 0) return [];
  const keys = new Map(itemsOf(matchLabelKeys).map((key, position) => [key, position]));
  const named = new Set(Object.keys(labelSelector.matchLabels ?? {}));
  return itemsOf(labelSelector.matchExpressions).flatMap(({ key = '' }) => {
    const position = keys.get(key);
    const repeated = position !== undefined && named.has(key);
    named.add(key);
    return repeated ? [invalid(path.index(position), key, 'exists in both matchLabelKeys and labelSelector')] : [];
  });
}

/** One label cannot have to match and to differ. */
function contradictingKeys({ matchLabelKeys, mismatchLabelKeys }: AffinityTerm, path: Path): FieldError[] {
  const matching = new Map(itemsOf(matchLabelKeys).map((key, position) => [key, position]));
  return itemsOf(mismatchLabelKeys)
    .filter((key) => matching.has(key))
    .map((key) =>
      invalid(path.child('matchLabelKeys').index(matching.get(key) ?? 0), key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
    );
}

const namespaces = (entry: AffinityTerm, path: Path): FieldError[] =>
  itemsOf(entry.namespaces).flatMap((name) => dnsLabelName(name, false).map((text) => invalid(path.child('namespace'), name, text)));

const affinityTerm = structure<AffinityTerm>(
  members<v1.PodAffinityTerm>({ labelSelector: optional(validateLabelSelector), namespaceSelector: optional(validateLabelSelector) }),
  namespaces,
  members<v1.PodAffinityTerm>({ matchLabelKeys: labelKeys, mismatchLabelKeys: labelKeys }),
  repeatedKeys,
  contradictingKeys,
  members<v1.PodAffinityTerm>({
    topologyKey: all<string | undefined>(requiredAs('can not be empty'), (value, path) => qualified(value ?? '', path)),
  }),
);

const podAffinity = members<v1.PodAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: each(affinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: each(members<v1.WeightedPodAffinityTerm>({ weight, podAffinityTerm: affinityTerm })),
});

export const affinity = members<v1.Affinity>({
  nodeAffinity: optional(
    members<v1.NodeAffinity>({
      requiredDuringSchedulingIgnoredDuringExecution: optional(nodeSelector),
      preferredDuringSchedulingIgnoredDuringExecution: each(members<v1.PreferredSchedulingTerm>({ weight, preference })),
    }),
  ),
  podAffinity: optional(podAffinity),
  podAntiAffinity: optional(podAffinity),
});

const deadlineMax = 2_147_483_647;
export const deadline = optional((value: number, path: Path): FieldError[] =>
  value < 1 || value > deadlineMax ? [invalid(path, value, between(1, deadlineMax))] : [],
);

const joined = (problems: readonly string[]): string[] => (problems.length === 0 ? [] : [problems.join(';')]);

const canonical = /^(0|-?[1-9]\d*)$/;
const readable = /^[+-]?\d+$/;

/** The parser is more lenient about the form of numbers. */
const parsed = (value: string): string[] => {
  const failed = (why: string): string[] => [`strconv.ParseInt: parsing ${quote(value)}: ${why}`];
  if (!readable.test(value)) return failed('invalid syntax');
  const number = BigInt(value.replace('+', ''));
  return BigInt.asIntN(64, number) === number ? [] : failed('value out of range');
};

/** Taints compare as 64-bit integers. */
const comparable = (value: string, path: Path): FieldError[] =>
  [
    ...(value === '' ? ['must be non-empty'] : canonical.test(value) ? [] : ['must be a valid decimal integer in canonical form']),
    ...parsed(value),
  ].map((text) => invalid(path, value, text));

const noComparison = (operator: string, path: Path): FieldError => notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt']);

const ifFeature = (operator: string, value: string, path: Path): FieldError[] => [
  ...whileOff('TaintTolerationComparisonOperators', [noComparison(operator, path.child('operator'))]),
  ...whileOn('TaintTolerationComparisonOperators', comparable(value, path.child('value'))),
];

function operation(operator: string, value: string, path: Path, compares: typeof ifFeature): FieldError[] {
  const at = path.child('operator');
  switch (operator) {
    case '':
    case 'Equal':
      return joined(labelValueProblems(value)).map((text) => invalid(at, value, text));
    case 'Exists':
      return value === '' ? [] : [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return compares(operator, value, path);
    default:
      return [notSupported(at, operator, ['Equal', 'Exists'])];
  }
}

const toleration =
  (compares: typeof ifFeature) =>
  (entry: Writable<v1.Toleration>, path: Path): FieldError[] => {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = entry;
    const findings = key === '' ? [] : qualified(key, path.child('key'));
    if (key === '' && operator !== 'Exists')
      findings.push(
        invalid(
          path.child('operator'),
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (isSet(tolerationSeconds) && effect !== 'NoExecute')
      findings.push(invalid(path.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    findings.push(...operation(operator, value, path, compares));
    if (effect !== '') findings.push(...optionallyOneOf(effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], path.child('effect')));
    return findings;
  };
export const tolerations = each(toleration(ifFeature));
export const plainTolerations = each(toleration((operator, _value, path) => [noComparison(operator, path.child('operator'))]));

const aboveZero = (value: number | undefined, path: Path): FieldError[] =>
  Number(value ?? 0) <= 0 ? [invalid(path, value ?? 0, 'must be greater than zero')] : [];

function minDomains(domains: number, path: Path, { whenUnsatisfiable = '' }: Constraint): FieldError[] {
  const findings = aboveZero(domains, path);
  if (whenUnsatisfiable !== 'DoNotSchedule')
    findings.push(invalid(path, domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`));
  return findings;
}

const spreadForm = members<v1.TopologySpreadConstraint>({
  maxSkew: aboveZero,
  topologyKey: requiredAs('can not be empty'),
  whenUnsatisfiable: (action, path) => optionallyOneOf(action ?? '', ['DoNotSchedule', 'ScheduleAnyway'], path),
});
const policy = optional(oneOf(...enums.NodeInclusionPolicy));
const spreadRest = all<Constraint>(
  members<v1.TopologySpreadConstraint>({ minDomains: optional(minDomains), nodeAffinityPolicy: policy, nodeTaintsPolicy: policy }),
  changed(all<Constraint>(members<v1.TopologySpreadConstraint>({ matchLabelKeys: labelKeys }), repeatedKeys), (findings) =>
    keepable('label keys of a spread', findings),
  ),
  members<v1.TopologySpreadConstraint>({
    labelSelector: optional(changed(validateLabelSelector, (findings) => keepable('selector of a spread', findings))),
  }),
);

export function topologySpread(constraints: Constraint[] | undefined, path: Path): Found {
  const kinds = itemsOf(constraints).map(({ topologyKey = '', whenUnsatisfiable = '' }) => `{${topologyKey}, ${whenUnsatisfiable}}`);
  const last = new Map(kinds.map((kind, position) => [kind, position]));
  return ofEach(itemsOf(constraints), (constraint, position) => {
    const [at, kind = ''] = [path.index(position), kinds[position]];
    return inOrder(
      spreadForm(constraint, at, constraints),
      // Only the last of several equal entries is valid.
      (last.get(kind) ?? position) > position ? [duplicate(at.child('{topologyKey, whenUnsatisfiable}'), kind)] : [],
      spreadRest(constraint, at, constraints),
    );
  });
}

export function schedulingGates(gates: Writable<v1.PodSchedulingGate>[] | undefined, path: Path): Found {
  const seen = new Set<string>();
  return ofEach(itemsOf(gates), ({ name = '' }, position) => {
    const at = path.index(position);
    const findings = qualified(name, at);
    if (seen.has(name)) findings.push(duplicate(at, name));
    seen.add(name);
    return findings;
  });
}
