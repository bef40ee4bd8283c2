import type { StatefulSet, StatefulSetSpec } from '../../../api/types/apps/v1.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { EnabledFeatures } from '../../../program/features/fieldGates.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import { amountOf, atMostWhole, intOrPercent } from '../../registry/validation/intorpercent.js';
import { dnsLabelName } from '../../registry/validation/names.js';
import { dnsLabel, nonNegative } from '../../registry/validation/values.js';
import { joinedAt } from '../cells.js';
import { validateClaimSpec } from '../core/persistentVolumeClaim/validation.js';
import { selectorOf, validateEndlessRun, validateSelected } from '../core/podSpec/controlledTemplate.js';
import { setPodTemplateDefaults, validatePodTemplate, validateTemplateDescription } from '../core/podSpec/template.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';
import { claimSpecWarnings } from '../core/podSpec/warnings/volumes.js';
import { roundResources } from '../../../api/resourceLists.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { below, gate } from '../gated.js';
import { hasNewGeneration } from '../warnings.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { validateWorkloadSelector } from './selector.js';
import { countsWithin, counter, nonNegativeMembers } from './statusCounts.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const retain = 'Retain';
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const fixed =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' " +
  "and 'minReadySeconds' are forbidden";

function setDefaults(set: Draft<StatefulSet>): void {
  const spec = ensureObject(set, 'spec');
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  setTextDefault(spec, 'podManagementPolicy', 'OrderedReady');
  setStrategyDefaults(ensureObject(spec, 'updateStrategy'));
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  setTextDefault(retention, 'whenDeleted', retain);
  setTextDefault(retention, 'whenScaled', retain);
  setDefault(spec, 'replicas', 1);
  setDefault(spec, 'revisionHistoryLimit', 10);
  for (const claim of objectsIn(spec, 'volumeClaimTemplates')) setClaimDefaults(claim);
}

function setStrategyDefaults(strategy: JsonObject): void {
  if (textAt(strategy, 'type') === '') {
    strategy.type = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (strategy.type === 'RollingUpdate' && rolling !== null) setDefault(rolling, 'partition', 0);
}

/** Claims in templates have a kind and a status, whatever they state. */
function setClaimDefaults(claim: JsonObject): void {
  claim.apiVersion = 'v1';
  claim.kind = 'PersistentVolumeClaim';
  const spec = ensureObject(claim, 'spec');
  setDefault(spec, 'volumeMode', 'Filesystem');
  roundResources(objectAt(spec, 'resources'));
  setTextDefault(ensureObject(claim, 'status'), 'phase', 'Pending');
}

/** Always one, unstated, while the feature is off. */
function setMaxUnavailable(set: Draft<StatefulSet>, enabled: EnabledFeatures): void {
  const rolling = objectAt(objectAt(specOf(set), 'updateStrategy') ?? {}, 'rollingUpdate');
  if (rolling !== null && enabled('MaxUnavailableStatefulSet')) setDefault(rolling, 'maxUnavailable', 1);
}

/** Immutable members are checked on create only. */
function validateSpec(set: Draft<StatefulSet>, isNew: boolean): Found {
  const spec = specOf(set);
  const serviceName = textAt(spec, 'serviceName');
  const template = objectAt(spec, 'template') ?? {};
  const selector = selectorOf(spec.selector);
  return inOrder(
    eitherOr(spec.podManagementPolicy, ['OrderedReady', 'Parallel'], specPath.child('podManagementPolicy')),
    validateStrategy(objectAt(spec, 'updateStrategy') ?? {}, specPath.child('updateStrategy')),
    validateRetention(objectAt(spec, 'persistentVolumeClaimRetentionPolicy') ?? {}, specPath.child('persistentVolumeClaimRetentionPolicy')),
    nonNegativeMembers(spec, ['replicas', 'minReadySeconds'], specPath),
    nonNegative(memberAt(spec, 'ordinals', 'start'), specPath.child('ordinals', 'start')),
    serviceName === '' || !isNew ? [] : dnsLabel(serviceName, specPath.child('serviceName')),
    ofEach(isNew ? objectsIn(spec, 'volumeClaimTemplates') : [], (claim, position) =>
      validateClaimSpec(specOf(claim), specPath.child('volumeClaimTemplates').index(position).child('spec')),
    ),
    validateWorkloadSelector(spec, specPath.child('selector'), selector, {
      empty: 'empty selector is invalid for statefulset',
      broken: '',
      required: true,
    }),
    selector === null
      ? []
      : inOrder(
          validateSelected(template, selector, specPath.child('template')),
          // The reference checks labels and annotations twice.
          validateTemplateDescription(template, specPath.child('template')),
          validatePodTemplate(asInPods(template, spec), specPath.child('template')),
        ),
    validateEndlessRun(specOf(template), 'StatefulSet', specPath.child('template', 'spec')),
  );
}

const eitherOr = (value: JsonValue | undefined, allowed: readonly [string, string], path: Path): FieldError[] =>
  allowed.some((each) => each === value) ? [] : [invalid(path, value, `must be '${allowed[0]}' or '${allowed[1]}'`)];

function asInPods(template: JsonObject, spec: Writable<StatefulSetSpec>): JsonObject {
  const claimed = new Set(objectsIn(spec, 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name')));
  const { hostname: _hostname, subdomain: _subdomain, ...pod } = specOf(template);
  const others = objectsIn(pod, 'volumes').filter((volume) => !claimed.has(textAt(volume, 'name')));
  const volumes = [...claimed].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...pod, volumes: [...others, ...volumes] } };
}

const validateMaxUnavailable = (amount: JsonValue, path: Path): FieldError[] =>
  amount === null
    ? []
    : [
        ...intOrPercent(amount, path),
        ...(amountOf(amount) === 0 ? [invalid(path, amount, 'cannot be 0')] : []),
        ...atMostWhole(amount, path),
      ];

const printedRolling = (rolling: JsonObject | null): JsonObject | null =>
  rolling === null ? null : { Partition: rolling.partition ?? 0, MaxUnavailable: rolling.maxUnavailable ?? null };

function validateStrategy(strategy: JsonObject, path: Path): FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  const at = path.child('rollingUpdate');
  if (strategy.type === 'OnDelete')
    return rolling === null ? [] : [invalid(at, printedRolling(rolling), "only allowed for updateStrategy 'RollingUpdate'")];
  if (strategy.type === 'RollingUpdate')
    return [
      ...nonNegative(rolling?.partition, at.child('partition')),
      ...validateMaxUnavailable(rolling?.maxUnavailable ?? null, at.child('maxUnavailable')),
    ];
  return [invalid(path, { Type: strategy.type, RollingUpdate: printedRolling(rolling) }, "must be 'RollingUpdate' or 'OnDelete'")];
}

