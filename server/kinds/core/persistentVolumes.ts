import type { PersistentVolume, PersistentVolumeSpec } from '../../../api/types/core/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { differenceOf } from '../../registry/validation/difference.js';
import { forbidden, invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { whileOff } from '../../registry/validation/gatedFindings.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { printedStructure } from '../../registry/validation/internalform.js';
import { at, unset } from '../cells.js';
import { gate } from '../gated.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';
import { withNewLabels } from './persistentVolume/affinity.js';
import { affinityForm, sourceForm } from './persistentVolume/printed.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';
import { volumeSpec } from './persistentVolume/spec.js';
import { setSourceDefaults } from '../../../api/pods/volumeDefaults.js';
import { deprecatedNodeLabel } from './podSpec/warnings/placement.js';
import { accessModes, terminatingOr } from './volumeCells.js';

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

function validateMountOptions(volume: Draft<PersistentVolume>): FieldError[] {
  if (
    volume.metadata.annotations?.[mountAnnotation] === undefined ||
    withMountOptions.some((name) => objectAt(specOf(volume), name) !== null)
  )
    return [];
  return [forbidden(Path.of('metadata', 'annotations', mountAnnotation), 'may not specify mount options for this volume type')];
}

const validateSpec = (volume: Draft<PersistentVolume>): Found => volumeSpec(volume.metadata.name ?? '')(specOf(volume), specPath, null);

/** A volume's node affinity may be set later, once. */
function validateChange(volume: Draft<PersistentVolume>, old: Draft<PersistentVolume>): FieldError[] {
  const [spec, before] = [specOf(volume), specOf(old)];
  return [
    ...validateSameSource(withoutNewExpandSecret(spec, before), before),
    ...unchanged(spec.volumeMode, before.volumeMode, Path.of('volumeMode'), spec.volumeMode ?? null),
    ...whileOff('MutablePVNodeAffinity', validateSameAffinity(objectAt(spec, 'nodeAffinity'), objectAt(before, 'nodeAffinity'))),
    ...(before.volumeAttributesClassName != null && spec.volumeAttributesClassName == null
      ? [forbidden(specPath.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden')]
      : []),
  ];
}

function validateSameSource(spec: Writable<PersistentVolumeSpec>, before: Writable<PersistentVolumeSpec>): FieldError[] {
  const [shown, shownBefore] = [printedStructure(spec, sourceForm), printedStructure(before, sourceForm)];
  if (sameValue(shown, shownBefore)) return [];
  return [
    forbidden(
      specPath.child('persistentvolumesource'),
      `spec.persistentvolumesource is immutable after creation\n${differenceOf(shownBefore, shown)}`,
    ),
  ];
}

/** A node affinity may be added later, and labels be renamed to their stable names. */
function validateSameAffinity(affinity: JsonObject | null, before: JsonObject | null): FieldError[] {
  if (before === null || (affinity !== null && sameValue(affinity, withNewLabels(before, affinity)))) return [];
  const shown = affinity === null ? null : printedStructure(affinity, affinityForm);
  return [invalid(Path.of('nodeAffinity'), shown, 'field is immutable, except for updating from beta label to GA')];
}

/** A secret for expansion may be added. */
function withoutNewExpandSecret(spec: Writable<PersistentVolumeSpec>, before: Writable<PersistentVolumeSpec>): JsonObject {
  const [csi, old] = [objectAt(spec, 'csi'), objectAt(before, 'csi')];
  if (csi === null || old === null || objectAt(old, 'controllerExpandSecretRef') !== null) return spec;
  const { controllerExpandSecretRef: _added, ...rest } = csi;
  return { ...spec, csi: rest };
}

/** Sources without any implementation left. */
const gone: Partial<Record<keyof PersistentVolumeSpec, string>> = {
  cephfs: 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
  rbd: 'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
};

function warnings(volume: Draft<PersistentVolume>): string[] {
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
    ...Object.entries(gone)
      .filter(([name]) => objectAt(spec, name as keyof typeof gone) !== null)
      .map(([, text]) => text),
  ];
}

const affinityWarnings = (spec: Writable<PersistentVolumeSpec>): string[] =>
  objectsIn(objectAt(objectAt(spec, 'nodeAffinity') ?? {}, 'required') ?? {}, 'nodeSelectorTerms').flatMap((term, position) =>
    objectsIn(term, 'matchExpressions').flatMap((requirement, index) => {
      const text = deprecatedNodeLabel(textAt(requirement, 'key'));
      return text === null
        ? []
        : [
            `spec.nodeAffinity.required.nodeSelectorTerms[${position}].matchExpressions[${index}].key: ${textAt(requirement, 'key')} is ${text}`,
          ];
    }),
  );

export const persistentVolumes: Kind<Draft<PersistentVolume>> = {
  name: 'persistentvolumes',
  gated: [gate('VolumeAttributesClass', 'spec.volumeAttributesClassName')],
  defaults(volume) {
    const spec = ensureObject(volume, 'spec');
    setTextDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    setDefault(spec, 'volumeMode', 'Filesystem');
    setSourceDefaults(spec);
    const azure = objectAt(spec, 'azureFile');
    if (azure !== null) setDefault<JsonObject, 'secretNamespace'>(azure, 'secretNamespace', null);
  },
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
        const [now, before] = [ensureObject(volume, 'status'), membersOf(old.status)];
        setTextDefault(now, 'phase', 'Pending');
        // The server records phase changes, unless the writer does.
        const [time, timeBefore] = [textAt(now, 'lastPhaseTransitionTime'), textAt(before, 'lastPhaseTransitionTime')];
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
    Claim: (volume) =>
      memberAt(volume, 'spec', 'claimRef') === undefined
        ? ''
        : `${textAt(volume, 'spec', 'claimRef', 'namespace')}/${textAt(volume, 'spec', 'claimRef', 'name')}`,
    StorageClass: at('spec.storageClassName', ''),
    VolumeAttributesClass: at('spec.volumeAttributesClassName', unset),
    Reason: at('status.reason', ''),
    VolumeMode: at('spec.volumeMode', unset),
  },
};
