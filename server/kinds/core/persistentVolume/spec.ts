import type { JsonObject } from '../../../../api/object.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { forbidden, invalid, notSupported, type Path, required, type FieldError } from '../../../registry/validation/field.js';
import { printedMap } from '../../../registry/validation/printed.js';
import { isNegative, isZero, wholeValue } from '../../../registry/validation/quantities.js';
import { dnsSubdomain } from '../../../registry/validation/values.js';
import { validateAccessModes } from '../accessModes.js';
import { validateNodeSelector } from '../podSpec/validation/scheduling.js';
import { validateVolumeSources } from './sources.js';
import { atOnce } from '../../../registry/validation/ofEach.js';

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const volumeModes = ['Block', 'Filesystem'];
const inline = 'in the context of inline volumes';

export const validateBytes = (amount: JsonObject[string], path: Path): FieldError[] =>
  isNegative(amount) ? [invalid(path, Number(wholeValue(amount)), 'must be a valid resource quantity')] : [];

export const validateClassName = (name: string, path: Path): FieldError[] => (name === '' ? [] : dnsSubdomain(name, path));

export const validateVolumeMode = (spec: JsonObject, path: Path): FieldError[] =>
  spec['volumeMode'] == null || volumeModes.includes(String(spec['volumeMode']))
    ? []
    : [notSupported(path, spec['volumeMode'], volumeModes)];

export function validateVolumeSpec(spec: JsonObject, volumeName: string, path: Path): FieldError[] {
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  return [
    ...validateModes(spec, path),
    ...validateCapacity(spec, path.child('capacity')),
    ...(policy === '' || reclaimPolicies.includes(policy)
      ? []
      : [notSupported(path.child('persistentVolumeReclaimPolicy'), policy, reclaimPolicies)]),
    ...validateNodeAffinity(spec, path.child('nodeAffinity')),
    ...validateVolumeSources(spec, { volumeName, hasPlace: objectAt(spec, 'nodeAffinity') !== null }, path),
    ...validateRecycling(spec, path),
    ...validateClassName(textAt(spec, 'storageClassName'), path.child('storageClassName')),
    ...validateVolumeMode(spec, path.child('volumeMode')),
    ...validateAttributesClass(spec, path),
  ];
}

/** An inline volume has no settings of an object's life cycle. */
export function validateInlineVolumeSpec(spec: JsonObject, path: Path): FieldError[] {
  const never = (member: string, given: boolean): FieldError[] =>
    given ? [forbidden(path.child(member), `may not be specified ${inline}`)] : [];
  const [policy, mode] = [textAt(spec, 'persistentVolumeReclaimPolicy'), spec['volumeMode'] ?? null];
  return [
    ...never('claimRef', objectAt(spec, 'claimRef') !== null),
    ...never('capacity', Object.keys(objectAt(spec, 'capacity') ?? {}).length > 0),
    ...(objectAt(spec, 'csi') === null ? [required(path.child('csi'), `has to be specified ${inline}`)] : []),
    ...validateModes(spec, path),
    ...(policy === '' || policy === 'Retain'
      ? []
      : [forbidden(path.child('persistentVolumeReclaimPolicy'), `may only be Retain ${inline}`)]),
    ...never('nodeAffinity', objectAt(spec, 'nodeAffinity') !== null),
    ...validateVolumeSources(spec, { volumeName: '', hasPlace: false }, path),
    ...validateRecycling(spec, path),
    ...never('storageClassName', textAt(spec, 'storageClassName') !== ''),
    ...(mode === null || mode === 'Filesystem'
      ? []
      : [forbidden(path.child('volumeMode'), `may not specify volumeMode other than Filesystem ${inline}`)]),
  ];
}

const validateModes = (spec: JsonObject, path: Path): FieldError[] => [
  ...(itemsOf(spec['accessModes']).length === 0 ? [required(path.child('accessModes'), '')] : []),
  ...validateAccessModes(spec, path.child('accessModes')),
];

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
  return needed === null
    ? [required(path.child('required'), 'must specify required node constraints')]
    : atOnce(validateNodeSelector(needed, path.child('required')));
}

/** A recycler empties the volume, so the root of a machine is refused. */
function validateRecycling(spec: JsonObject, path: Path): FieldError[] {
  const where = textAt(spec, 'hostPath', 'path');
  const isRoot = where.startsWith('/') && where.split('/').every((part) => part === '' || part === '.' || part === '..');
  return isRoot && spec['persistentVolumeReclaimPolicy'] === 'Recycle'
    ? [forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")]
    : [];
}

function validateAttributesClass(spec: JsonObject, path: Path): FieldError[] {
  const name = spec['volumeAttributesClassName'] ?? null;
  const at = path.child('volumeAttributesClassName');
  if (name === null) return [];
  return [
    ...(name === '' ? [required(at, 'an empty string is disallowed')] : dnsSubdomain(String(name), at)),
    ...(objectAt(spec, 'csi') === null ? [required(path.child('csi'), 'has to be specified when using volumeAttributesClassName')] : []),
  ];
}
