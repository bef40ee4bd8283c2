import type { ApiObject, JsonObject } from '../../api/object.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../defaulting.js';
import { sameValue } from '../equality.js';
import { itemsOf, membersOf, textAt } from '../members.js';
import type { Strategy } from '../strategy.js';
import { differenceOf } from '../validation/difference.js';
import { forbidden, invalid, notSupported, Path, required, type FieldError } from '../validation/field.js';
import { printedMap } from '../validation/printed.js';
import { isNegative, isZero, wholeValue } from '../validation/quantities.js';
import { dnsSubdomain } from '../validation/values.js';
import { validateAccessModes } from './accessModes.js';
import { presentSources, printedSources, validateVolumeSources } from './persistentvolume/sources.js';
import { validateNodeSelector } from './podspec/validation/scheduling.js';
import { setSourceDefaults } from './podspec/volumedefaults.js';
import { deprecatedNodeLabel } from './podspec/warnings/placement.js';

const SPEC = Path.of('spec');
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
export const VOLUME_MODES = ['Block', 'Filesystem'];
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const MOUNT_ANNOTATION = 'volume.beta.kubernetes.io/mount-options';

const specOf = (volume: ApiObject): JsonObject => objectAt(volume, 'spec') ?? {};

/** A size that is no size; the amount is shown as a number of bytes. */
export const validateBytes = (amount: JsonObject[string], path: Path): FieldError[] => (isNegative(amount) ? [invalid(path, Number(wholeValue(amount)), 'must be a valid resource quantity')] : []);

function validateCapacity(spec: JsonObject, path: Path): FieldError[] {
  const capacity = objectAt(spec, 'capacity');
  const names = Object.keys(capacity ?? {});
  const shown = capacity === null ? null : names.length === 0 ? {} : printedMap(capacity);
  return [
    ...(names.length === 0 ? [required(path, '')] : []),
    ...(names.length === 1 && names[0] === 'storage' ? [] : [notSupported(path, shown, ['storage'])]),
    ...Object.entries(capacity ?? {}).flatMap(([name, amount]) => [
      ...validateBytes(amount, path.key(name)),
      ...(isNegative(amount) || isZero(amount) ? [invalid(path.key(name), amount, 'must be greater than zero')] : []),
    ]),
  ];
}

function validateNodeAffinity(spec: JsonObject, path: Path): FieldError[] {
  const affinity = objectAt(spec, 'nodeAffinity');
  if (affinity === null) return [];
  const needed = objectAt(affinity, 'required');
  return needed === null ? [required(path.child('required'), 'must specify required node constraints')] : validateNodeSelector(needed, path.child('required'));
}

/** A recycler empties the volume: not the root of a machine, please. */
function validateRecycling(spec: JsonObject, path: Path): FieldError[] {
  const where = textAt(spec, 'hostPath', 'path');
  const isRoot = where.startsWith('/') && where.split('/').every(part => part === '' || part === '.' || part === '..');
  return isRoot && spec['persistentVolumeReclaimPolicy'] === 'Recycle' ? [forbidden(path, 'may not be \'recycle\' for a hostPath mount of \'/\'')] : [];
}

export const validateClassName = (name: string, path: Path): FieldError[] => (name === '' ? [] : dnsSubdomain(name, path));

export const validateVolumeMode = (spec: JsonObject, path: Path): FieldError[] =>
  (spec['volumeMode'] == null || VOLUME_MODES.includes(String(spec['volumeMode'])) ? [] : [notSupported(path, spec['volumeMode'], VOLUME_MODES)]);

function validateAttributesClass(spec: JsonObject, path: Path): FieldError[] {
  const name = spec['volumeAttributesClassName'] ?? null;
  if (name === null) return [];
  return [
    ...(name === '' ? [required(path, 'an empty string is disallowed')] : dnsSubdomain(String(name), path)),
    ...(objectAt(spec, 'csi') === null ? [required(SPEC.child('csi'), 'has to be specified when using volumeAttributesClassName')] : []),
  ];
}

function validate(volume: ApiObject): FieldError[] {
  const spec = specOf(volume);
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const policyPath = SPEC.child('persistentVolumeReclaimPolicy');
  return [
    ...(itemsOf(spec['accessModes']).length === 0 ? [required(SPEC.child('accessModes'), '')] : []),
    ...validateAccessModes(spec, SPEC.child('accessModes')),
    ...validateCapacity(spec, SPEC.child('capacity')),
    ...(policy === '' || RECLAIM_POLICIES.includes(policy) ? [] : [notSupported(policyPath, policy, RECLAIM_POLICIES)]),
    ...validateNodeAffinity(spec, SPEC.child('nodeAffinity')),
    ...validateVolumeSources(spec, SPEC),
    ...validateRecycling(spec, policyPath),
    ...validateClassName(textAt(spec, 'storageClassName'), SPEC.child('storageClassName')),
    ...validateVolumeMode(spec, SPEC.child('volumeMode')),
    ...validateAttributesClass(spec, SPEC.child('volumeAttributesClassName')),
  ];
}

