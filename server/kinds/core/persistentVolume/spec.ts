import * as enums from '../../../../api/data/enums.js';
import {
  all,
  byDefault,
  completed,
  created,
  dnsSubdomain,
  eachValue,
  forbidden,
  forbiddenAs,
  insteadOfZero,
  invalid,
  isNegative,
  isSet,
  isZero,
  knowing,
  members,
  missing,
  nonZero,
  notSupported,
  oneOf,
  optional,
  printedMap,
  required,
  requiredPointerAs,
  setDefault,
  when,
  whole,
  wholeValue,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Path,
  type Rule,
  type Writable,
} from '../../language.js';
import { roundAmounts } from '../../../../api/resourceLists.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { setSourceDefaults } from '../../../../api/pods/volumeDefaults.js';
import { accessModes } from '../accessModes.js';
import { validateNodeSelector } from '../podSpec/validation/scheduling.js';
import { validateVolumeSources } from './sources.js';

type Spec = Writable<v1.PersistentVolumeSpec>;

const inline = 'in the context of inline volumes';

export const validateBytes = (amount: JsonValue | undefined, path: Path): FieldError[] =>
  isNegative(amount) ? [invalid(path, Number(wholeValue(amount)), 'must be a valid resource quantity')] : [];

export const volumeMode = oneOf(...enums.PersistentVolumeMode);

const modes = all(required<string[], unknown>(), accessModes);

const onlyStorage = (capacity: Spec['capacity'], path: Path): FieldError[] => {
  const names = Object.keys(capacity ?? {});
  return [
    ...(names.length === 0 ? [missing(path, '')] : []),
    ...(names.length === 1 && names[0] === 'storage' ? [] : [notSupported(path, printedMap(capacity), ['storage'])]),
  ];
};
const aboveZero: Rule<JsonValue> = (amount, path) =>
  isNegative(amount) || isZero(amount) ? [invalid(path, amount, 'must be greater than zero')] : [];

const affinity = members<v1.VolumeNodeAffinity>({
  required: requiredPointerAs('must specify required node constraints', validateNodeSelector),
});

/** A recycler empties the volume, so the root of a machine is refused. */
const recycled = whole<v1.PersistentVolumeSpec>(({ hostPath, persistentVolumeReclaimPolicy: policy }, path) => {
  const where = hostPath?.path ?? '';
  const isRoot = where.startsWith('/') && where.split('/').every((part) => part === '' || part === '.' || part === '..');
  return isRoot && policy === 'Recycle'
    ? [forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'")]
    : [];
});

const needsCsi = whole<v1.PersistentVolumeSpec>(({ csi, volumeAttributesClassName: name }, path) =>
  isSet(name) && !isSet(csi) ? [missing(path.child('csi'), 'has to be specified when using volumeAttributesClassName')] : [],
);
const className = (name: string, path: Path): FieldError[] =>
  name === '' ? [missing(path, 'an empty string is disallowed')] : dnsSubdomain(name, path);

const sources = knowing((spec: Spec, path: Path, { name: volumeName }: Named) =>
  validateVolumeSources(spec, { volumeName, unplaced: isSet(spec.nodeAffinity) ? null : path.child('nodeAffinity') }, path),
);
interface Named {
  readonly name: string;
}

export const volumeSpec = created<Spec, unknown, Named>(
  members<v1.PersistentVolumeSpec>({
    accessModes: modes,
    capacity: all<Spec['capacity']>(completed<JsonObject>(roundAmounts), onlyStorage, eachValue(validateBytes, aboveZero)),
    persistentVolumeReclaimPolicy: insteadOfZero('Retain', oneOf(...enums.PersistentVolumeReclaimPolicy)),
    nodeAffinity: optional(affinity),
  }),
  sources,
  recycled,
  members<v1.PersistentVolumeSpec>({
    storageClassName: nonZero(dnsSubdomain),
    volumeMode: byDefault('Filesystem', volumeMode),
    volumeAttributesClassName: optional(className),
  }),
  needsCsi,
  completed<Spec>(completeSources),
);

function completeSources(spec: Spec): void {
  setSourceDefaults(spec);
  if (isSet(spec.azureFile)) setDefault<JsonObject, 'secretNamespace'>(spec.azureFile, 'secretNamespace', null);
}

const never = forbiddenAs(`may not be specified ${inline}`);
const neverSet = nonZero(never);

/** An inline volume has no settings of an object's life cycle. */
export const inlineVolumeSpec = all(
  members<v1.PersistentVolumeSpec>({
    claimRef: never,
    capacity: when((capacity) => Object.keys(capacity ?? {}).length > 0, never),
    csi: requiredPointerAs(`has to be specified ${inline}`),
    accessModes: modes,
    persistentVolumeReclaimPolicy: nonZero(when((policy: string) => policy !== 'Retain', forbiddenAs(`may only be Retain ${inline}`))),
    nodeAffinity: never,
  }),
  whole<v1.PersistentVolumeSpec>((spec, path) =>
    validateVolumeSources(spec, { volumeName: '', unplaced: path.child('nodeAffinity') }, path),
  ),
  recycled,
  members<v1.PersistentVolumeSpec>({
    storageClassName: neverSet,
    volumeMode: optional(
      when((mode: string) => mode !== 'Filesystem', forbiddenAs(`may not specify volumeMode other than Filesystem ${inline}`)),
    ),
  }),
);
