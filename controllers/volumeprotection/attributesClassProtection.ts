import { nameOf } from '../../api/meta/object.js';
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from '../../api/types/core/v1.js';
import { volumeAttributesClasses } from '../../api/types/storage/v1.js';
import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { guard } from './finalizers.js';

const byClass = 'attributes class';

const classesOfClaim = ({ spec, status }: PersistentVolumeClaim): readonly string[] => [
  ...new Set(
    [
      spec?.volumeAttributesClassName,
      status?.currentVolumeAttributesClassName,
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
    ].flatMap((name) => name || []),
  ),
];
const classesOfVolume = ({ spec }: PersistentVolume): readonly string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];

/** Removes the finalizer of attribute classes that no claim or volume names. */
export function attributesClassProtectionController(environment: ManagerEnvironment): Controller {
  const { informers } = environment;
  const claims = informers.of(persistentVolumeClaims);
  const volumes = informers.of(persistentVolumes);
  claims.addIndex(byClass, classesOfClaim);
  volumes.addIndex(byClass, classesOfVolume);
  const controller = guard(environment, {
    name: 'vacprotection',
    type: volumeAttributesClasses,
    finalizer: 'kubernetes.io/vac-protection',
    isUsed: (each) => claims.cache.by(byClass, nameOf(each)).length > 0 || volumes.cache.by(byClass, nameOf(each)).length > 0,
  });
  const consider = (names: readonly string[]): void => names.forEach((name) => controller.queue.add(name));
  controller.needs(persistentVolumeClaims).addHandlers({
    changed: (before) => consider(classesOfClaim(before)),
    removed: (last) => consider(classesOfClaim(last)),
  });
  controller.needs(persistentVolumes).addHandlers({
    changed: (before) => consider(classesOfVolume(before)),
    removed: (last) => consider(classesOfVolume(last)),
  });
  return controller;
}
