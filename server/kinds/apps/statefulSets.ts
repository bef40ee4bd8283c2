import type * as v1 from '../../../api/types/apps/v1.js';
import type * as coreV1 from '../../../api/types/core/v1.js';
import type { IntOrString } from '../../../api/types/machinery.js';
import type { LabelSelector } from '../../../api/selectors/index.js';
import type { EnabledFeatures } from '../../../program/features/gates.js';
import {
  all,
  below,
  byDefault,
  completed,
  created,
  dnsLabel,
  dnsLabelName,
  each,
  ensureObject,
  forbidden,
  gate,
  hasNewGeneration,
  inOrder,
  insteadOfZero,
  invalid,
  isSet,
  itemsOf,
  joinedAt,
  members,
  nonNegative,
  nonZero,
  objectRules,
  objectsIn,
  oneOf,
  optional,
  Path,
  printedAs,
  sameValue,
  setDefault,
  specOf,
  textAt,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type ObjectRules,
  type Rule,
  type Writable,
} from '../language.js';
import { amountOf, atMostWhole, intOrPercent } from '../../registry/validation/intOrPercent.js';
import { claimSpec, pendingClaim } from '../core/persistentVolumeClaim/validation.js';
import { endlessRun, selectorOf, validateSelected } from '../core/podSpec/controlledTemplate.js';
import { podTemplateDefaults, validatePodTemplate, validateTemplateDescription } from '../core/podSpec/template.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';
import { claimSpecWarnings } from '../core/podSpec/warnings/volumes.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { workloadSelector } from './selector.js';
import { availableAreReady, count, counter, countsWithin } from './statusCounts.js';

type Spec = Writable<v1.StatefulSetSpec>;
type Template = Writable<coreV1.PodTemplateSpec>;
type Strategy = Writable<v1.StatefulSetUpdateStrategy>;

const specPath = Path.of('spec');
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

function setStrategyDefaults(strategy: Strategy): void {
  if ((strategy.type ?? '') === '') {
    strategy.type = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const { type, rollingUpdate } = strategy;
  if (type === 'RollingUpdate' && rollingUpdate !== undefined) setDefault(rollingUpdate, 'partition', 0);
}

/** Claims in templates have a kind and a status, whatever they state. */
function setKind(claim: Writable<coreV1.PersistentVolumeClaim>): void {
  claim.apiVersion = 'v1';
  claim.kind = 'PersistentVolumeClaim';
}

/** Always one, unstated, while the feature is off. */
function setMaxUnavailable(set: Draft<v1.StatefulSet>, enabled: EnabledFeatures): void {
  const rolling = set.spec?.updateStrategy?.rollingUpdate;
  if (rolling !== undefined && enabled('MaxUnavailableStatefulSet')) setDefault(rolling, 'maxUnavailable', 1);
}

const eitherOr =
  (one: string, other: string): Rule<string | undefined> =>
  (value, path) =>
    value === one || value === other ? [] : [invalid(path, value, `must be '${one}' or '${other}'`)];

function asInPods(template: Template, { volumeClaimTemplates }: Spec): Template {
  const claimed = new Set(itemsOf(volumeClaimTemplates).map(({ metadata }) => metadata?.name ?? ''));
  const { hostname: _hostname, subdomain: _subdomain, ...pod } = specOf(template);
  const others = itemsOf(pod.volumes).filter(({ name = '' }) => !claimed.has(name));
  const volumes = [...claimed].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...pod, volumes: [...others, ...volumes] } };
}

const endless = endlessRun('StatefulSet');

function template(given: Template | undefined, path: Path, spec: Spec): Found {
  const [selector, pods] = [selectorOf(spec.selector), given ?? {}];
  const ofSelected = (parsed: LabelSelector): Found =>
    inOrder(
      validateSelected(pods, parsed, path),
      // The reference checks labels and annotations twice.
      validateTemplateDescription(pods, path),
      validatePodTemplate(asInPods(pods, spec), path),
    );
  return inOrder(selector === null ? [] : ofSelected(selector), endless(pods, path, spec));
}

const isSome = (amount: IntOrString, path: Path): FieldError[] => (amountOf(amount) === 0 ? [invalid(path, amount, 'cannot be 0')] : []);
const rolling = members<v1.RollingUpdateStatefulSetStrategy>({
  partition: count,
  maxUnavailable: optional(intOrPercent, isSome, atMostWhole),
});

