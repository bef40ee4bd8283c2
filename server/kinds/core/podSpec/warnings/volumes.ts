import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import type { Path } from '../../../../registry/validation/field.js';
import { fractionalBytes } from './amounts.js';
import { specOf } from '../../../parts.js';

/** Deprecated and removed volume sources, in checking order, with their reported names. */
const deprecated: readonly (readonly [member: string, text: string, reported?: string])[] = [
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

export function volumeWarnings(spec: JsonObject, path: Path): string[] {
  return objectsIn(spec, 'volumes').flatMap((volume, position) =>
    deprecated.flatMap(([member, text, reported]) => {
      const source = objectAt(volume, member);
      const at = path
        .child('volumes')
        .index(position)
        .child(reported ?? member);
      if (source === null) return [];
      return member === 'ephemeral' ? claimWarnings(source, at) : [`${at}: ${text}`];
    }),
  );
}

function claimWarnings(source: JsonObject, path: Path): string[] {
  const template = objectAt(source, 'volumeClaimTemplate');
  if (template === null) return [];
  return claimSpecWarnings(specOf(template), path.child('volumeClaimTemplate', 'spec'));
}

/** Warns about a claim; `path` is that of its specification. */
export function claimSpecWarnings(spec: JsonObject, path: Path): string[] {
  const resources = objectAt(spec, 'resources') ?? {};
  return ['requests', 'limits'].flatMap((list) =>
    fractionalBytes(objectAt(resources, list) ?? {}, 'storage', path.child('resources', list)),
  );
}