/** A volume stays what it is; where it can be used may be said later, once. */
function validateChange(volume: ApiObject, old: ApiObject): FieldError[] {
  const [spec, before] = [specOf(volume), specOf(old)];
  const immutable = (member: string): FieldError[] => (sameValue(spec[member] ?? null, before[member] ?? null) ? [] : [invalid(Path.of(member), spec[member] ?? null, 'field is immutable')]);
  return [
    ...validateSameSource(withoutNewExpandSecret(spec, before), before),
    ...immutable('volumeMode'),
    ...(objectAt(before, 'nodeAffinity') === null ? [] : immutable('nodeAffinity')),
    ...(before['volumeAttributesClassName'] != null && spec['volumeAttributesClassName'] == null
      ? [forbidden(SPEC.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden')] : []),
  ];
}

function validateSameSource(spec: JsonObject, before: JsonObject): FieldError[] {
  const names = new Set([...presentSources(spec), ...presentSources(before)]);
  if ([...names].every(name => sameValue(spec[name] ?? null, before[name] ?? null))) return [];
  return [forbidden(SPEC.child('persistentvolumesource'), `spec.persistentvolumesource is immutable after creation\n${differenceOf(printedSources(before), printedSources(spec))}`)];
}

/** The secret for growing a volume may be added when there was none. */
function withoutNewExpandSecret(spec: JsonObject, before: JsonObject): JsonObject {
  const [csi, old] = [objectAt(spec, 'csi'), objectAt(before, 'csi')];
  if (csi === null || old === null || objectAt(old, 'controllerExpandSecretRef') !== null) return spec;
  const { controllerExpandSecretRef: _added, ...rest } = csi;
  return { ...spec, csi: rest };
}

/** Sources that nothing implements any more. */
const GONE: Readonly<Record<string, string>> = {
  cephfs: 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
  rbd: 'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
};

function warnings(volume: ApiObject): string[] {
  const spec = specOf(volume);
  const annotated = (name: string, text: string): string[] => (volume.metadata.annotations?.[name] === undefined ? [] : [`metadata.annotations[${name}]: ${text}`]);
  return [
    ...annotated(CLASS_ANNOTATION, 'deprecated since v1.8; use "storageClassName" attribute instead'),
    ...annotated(MOUNT_ANNOTATION, 'deprecated since v1.31; use "mountOptions" attribute instead'),
    ...(spec['persistentVolumeReclaimPolicy'] === 'Recycle'
      ? ['spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'] : []),
    ...affinityWarnings(spec),
    ...Object.entries(GONE).filter(([name]) => objectAt(spec, name) !== null).map(([, text]) => text),
  ];
}

const affinityWarnings = (spec: JsonObject): string[] => objectsIn(objectAt(objectAt(spec, 'nodeAffinity') ?? {}, 'required') ?? {}, 'nodeSelectorTerms').flatMap((term, position) =>
  objectsIn(term, 'matchExpressions').flatMap((requirement, index) => {
    const text = deprecatedNodeLabel(textAt(requirement, 'key'));
    return text === null ? [] : [`spec.nodeAffinity.required.nodeSelectorTerms[${position}].matchExpressions[${index}].key: ${textAt(requirement, 'key')} is ${text}`];
  }));

export const persistentVolumes: Strategy = {
  deleteAnswers: 'object',
  setDefaults(volume) {
    const spec = ensureObject(volume, 'spec');
    setTextDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    setDefault(spec, 'volumeMode', 'Filesystem');
    setSourceDefaults(spec);
    const azure = objectAt(spec, 'azureFile');
    if (azure !== null) setDefault(azure, 'secretNamespace', null);
  },
  prepareForCreate(volume, context) { volume['status'] = { phase: 'Pending', lastPhaseTransitionTime: context.now }; },
  prepareForUpdate(volume, old) { volume['status'] = old['status']; },
  validate,
  reviewUpdate: (volume, old, metadata) => [...metadata.update(), ...metadata.object(), ...validate(volume), ...validateChange(volume, old)],
  warnings,
  subresources: {
    status: {
      prepareForUpdate(volume, old, context) {
        volume['spec'] = old['spec'];
        const [now, before] = [ensureObject(volume, 'status'), membersOf(old['status'])];
        setTextDefault(now, 'phase', 'Pending');
        // The server notes when the phase changed, unless the writer does.
        if (now['phase'] !== before['phase'] && (now['lastPhaseTransitionTime'] ?? null) === (before['lastPhaseTransitionTime'] ?? null)) now['lastPhaseTransitionTime'] = context.now;
      },
    },
  },
};
