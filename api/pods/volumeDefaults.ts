import type { JsonObject, JsonValue } from '../object.js';
import { objectAt, objectsIn, setDefault, setTextDefault } from '../json/defaulting.js';
import { textAt } from '../json/members.js';
import { roundResources } from '../resourceLists.js';
import { pullPolicyOf } from './images.js';

const fileMode = 0o644;
const tokenSeconds = 3600;
const certificateSeconds = 86_400;

/** Empty strings count as unset, except in the sources below. */
const sourceDefaults: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', kind: 'Shared', readOnly: false },
  configMap: { defaultMode: fileMode },
  downwardAPI: { defaultMode: fileMode },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  projected: { defaultMode: fileMode },
  rbd: { keyring: '/etc/ceph/keyring', pool: 'rbd', user: 'admin' },
  scaleIO: { fsType: 'xfs', storageMode: 'ThinProvisioned' },
  secret: { defaultMode: fileMode },
};

/** The reference holds these sources' strings as pointers, so empty ones stay. */
const keepsEmptyTexts: ReadonlySet<string> = new Set(['azureDisk']);

/** A volume without a source is an empty directory (v1 `Volume`). */
export function setVolumeDefaults(volume: JsonObject): void {
  if (Object.entries(volume).every(([member, value]) => member === 'name' || value === null || value === undefined))
    volume['emptyDir'] = {};
  setSourceDefaults(volume);
  const downward = objectAt(volume, 'downwardAPI');
  if (downward !== null) setFieldReferenceDefaults(downward);
  const projected = objectAt(volume, 'projected');
  for (const source of projected === null ? [] : objectsIn(projected, 'sources')) setProjectionDefaults(source);
  const image = objectAt(volume, 'image');
  if (image !== null) setTextDefault(image, 'pullPolicy', pullPolicyOf(textAt(image, 'reference')));
  const claim = objectAt(objectAt(volume, 'ephemeral') ?? {}, 'volumeClaimTemplate');
  const claimSpec = claim === null ? null : objectAt(claim, 'spec');
  if (claimSpec === null) return;
  setDefault(claimSpec, 'volumeMode', 'Filesystem');
  roundResources(objectAt(claimSpec, 'resources'));
}

const sourcesWithDefaults = Object.entries(sourceDefaults).map(([name, members]) => [name, Object.entries(members)] as const);

/** Covers volumes of pods and persistent volumes. */
export function setSourceDefaults(holder: JsonObject): void {
  for (const [name, members] of sourcesWithDefaults) {
    const source = objectAt(holder, name);
    if (source === null) continue;
    for (const [member, value] of members) {
      if (typeof value === 'string' && !keepsEmptyTexts.has(name)) setTextDefault(source, member, value);
      else setDefault(source, member, value);
    }
  }
}

function setFieldReferenceDefaults(holder: JsonObject): void {
  for (const item of objectsIn(holder, 'items')) {
    const field = objectAt(item, 'fieldRef');
    if (field !== null) setTextDefault(field, 'apiVersion', 'v1');
  }
}

function setProjectionDefaults(source: JsonObject): void {
  const token = objectAt(source, 'serviceAccountToken');
  if (token !== null) setDefault(token, 'expirationSeconds', tokenSeconds);
  const certificate = objectAt(source, 'podCertificate');
  if (certificate !== null) setDefault(certificate, 'maxExpirationSeconds', certificateSeconds);
  const downward = objectAt(source, 'downwardAPI');
  if (downward !== null) setFieldReferenceDefaults(downward);
}
