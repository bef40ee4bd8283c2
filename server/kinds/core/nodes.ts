import { quoted } from '../../../workers/codecs/goQuotes.js';
import type * as v1 from '../../../api/types/core/v1.js';
import {
  at,
  cidr,
  condition,
  duplicate,
  ensureObject,
  forbidden,
  format,
  gate,
  inOrder,
  internalError,
  invalid,
  isWhole,
  isWholeResource,
  itemsOf,
  labelValueProblems,
  members,
  none,
  nonNegativeQuantity,
  objectAt,
  objectRules,
  ofEach,
  oneOf,
  orEmpty,
  parseRange,
  Path,
  printedAs,
  qualifiedNameProblems,
  rangeWarnings,
  repeats,
  required,
  specOf,
  statusOf,
  textAt,
  unrepeated,
  withoutLeadingZeros,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Rule,
  type Writable,
} from '../language.js';
import { nodeAnnotations } from './nodeAnnotations.js';
import { roundAmounts } from '../../../api/resourceLists.js';

type Taint = Writable<v1.Taint>;
type Amounts = Writable<v1.NodeStatus['capacity']>;

const rangesPath = Path.of('spec', 'podCIDRs');

const rangesOf = (node: Draft<v1.Node>): readonly string[] => itemsOf(specOf(node).podCIDRs);

/** Older clients know the first range, which wins where both are set. */
function alignRanges(node: Draft<v1.Node>): void {
  const spec = ensureObject(node, 'spec');
  const { podCIDR: single = '' } = spec;
  const listed = rangesOf(node);
  if (single !== '' && listed[0] !== single) spec.podCIDRs = [single];
  const first = rangesOf(node)[0];
  if (first !== undefined) spec.podCIDR = first;
}

/** Node configuration is obsolete: only nodes that have one may keep it. */
function dropConfig(node: Draft<v1.Node>, old: Draft<v1.Node> | null): void {
  if ((old?.spec?.configSource ?? null) === null) delete node.spec?.configSource;
  if ((old?.status?.config ?? null) === null) delete node.status?.config;
}

/** Unreserved capacity is allocatable. */
function setAllocatable(node: Draft<v1.Node>): void {
  const status = statusOf(node);
  const capacity = objectAt(status, 'capacity');
  if (capacity !== null && (status.allocatable ?? null) === null) status.allocatable = { ...capacity };
}