const validateRetention = (policy: JsonObject, path: Path): FieldError[] =>
  ['whenDeleted', 'whenScaled'].flatMap((member) =>
    [retain, 'Delete'].includes(textAt(policy, member)) ? [] : [notSupported(path.child(member), policy[member], [retain, 'Delete'])],
  );

function validateFixed(set: Draft<StatefulSet>, old: Draft<StatefulSet>): FieldError[] {
  const fixedPart = (spec: Writable<StatefulSetSpec>): JsonObject =>
    Object.fromEntries(Object.entries(spec).filter(([member]) => !changeable.includes(member)));
  return sameValue(fixedPart(specOf(set)), fixedPart(specOf(old))) ? [] : [forbidden(specPath, fixed)];
}

const statusCounts = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
];

function validateStatus(set: Draft<StatefulSet>): FieldError[] {
  const status = statusOf(set);
  const [available, ready] = [Number(status.availableReplicas ?? 0), Number(status.readyReplicas ?? 0)];
  return [
    ...nonNegativeMembers(status, statusCounts, statusPath),
    ...countsWithin(status, ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'], 'replicas', statusPath),
    ...(available > ready
      ? [invalid(statusPath.child('availableReplicas'), available, 'cannot be greater than status.readyReplicas')]
      : []),
  ];
}

function warningsOf(set: Draft<StatefulSet>): string[] {
  const spec = specOf(set);
  return [
    ...templateWarnings(spec.template, specPath.child('template')),
    ...objectsIn(spec, 'volumeClaimTemplates').flatMap((claim, position) =>
      claimSpecWarnings(specOf(claim), specPath.child('volumeClaimTemplates').index(position)),
    ),
    ...(Number(spec.revisionHistoryLimit ?? 0) < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ];
}

export const statefulSets: Kind<Draft<StatefulSet>> = {
  name: 'statefulsets.apps',
  gated: [below('spec.template.spec', podSpecGates), gate('MaxUnavailableStatefulSet', 'spec.updateStrategy.rollingUpdate.maxUnavailable')],
  metadata: { generationOf: ['spec'], name: dnsLabelName },
  defaults: setDefaults,
  prepare: (set, _old, { enabled }) => {
    setMaxUnavailable(set, enabled);
  },
  validate: (set) => validateSpec(set, true),
  warnings: (set, old) => (hasNewGeneration(set, old) ? warningsOf(set) : []),
  create: {
    status: { replicas: 0, availableReplicas: 0 },
  },
  update: {
    review: [(set) => validateSpec(set, false), 'objectMetaUpdate', validateFixed],
  },
  subresources: {
    status: {
      review: [validateStatus, 'objectMetaUpdate', counter('status.collisionCount')],
    },
  },
  cells: {
    Ready: (object) => `${textAt(object, 'status', 'readyReplicas') || 0}/${textAt(object, 'spec', 'replicas') || 0}`,
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
  },
};
