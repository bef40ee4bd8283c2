import type * as v1 from '../../../../api/types/core/v1.js';
import {
  all,
  byDefault,
  changed,
  completed,
  dnsLabelName,
  dnsSubdomain,
  format,
  insteadOfZero,
  invalid,
  isNegative,
  isSet,
  isZero,
  keepable,
  members,
  missing,
  nonZero,
  optional,
  required,
  requiredAs,
  validateLabelSelector,
  whole,
  type FieldError,
  type JsonObject,
  type Path,
  type Writable,
} from '../../language.js';
import { roundAmounts, roundResources } from '../../../../api/resourceLists.js';
import { accessModes } from '../accessModes.js';
import { volumeMode } from '../persistentVolume/spec.js';

type Spec = Writable<v1.PersistentVolumeClaimSpec>;

function size({ requests }: Writable<v1.VolumeResourceRequirements> = {}, path: Path): FieldError[] {
  const [amount, at] = [requests?.['storage'], path.key('storage')];
  if (!isSet(amount)) return [missing(at, '')];
  return isNegative(amount) || isZero(amount) ? [invalid(at, amount, 'must be greater than zero')] : [];
}

const otherKind = whole<v1.TypedObjectReference>(({ apiGroup, kind = '' }, path) =>
  (apiGroup ?? '') === '' && kind !== 'PersistentVolumeClaim'
    ? [invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
    : [],
);

const source = all(
  members<v1.TypedObjectReference>({ name: required(), kind: required() }),
  otherKind,
  members<v1.TypedObjectReference>({
    apiGroup: nonZero(changed(dnsSubdomain, (findings) => keepable('group of a source', findings))),
    namespace: nonZero(format(dnsLabelName)),
  }),
);

function sameSource({ dataSource: older, dataSourceRef: newer }: Spec, path: Path): FieldError[] {
  if (!isSet(older) || !isSet(newer)) return [];
  // Printed as a structure without public members.
  const shown = {};
  if ((newer.namespace ?? '') !== '') return [invalid(path, shown, 'may not be specified when dataSourceRef.namespace is specified')];
  const same = (['apiGroup', 'kind', 'name'] as const).every((member) => (older[member] ?? '') === (newer[member] ?? ''));
  return same ? [] : [invalid(path, shown, 'must match dataSourceRef')];
}

export const claimSpec = all(
  members<v1.PersistentVolumeClaimSpec>({
    accessModes: requiredAs('at least 1 access mode is required'),
    selector: optional(validateLabelSelector),
  }),
  members<v1.PersistentVolumeClaimSpec>({
    accessModes,
    resources: all(completed<Writable<v1.VolumeResourceRequirements>>(roundResources), size),
    storageClassName: nonZero(dnsSubdomain),
    volumeMode: byDefault('Filesystem', volumeMode),
    dataSource: optional(source),
    dataSourceRef: optional(source),
  }),
  whole<v1.PersistentVolumeClaimSpec>(sameSource),
  members<v1.PersistentVolumeClaimSpec>({ volumeAttributesClassName: nonZero(dnsSubdomain) }),
);

export const pendingClaim = members<v1.PersistentVolumeClaimStatus>({
  phase: insteadOfZero('Pending'),
  capacity: completed<JsonObject>(roundAmounts),
  allocatedResources: completed<JsonObject>(roundAmounts),
});
