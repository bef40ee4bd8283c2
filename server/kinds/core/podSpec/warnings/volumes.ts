import type * as v1 from '../../../../../api/types/core/v1.js';
import { isSet, itemsOf, type Path, type Writable } from '../../../language.js';
import { fractionalBytes } from './amounts.js';

/** Deprecated and removed volume sources, in checking order, with their reported names. */
const deprecated: readonly (readonly [member: keyof v1.Volume, text: string, reported?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function volumeWarnings(spec: Writable<v1.PodSpec>, path: Path): string[] {
  return itemsOf(spec.volumes).flatMap((volume, position) =>
    deprecated.flatMap(([member, text, reported = member]) => {
      const at = path.child('volumes').index(position).child(reported);
      if (!isSet(volume[member])) return [];
      return member === 'ephemeral' ? claimWarnings(volume.ephemeral?.volumeClaimTemplate, at) : [`${at}: ${text}`];
    }),
  );
}

const claimWarnings = (template: Writable<v1.PersistentVolumeClaimTemplate> | undefined, path: Path): string[] =>
  claimSpecWarnings(template?.spec ?? {}, path.child('volumeClaimTemplate', 'spec'));

export const claimSpecWarnings = ({ resources }: Writable<v1.PersistentVolumeClaimSpec>, path: Path): string[] =>
  (['requests', 'limits'] as const).flatMap((list) => fractionalBytes(resources?.[list], 'storage', path.child('resources', list)));
