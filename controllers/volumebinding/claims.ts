import { nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { compareQuantities, parseQuantity, zeroQuantity, type Quantity } from '../../api/quantity.js';
import { selects } from '../../api/selectors.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core/v1.js';
import type { StorageClass } from '../../api/types/storage/v1.js';

const betaClass = 'volume.beta.kubernetes.io/storage-class';

/** Returns an object's class; '' for none. The old annotation wins. */
export const classOf = ({
  metadata,
  spec,
}: {
  readonly metadata: PersistentVolume['metadata'];
  readonly spec?: { readonly storageClassName?: string };
}): string => metadata.annotations?.[betaClass] ?? spec?.storageClassName ?? '';

/** Returns whether a claim states a class, possibly none. */
export const namesClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[betaClass] !== undefined || spec?.storageClassName !== undefined;

const isDefault = ({ metadata }: StorageClass): boolean =>
  ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].some(
    (name) => metadata.annotations?.[name] === 'true',
  );

/** Returns the class for claims without one: the newest default, then the first by name. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | null {
  const since = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? '';
  const newestFirst = (a: StorageClass, b: StorageClass): number =>
    since(a) === since(b) ? (nameOf(a) < nameOf(b) ? -1 : 1) : since(a) > since(b) ? -1 : 1;
  return classes.filter(isDefault).sort(newestFirst)[0] ?? null;
}

const modeOf = (spec: { readonly volumeMode?: string } | undefined): string => spec?.volumeMode ?? 'Filesystem';

function amount(text: string | undefined): Quantity {
  const read = parseQuantity(text ?? '0');
  return read.ok ? read.quantity : zeroQuantity;
}
const sizeOf = ({ spec }: PersistentVolume): Quantity => amount(spec?.capacity?.['storage']);
const requested = ({ spec }: PersistentVolumeClaim): Quantity => amount(spec?.resources?.requests?.['storage']);

/** Returns whether a volume is reserved for a claim: by name, and by uid if set. */
export function isFor({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  return (
    reference !== undefined &&
    reference.name === nameOf(claim) &&
    reference.namespace === namespaceOf(claim) &&
    (!reference.uid || reference.uid === uidOf(claim))
  );
}

/** Returns why a claim's named volume cannot be used, or null. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | null {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(nameOf(volume))}`;
  if (compareQuantities(sizeOf(volume), requested(claim)) < 0) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (modeOf(volume.spec) !== modeOf(claim.spec)) return 'incompatible volumeMode';
  if ((volume.spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? ''))
    return 'volumeAttributesClassName does not match';
  return offersModes(volume, claim) ? null : 'incompatible accessMode';
}

export const sameMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean => modeOf(volume.spec) === modeOf(claim.spec);

const offersModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode) ?? false);

/**
 * Returns the volume reserved for the claim, or else the fitting one with the fewest access modes and then the smallest. For a class that waits for pods, the
 * scheduler chooses volumes, so only reserved ones are returned.
 */
export function bestVolume(claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[], delayed: boolean): PersistentVolume | null {
  const fitting = volumes.filter(
    (volume) =>
      volume.metadata.deletionTimestamp === undefined &&
      offersModes(volume, claim) &&
      sameMode(volume, claim) &&
      compareQuantities(sizeOf(volume), requested(claim)) >= 0 &&
      (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? ''),
  );
  const setAside = fitting.find((volume) => isFor(volume, claim));
  if (setAside || delayed) return setAside ?? null;
  const free = fitting.filter(
    (volume) =>
      volume.spec?.claimRef === undefined &&
      volume.status?.phase === 'Available' &&
      classOf(volume) === classOf(claim) &&
      (claim.spec?.selector === undefined || selects(claim.spec.selector, volume.metadata.labels)),
  );
  return [...free].sort(byModesAndSize)[0] ?? null;
}

const byModesAndSize = (a: PersistentVolume, b: PersistentVolume): number =>
  (a.spec?.accessModes?.length ?? 0) - (b.spec?.accessModes?.length ?? 0) ||
  compareQuantities(sizeOf(a), sizeOf(b)) ||
  (nameOf(a) < nameOf(b) ? -1 : 1);