function updateStrategy(strategy: Strategy, path: Path): Found {
  const { type, rollingUpdate } = strategy;
  const at = path.child('rollingUpdate');
  if (type === 'RollingUpdate') return rolling(rollingUpdate, at, null);
  if (type === 'OnDelete')
    return isSet(rollingUpdate)
      ? [
          invalid(
            at,
            printedAs('apps.v1.RollingUpdateStatefulSetStrategy', rollingUpdate),
            "only allowed for updateStrategy 'RollingUpdate'",
          ),
        ]
      : [];
  return [invalid(path, printedAs('apps.v1.StatefulSetUpdateStrategy', strategy), "must be 'RollingUpdate' or 'OnDelete'")];
}

const retention = insteadOfZero(retain, oneOf(retain, 'Delete'));
/** Immutable members are checked on create only. */
const fixedMembers = members<v1.StatefulSetSpec>({
  serviceName: nonZero(dnsLabel),
  volumeClaimTemplates: each(
    completed(setKind),
    members<coreV1.PersistentVolumeClaim>({ spec: created(claimSpec), status: created(pendingClaim) }),
  ),
});

const rules = (ofFixed: Rule<Spec | null | undefined>): ObjectRules<v1.StatefulSet> =>
  objectRules<v1.StatefulSet>({
    spec: created<Spec>(
      members<v1.StatefulSetSpec>({ template: podTemplateDefaults }),
      members<v1.StatefulSetSpec>({
        podManagementPolicy: insteadOfZero('OrderedReady', eitherOr('OrderedReady', 'Parallel')),
        updateStrategy: created(completed(setStrategyDefaults), updateStrategy),
        persistentVolumeClaimRetentionPolicy: created(
          members<v1.StatefulSetPersistentVolumeClaimRetentionPolicy>({ whenDeleted: retention, whenScaled: retention }),
        ),
        replicas: byDefault(1, nonNegative),
        revisionHistoryLimit: byDefault(10),
        minReadySeconds: count,
        ordinals: members<v1.StatefulSetOrdinals>({ start: count }),
      }),
      ofFixed,
      members<v1.StatefulSetSpec>({ selector: workloadSelector('empty selector is invalid for statefulset', ''), template }),
    ),
  });
const validate = { created: rules(fixedMembers), changed: rules(() => []) };

function validateFixed(set: Draft<v1.StatefulSet>, old: Draft<v1.StatefulSet>): FieldError[] {
  const fixedPart = (spec: Spec): Spec => Object.fromEntries(Object.entries(spec).filter(([member]) => !changeable.includes(member)));
  return sameValue(fixedPart(specOf(set)), fixedPart(specOf(old))) ? [] : [forbidden(specPath, fixed)];
}

const validateStatus = objectRules<v1.StatefulSet>({
  status: all<Writable<v1.StatefulSetStatus> | undefined>(
    members<v1.StatefulSetStatus>({
      replicas: count,
      readyReplicas: count,
      currentReplicas: count,
      updatedReplicas: count,
      availableReplicas: count,
      observedGeneration: count,
      collisionCount: count,
    }),
    countsWithin<v1.StatefulSetStatus>('replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'),
    availableAreReady('status.'),
  ),
});

function warningsOf(set: Draft<v1.StatefulSet>): string[] {
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

export const statefulSets: Kind<Draft<v1.StatefulSet>> = {
  name: 'statefulsets.apps',
  gated: [below('spec.template.spec', podSpecGates), gate('MaxUnavailableStatefulSet', 'spec.updateStrategy.rollingUpdate.maxUnavailable')],
  metadata: { generationOf: ['spec'], name: dnsLabelName },
  defaults: validate.created.defaults,
  prepare: (set, _old, { enabled }) => {
    setMaxUnavailable(set, enabled);
  },
  validate: validate.created,
  warnings: (set, old) => (hasNewGeneration(set, old) ? warningsOf(set) : []),
  create: {
    status: { replicas: 0, availableReplicas: 0 },
  },
  update: {
    review: [validate.changed, 'objectMetaUpdate', validateFixed],
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
