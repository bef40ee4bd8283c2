import { quoted } from '../../../workers/codecs/goQuotes.js';
import type { Node } from '../../../api/types/core/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { cidr, parseRange, withoutLeadingZeros } from '../../registry/validation/addresses.js';
import {
  duplicate,
  forbidden,
  internalError,
  invalid,
  notSupported,
  Path,
  required,
  type FieldError,
} from '../../registry/validation/field.js';
import { labelValueProblems } from '../../registry/validation/names.js';
import { isWhole, nonNegativeQuantity } from '../../registry/validation/quantities.js';
import { repeats } from '../../registry/validation/repeats.js';
import { isWholeResource } from '../../registry/validation/resourcenames.js';
import { rangeWarnings } from '../../registry/validation/spelling.js';
import { qualified } from '../../registry/validation/values.js';
import { at, condition, none } from '../cells.js';
import { gate } from '../gated.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { validateNodeAnnotations } from './nodeAnnotations.js';
import { roundAmounts } from '../../../api/resourceLists.js';

const taints = Path.of('metadata', 'taints');
const rangesPath = Path.of('spec', 'podCIDRs');
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const rangesOf = (node: Draft<Node>): string[] => itemsOf(specOf(node).podCIDRs).map(String);

/** Older clients know the first range, which wins where both are set. */
function alignRanges(node: Draft<Node>): void {
  const spec = ensureObject(node, 'spec');
  const single = textAt(spec, 'podCIDR');
  const listed = rangesOf(node);
  if (single !== '' && listed[0] !== single) spec.podCIDRs = [single];
  const first = rangesOf(node)[0];
  if (first !== undefined) spec.podCIDR = first;
}

/** Node configuration is obsolete: only nodes that have one may keep it. */
function dropConfig(node: Draft<Node>, old: Draft<Node> | null): void {
  if ((old?.spec?.configSource ?? null) === null) delete node.spec?.configSource;
  if ((old?.status?.config ?? null) === null) delete node.status?.config;
}

/** Unreserved capacity is allocatable. */
function setAllocatable(node: Draft<Node>): void {
  const status = statusOf(node);
  const capacity = objectAt(status, 'capacity');
  if (capacity !== null && (status.allocatable ?? null) === null) status.allocatable = { ...capacity };
}

const validateNodeTaints = (node: Draft<Node>): FieldError[] => validateTaints(objectsIn(specOf(node), 'taints'), taints);
const validateAnnotations = (node: Draft<Node>): FieldError[] => validateNodeAnnotations(node, validateTaints);

function validateTaints(list: readonly JsonObject[], listPath: Path): FieldError[] {
  const seen = new Set<string>();
  return list.flatMap((taint, position) => {
    const path = listPath.index(position);
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    const id = `${effect} ${key}`;
    const repeated = seen.has(id);
    seen.add(id);
    const problems = labelValueProblems(value);
    return [
      ...qualified(key, path.child('key')),
      ...(problems.length === 0 ? [] : [invalid(path.child('value'), value, problems.join(';'))]),
      ...(effect === ''
        ? [required(path.child('effect'), '')]
        : effects.includes(effect)
          ? []
          : [notSupported(path.child('effect'), effect, effects)]),
      ...(repeated ? [repeatedTaint(taint, path)] : []),
    ];
  });
}

function repeatedTaint(taint: JsonObject, path: Path): FieldError {
  const finding = duplicate(path, {
    Key: textAt(taint, 'key'),
    Value: textAt(taint, 'value'),
    Effect: textAt(taint, 'effect'),
    TimeAdded: taint.timeAdded ?? null,
  });
  return { ...finding, message: `${finding.message}: taints must be unique by key and effect pair` };
}

const validateAmounts = (node: Draft<Node>): FieldError[] =>
  (['capacity', 'allocatable'] as const).flatMap((member) =>
    Object.entries(objectAt(statusOf(node), member) ?? {}).flatMap(([name, amount]) => {
      const path = Path.of('status', member, name);
      return [
        ...nonNegativeQuantity(amount, path),
        ...(isWholeResource(name) && !isWhole(amount) ? [invalid(path, amount, 'must be an integer')] : []),
      ];
    }),
  );

function validateRanges(node: Draft<Node>): FieldError[] {
  const ranges = rangesOf(node);
  const families = ranges.map((range) => parseRange(range)?.family);
  const findings = ranges.flatMap((range, position) => cidr(range, rangesPath.index(position)));
  const malformed = ranges.findIndex((range) => !readsAsRange(range));
  if (ranges.length > 1 && malformed >= 0) findings.push(internalError(rangesPath, unreadableRange(malformed, ranges[malformed] ?? '')));
  else if (ranges.length < 2 || (ranges.length === 2 && families[0] !== families[1])) return findings;
  return [...findings, invalid(rangesPath, ranges, 'may specify no more than one CIDR for each IP family')];
}

