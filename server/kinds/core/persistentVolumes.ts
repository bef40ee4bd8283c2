import type * as v1 from '../../../api/types/core/v1.js';
import {
  at,
  ensureObject,
  forbidden,
  gate,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  memberAt,
  objectRulesWith,
  Path,
  printedAs,
  sameValue,
  setTextDefault,
  specOf,
  statusOf,
  textAt,
  unchanged,
  unset,
  whileOff,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Writable,
} from '../language.js';
import { differenceOf } from '../../registry/validation/difference.js';
import { withNewLabels } from './persistentVolume/affinity.js';
import { volumeSpec } from './persistentVolume/spec.js';
import { deprecatedNodeLabel } from './podSpec/warnings/placement.js';
import { accessModes, terminatingOr } from './volumeCells.js';

type Spec = Writable<v1.PersistentVolumeSpec>;

const specPath = Path.of('spec');
export const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const mountAnnotation = 'volume.beta.kubernetes.io/mount-options';

const withMountOptions = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

function validateMountOptions(volume: Draft<v1.PersistentVolume>): FieldError[] {
  if (volume.metadata.annotations?.[mountAnnotation] === undefined || withMountOptions.some((name) => isSet(specOf(volume)[name])))
    return [];
  return [forbidden(Path.of('metadata', 'annotations', mountAnnotation), 'may not specify mount options for this volume type')];
}

const rules = objectRulesWith<v1.PersistentVolume, { name: string }>({ spec: volumeSpec });
const validateSpec = (volume: Draft<v1.PersistentVolume>): Found => rules(volume, { name: volume.metadata.name ?? '' });

/** A volume's node affinity may be set later, once. */
function validateChange(volume: Draft<v1.PersistentVolume>, old: Draft<v1.PersistentVolume>): FieldError[] {
  const [spec, before] = [specOf(volume), specOf(old)];
  return [
    ...validateSameSource(withoutNewExpandSecret(spec, before), before),
    ...unchanged(spec.volumeMode, before.volumeMode, Path.of('volumeMode')),
    ...whileOff('MutablePVNodeAffinity', validateSameAffinity(spec, before)),
    ...(isSet(before.volumeAttributesClassName) && !isSet(spec.volumeAttributesClassName)
      ? [forbidden(specPath.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden')]
      : []),
  ];
}

function validateSameSource(spec: Spec, before: Spec): FieldError[] {
  const [shown, shownBefore] = [printedAs('core.v1.PersistentVolumeSource', spec), printedAs('core.v1.PersistentVolumeSource', before)];
  if (sameValue(shown, shownBefore)) return [];
  return [
    forbidden(
      specPath.child('persistentvolumesource'),
      `spec.persistentvolumesource is immutable after creation\n${differenceOf(shownBefore, shown)}`,
    ),
  ];
}

/** A node affinity may be added later, and labels be renamed to their stable names. */
function validateSameAffinity({ nodeAffinity: affinity }: Spec, { nodeAffinity: before }: Spec): FieldError[] {
  if (!isSet(before) || (isSet(affinity) && sameValue(affinity, withNewLabels(before, affinity)))) return [];
  const shown = isSet(affinity) ? printedAs('core.v1.VolumeNodeAffinity', affinity) : null;
  return [invalid(Path.of('nodeAffinity'), shown, 'field is immutable, except for updating from beta label to GA')];
}

/** A secret for expansion may be added. */
function withoutNewExpandSecret(spec: Spec, { csi: old }: Spec): Spec {
  if (!isSet(spec.csi) || !isSet(old) || isSet(old.controllerExpandSecretRef)) return spec;
  const { controllerExpandSecretRef: _added, ...rest } = spec.csi;
  return { ...spec, csi: rest };
}

/** Sources without any implementation left. */
const gone: readonly (readonly [member: keyof Spec, text: string])[] = [
  ['cephfs', 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'spec.rbd: deprecated in v1.28, non-functional in v1.31+'],
];

function warnings(volume: Draft<v1.PersistentVolume>): string[] {
  const spec = specOf(volume);
  const annotated = (name: string, text: string): string[] =>
    volume.metadata.annotations?.[name] === undefined ? [] : [`metadata.annotations[${name}]: ${text}`];
  return [
    ...annotated(classAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'),
    ...annotated(mountAnnotation, 'deprecated since v1.31; use "mountOptions" attribute instead'),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...affinityWarnings(spec),
    ...gone.flatMap(([name, text]) => (isSet(spec[name]) ? [text] : [])),
  ];
}

const affinityWarnings = ({ nodeAffinity }: Spec): string[] =>
  itemsOf(nodeAffinity?.required?.nodeSelectorTerms).flatMap((term, position) =>
    itemsOf(term.matchExpressions).flatMap(({ key = '' }, index) => {
      const text = deprecatedNodeLabel(key);
      return text === null
        ? []
        : [`spec.nodeAffinity.required.nodeSelectorTerms[${position}].matchExpressions[${index}].key: ${key} is ${text}`];
    }),
  );

export const persistentVolumes: Kind<Draft<v1.PersistentVolume>> = {
  name: 'persistentvolumes',
  gated: [gate('VolumeAttributesClass', 'spec.volumeAttributesClassName')],
  defaults: rules.defaults,
  validate: (volume) => inOrder(validateSpec(volume), validateMountOptions(volume)),
  warnings,
  create: {
    prepare(volume, context) {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: context.now };
    },
  },
  update: {
    // The object checks are reported twice.
    review: ['objectMeta', validateSpec, validateMountOptions, 'objectMeta', validateSpec, validateChange],
  },
  subresources: {
    status: {
      prepare(volume, old, context) {
        const [now, before] = [ensureObject(volume, 'status'), statusOf(old)];
        setTextDefault(now, 'phase', 'Pending');
        // The server records phase changes, unless the writer does.
        const [time, timeBefore] = [now, before].map(({ lastPhaseTransitionTime }) => lastPhaseTransitionTime ?? '');
        if (now.phase !== before.phase && (time === '' || time === timeBefore)) now.lastPhaseTransitionTime = context.now;
        if (now.phase === before.phase && time === '' && timeBefore !== '') now.lastPhaseTransitionTime = timeBefore;
      },
    },
  },
  delete: { answers: 'object' },
  cells: {
    Capacity: at('spec.capacity.storage', ''),
    'Access Modes': (volume) => accessModes(memberAt(volume, 'spec', 'accessModes')),
    'Reclaim Policy': at('spec.persistentVolumeReclaimPolicy', ''),
    Status: (volume) => terminatingOr(volume, textAt(volume, 'status', 'phase')),
    Claim: ({ spec }) => (isSet(spec?.claimRef) ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : ''),
    StorageClass: at('spec.storageClassName', ''),
    VolumeAttributesClass: at('spec.volumeAttributesClassName', unset),
    Reason: at('status.reason', ''),
    VolumeMode: at('spec.volumeMode', unset),
  },
};