const taint = members<v1.Taint>({
  key: orEmpty(format(qualifiedNameProblems)),
  value: orEmpty((value, path) => {
    const problems = labelValueProblems(value);
    return problems.length === 0 ? [] : [invalid(path, value, problems.join(';'))];
  }),
  effect: required(oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')),
});

const taintList: Rule<readonly Taint[] | undefined> = (list, path) => {
  const isRepeated = repeats(itemsOf(list).map(({ key = '', effect = '' }) => `${effect} ${key}`));
  return ofEach(itemsOf(list), (item, position) => {
    const at = path.index(position);
    return inOrder(taint(item, at, list), isRepeated(position) ? [repeatedTaint(item, at)] : []);
  });
};

function repeatedTaint(taint: Taint, path: Path): FieldError {
  const finding = duplicate(path, printedAs('core.v1.Taint', taint));
  return { ...finding, message: `${finding.message}: taints must be unique by key and effect pair` };
}

const amounts = (list: Amounts = {}, path: Path): Found =>
  ofEach(Object.entries(list), ([name, amount]) => {
    const at = path.child(name);
    return [
      ...nonNegativeQuantity(amount, at),
      ...(isWholeResource(name) && !isWhole(amount) ? [invalid(at, amount, 'must be an integer')] : []),
    ];
  });

function validateRanges(ranges: readonly string[] = [], path: Path): FieldError[] {
  const families = ranges.map((range) => parseRange(range)?.family);
  const findings = ranges.flatMap((range, position) => cidr(range, path.index(position)));
  const malformed = ranges.findIndex((range) => !readsAsRange(range));
  if (ranges.length > 1 && malformed >= 0) findings.push(internalError(path, unreadableRange(malformed, ranges[malformed] ?? '')));
  else if (ranges.length < 2 || (ranges.length === 2 && families[0] !== families[1])) return findings;
  return [...findings, invalid(path, ranges, 'may specify no more than one CIDR for each IP family')];
}

/** Leading zeros do not make a range unreadable. */
const readsAsRange = (range: string): boolean => parseRange(withoutLeadingZeros(range)) !== null;
const unreadableRange = (position: number, range: string): string =>
  `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${position}]: <nil> (invalid CIDR address: ${range})`;

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const featureCharactersMax = 253;
const featureForm =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

const declaredFeatures = (features: readonly string[] = [], path: Path): Found =>
  ofEach(features, (feature, position) => {
    const [at, before] = [path.index(position), features[position - 1] ?? ''];
    const isLong = Buffer.byteLength(feature) > featureCharactersMax;
    const fault = isLong ? `must be no more than ${featureCharactersMax} characters` : featureForm;
    return [
      ...(position > 0 && before === feature ? [duplicate(at, feature)] : []),
      ...(before > feature ? [invalid(at, feature, 'list must be sorted alphabetically')] : []),
      ...(!isLong && featureName.test(feature) ? [] : [invalid(at, feature, `invalid feature name ${quoted(feature)}: ${fault}`)]),
    ];
  });

const annotations = objectRules<v1.Node>({ metadata: nodeAnnotations(taintList) });
const taints = (node: Draft<v1.Node>): Found => taintList(specOf(node).taints, Path.of('metadata', 'taints'), null);
const status = members<v1.NodeStatus>({ capacity: amounts, allocatable: amounts, declaredFeatures });
const ofStatus = objectRules<v1.Node>({ status });
const ofRanges = objectRules<v1.Node>({ spec: members<v1.NodeSpec>({ podCIDRs: validateRanges }) });
const ofAddresses = objectRules<v1.Node>({
  status: members<v1.NodeStatus>({
    addresses: unrepeated(
      ({ type = '', address = '' }: Writable<v1.NodeAddress>) => `${type}\n${address}`,
      (address, path) => [duplicate(path, printedAs('core.v1.NodeAddress', address))],
    ),
  }),
});

const validate = (node: Draft<v1.Node>): Found => inOrder(annotations(node), taints(node), ofStatus(node), ofRanges(node));

function validateChange(node: Draft<v1.Node>, old: Draft<v1.Node>): Found {
  const [spec, before] = [specOf(node), specOf(old)];
  const text = 'node updates may not change providerID except from "" to valid';
  return inOrder(
    annotations(node),
    ofStatus(node),
    ofAddresses(node),
    changedRanges(rangesOf(node), rangesOf(old)),
    before.providerID && spec.providerID !== before.providerID ? [forbidden(Path.of('spec', 'providerID'), text)] : [],
    taints(node),
    (spec.externalID ?? '') === (before.externalID ?? '') ? [] : [forbidden(Path.of('spec', 'externalID'), 'may not be updated')],
  );
}

function changedRanges(now: readonly string[], old: readonly string[]): FieldError[] {
  if (old.length === 0) return [];
  const finding = forbidden(rangesPath, 'node updates may not change podCIDR except from "" to valid');
  return old.length === now.length ? old.filter((range, position) => range !== now[position]).map(() => finding) : [finding];
}

const roleLabel = 'node-role.kubernetes.io/';

function nodeRoles(node: Draft<v1.Node>): string {
  const labels = node.metadata.labels ?? {};
  const roles = Object.keys(labels)
    .filter((key) => key.startsWith(roleLabel))
    .map((key) => key.slice(roleLabel.length))
    .filter((role) => role !== '');
  const named = labels['kubernetes.io/role'];
  return [...new Set(named === undefined || named === '' ? roles : [...roles, named])].sort().join(',') || none;
}

function nodeStatus(node: Draft<v1.Node>): string {
  const ready = condition(node, 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable ? `${state},SchedulingDisabled` : state;
}

const nodeAddress = ({ status }: Draft<v1.Node>, type: string): string =>
  itemsOf(status?.addresses).find((address) => address.type === type)?.address || none;

function kernelVersion({ status }: Draft<v1.Node>): string {
  const { kernelVersion: version, architecture } = status?.nodeInfo ?? {};
  return version ? (architecture ? `${version} (${architecture})` : version) : '<unknown>';
}

export const nodes: Kind<Draft<v1.Node>> = {
  name: 'nodes',
  gated: [gate('NodeDeclaredFeatures', 'status.declaredFeatures')],
  defaults(node) {
    alignRanges(node);
    setAllocatable(node);
    for (const member of ['capacity', 'allocatable'] as const) roundAmounts(objectAt(statusOf(node), member));
  },
  prepare: dropConfig,
  validate,
  warnings: (node) => [
    ...(specOf(node).configSource === undefined ? [] : ['spec.configSource: the feature is no longer supported']),
    ...(textAt(node, 'spec', 'externalID') === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...itemsOf(specOf(node).podCIDRs).flatMap((range, position) => rangeWarnings(range, `spec.podCIDRs[${position}]`)),
  ],
  create: {
    // A node reports itself, so its initial status counts.
    status: 'sent',
  },
  update: {
    review: ['objectMeta', validate, 'objectMetaUpdate', validateChange],
  },
  subresources: {
    status: {
      prepare: dropConfig,
      review: ['objectMetaUpdate', validateChange],
    },
  },
  fields: { values: { 'spec.unschedulable': (node) => textAt(node, 'spec', 'unschedulable') || 'false' } },
  cells: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: at('status.nodeInfo.kubeletVersion', ''),
    'Internal-IP': (node) => nodeAddress(node, 'InternalIP'),
    'External-IP': (node) => nodeAddress(node, 'ExternalIP'),
    'OS-Image': at('status.nodeInfo.osImage', '<unknown>'),
    'Kernel-Version': kernelVersion,
    'Container-Runtime': at('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  },
};