/** Leading zeros do not make a range unreadable. */
const readsAsRange = (range: string): boolean => parseRange(withoutLeadingZeros(range)) !== null;
const unreadableRange = (position: number, range: string): string =>
  `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${position}]: <nil> (invalid CIDR address: ${range})`;

const validate = (node: Draft<Node>): FieldError[] => [
  ...validateAnnotations(node),
  ...validateNodeTaints(node),
  ...validateAmounts(node),
  ...validateDeclared(node),
  ...validateRanges(node),
];

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const featureCharactersMax = 253;
const featureForm =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

function validateDeclared(node: Draft<Node>): FieldError[] {
  const features = itemsOf(statusOf(node).declaredFeatures).map(String);
  return features.flatMap((feature, position) => {
    const [at, before] = [Path.of('status', 'declaredFeatures').index(position), features[position - 1] ?? ''];
    const isLong = Buffer.byteLength(feature) > featureCharactersMax;
    const fault = isLong ? `must be no more than ${featureCharactersMax} characters` : featureForm;
    return [
      ...(position > 0 && before === feature ? [duplicate(at, feature)] : []),
      ...(before > feature ? [invalid(at, feature, 'list must be sorted alphabetically')] : []),
      ...(!isLong && featureName.test(feature) ? [] : [invalid(at, feature, `invalid feature name ${quoted(feature)}: ${fault}`)]),
    ];
  });
}

/** Changes allowed in any update. */
function validateChange(node: Draft<Node>, old: Draft<Node>): FieldError[] {
  const [spec, before] = [specOf(node), specOf(old)];
  const provider = textAt(before, 'providerID');
  return [
    ...validateAnnotations(node),
    ...validateAmounts(node),
    ...validateDeclared(node),
    ...repeatedAddresses(node),
    ...changedRanges(rangesOf(node), rangesOf(old)),
    ...(provider !== '' && textAt(spec, 'providerID') !== provider
      ? [forbidden(Path.of('spec', 'providerID'), 'node updates may not change providerID except from "" to valid')]
      : []),
    ...validateNodeTaints(node),
    ...(textAt(spec, 'externalID') === textAt(before, 'externalID')
      ? []
      : [forbidden(Path.of('spec', 'externalID'), 'may not be updated')]),
  ];
}

function repeatedAddresses(node: Draft<Node>): FieldError[] {
  const addresses = objectsIn(statusOf(node), 'addresses').map((address) => ({
    Type: textAt(address, 'type'),
    Address: textAt(address, 'address'),
  }));
  const isRepeated = repeats(addresses.map(({ Type, Address }) => `${Type}\n${Address}`));
  return addresses.flatMap((address, position) =>
    isRepeated(position) ? [duplicate(Path.of('status', 'addresses').index(position), address)] : [],
  );
}

function changedRanges(now: readonly string[], old: readonly string[]): FieldError[] {
  if (old.length === 0) return [];
  const finding = forbidden(rangesPath, 'node updates may not change podCIDR except from "" to valid');
  return old.length === now.length ? old.filter((range, position) => range !== now[position]).map(() => finding) : [finding];
}

const roleLabel = 'node-role.kubernetes.io/';

function nodeRoles(node: Draft<Node>): string {
  const labels = node.metadata.labels ?? {};
  const roles = Object.keys(labels)
    .filter((key) => key.startsWith(roleLabel))
    .map((key) => key.slice(roleLabel.length))
    .filter((role) => role !== '');
  const named = labels['kubernetes.io/role'];
  return [...new Set(named === undefined || named === '' ? roles : [...roles, named])].sort().join(',') || none;
}

function nodeStatus(node: Draft<Node>): string {
  const ready = condition(node, 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return memberAt(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

const nodeAddress = (node: Draft<Node>, type: string): string =>
  textAt(
    itemsOf(memberAt(node, 'status', 'addresses')).find((address) => textAt(address, 'type') === type),
    'address',
  ) || none;

function kernelVersion(node: Draft<Node>): string {
  const [version, architecture] = [textAt(node, 'status', 'nodeInfo', 'kernelVersion'), textAt(node, 'status', 'nodeInfo', 'architecture')];
  return version === '' ? '<unknown>' : architecture === '' ? version : `${version} (${architecture})`;
}

export const nodes: Kind<Draft<Node>> = {
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
    ...itemsOf(specOf(node).podCIDRs).flatMap((range, position) => rangeWarnings(String(range), `spec.podCIDRs[${position}]`)),
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
