import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../defaulting.js';
import { itemsOf, textAt } from '../../../members.js';
import { duplicate, forbidden, invalid, type Path, required, type FieldError } from '../../../validation/field.js';
import { dnsLabel, fileMode, inRange, localPath, noBacksteps, oneOf, optionallyOneOf } from '../../../validation/values.js';
import { fieldReference, resourceReference } from './references.js';
import type { Volumes } from './mounts.js';

/** Rules of one kind of volume source; shared by pods and persistent volumes where both know it. */
export type SourceRule = (source: JsonObject, path: Path, volumeName: string) => FieldError[];

/** Members that must not be empty, in the order in which they are reported. */
const needs = (...members: readonly string[]): SourceRule => (source, path) =>
  members.filter(member => isEmpty(source[member])).map(member => required(path.child(member), ''));
const isEmpty = (value: JsonValue | undefined): boolean => value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
const all = (...rules: readonly SourceRule[]): SourceRule => (source, path, name) => rules.flatMap(rule => rule(source, path, name));

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

const hostPath: SourceRule = (source, path) => {
  const where = textAt(source, 'path');
  return [
    ...(where === '' ? [required(path.child('path'), '')] : noBacksteps(where, path.child('path'))),
    ...optionallyOneOf(source['type'], hostPathTypes, path.child('type')),
  ];
};

const emptyDir: SourceRule = (source, path) => {
  const limit = source['sizeLimit'];
  return typeof limit === 'string' && limit.startsWith('-') ? [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')] : [];
};

const nfs: SourceRule = (source, path) => [
  ...needs('server', 'path')(source, path, ''),
  ...(textAt(source, 'path').startsWith('/') ? [] : [invalid(path.child('path'), textAt(source, 'path'), 'must be an absolute path')]),
];

const iscsi: SourceRule = (source, path) => {
  const iqn = textAt(source, 'iqn');
  const chap = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true;
  return [
    ...needs('targetPortal')(source, path, ''),
    ...(iqn === '' ? [required(path.child('iqn'), '')] : /^(iqn|eui|naa)/.test(iqn) ? [] : [invalid(path.child('iqn'), iqn, 'must be valid format starting with iqn, eui, or naa')]),
    ...inRange(source['lun'], 0, 255, path.child('lun')),
    ...(chap && objectAt(source, 'secretRef') === null ? [required(path.child('secretRef'), '')] : []),
  ];
};

const fc: SourceRule = (source, path) => {
  const [names, ids] = [itemsOf(source['targetWWNs']).length > 0, itemsOf(source['wwids']).length > 0];
  if (!names && !ids) return [required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both')];
  if (names && ids) return [invalid(path.child('targetWWNs'), source['targetWWNs'], 'targetWWNs and wwids can not be specified simultaneously')];
  if (!names) return [];
  return source['lun'] === undefined || source['lun'] === null ? [required(path.child('lun'), 'lun is required if targetWWNs is specified')] : inRange(source['lun'], 0, 255, path.child('lun'));
};

/** Keys to project into files: of secrets and config maps. */
function keyItems(source: JsonObject, path: Path): FieldError[] {
  return objectsIn(source, 'items').flatMap((item, position) => {
    const at = path.child('items').index(position);
    const file = textAt(item, 'path');
    return [
      ...(textAt(item, 'key') === '' ? [required(at.child('key'), '')] : []),
      ...(file === '' ? [required(at.child('path'), '')] : localPath(file, at.child('path'))),
      ...fileMode(item['mode'], at.child('mode')),
    ];
  });
}

const keyed = (nameMember: string): SourceRule => (source, path) => [
  ...needs(nameMember)(source, path, ''),
  ...fileMode(source['defaultMode'], path.child('defaultMode')),
  ...keyItems(source, path),
];

/** Fields of the pod that a file may show. */
const downwardFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
const downwardResources = [
  'limits.cpu', 'limits.ephemeral-storage', 'limits.memory', 'requests.cpu', 'requests.ephemeral-storage', 'requests.memory',
];

function downwardItems(source: JsonObject, path: Path): FieldError[] {
  return objectsIn(source, 'items').flatMap(item => {
    const [field, resource] = [objectAt(item, 'fieldRef'), objectAt(item, 'resourceFieldRef')];
    const file = textAt(item, 'path');
    const referred = field !== null
      ? [...fieldReference(field, downwardFields, path.child('fieldRef')), ...(resource === null ? [] : [invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')])]
      : resource !== null ? resourceReference(resource, downwardResources, true, path.child('resourceFieldRef')) : [required(path, 'one of fieldRef and resourceFieldRef is required')];
    return [
      ...(file === '' ? [required(path.child('path'), '')] : localPath(file, path.child('path'))),
      ...referred,
      ...fileMode(item['mode'], path.child('mode')),
    ];
  });
}

const downwardApi: SourceRule = (source, path) => [...fileMode(source['defaultMode'], path.child('defaultMode')), ...downwardItems(source, path)];

const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

const serviceAccountToken: SourceRule = (token, path) => {
  const seconds = Number(token['expirationSeconds'] ?? 3600);
  const file = textAt(token, 'path');
  return [
    ...(seconds < tokenSecondsMin ? [invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > tokenSecondsMax ? [invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
    ...(file === '' ? [required(path.child('path'), '')] : localPath(file, path.child('path'))),
  ];
};

const projections: Readonly<Record<string, SourceRule>> = {
  secret: (source, path) => [...needs('name')(source, path, ''), ...keyItems(source, path)],
  configMap: (source, path) => [...needs('name')(source, path, ''), ...keyItems(source, path)],
  downwardAPI: downwardItems,
  serviceAccountToken,
  clusterTrustBundle: () => [],
  podCertificate: needs('signerName', 'keyType'),
};

const projected: SourceRule = (source, path) => {
  const taken = new Map<string, string>();
  return [...fileMode(source['defaultMode'], path.child('defaultMode')), ...objectsIn(source, 'sources').flatMap((each, position) => {
    const at = path.child('sources').index(position);
    const present = Object.keys(projections).filter(name => objectAt(each, name) !== null);
    const findings = present.flatMap((name, order) => (order > 0
      ? [forbidden(at, 'may not specify more than 1 volume type per source')] : (projections[name] as SourceRule)(objectAt(each, name) as JsonObject, at.child(name), '')));
    return [...findings, ...present.flatMap(name => pathConflicts(objectAt(each, name) as JsonObject, taken, path))];
  })];
};

/** Two sources must not write one file. */
function pathConflicts(source: JsonObject, taken: Map<string, string>, path: Path): FieldError[] {
  const files = [...objectsIn(source, 'items').map(item => textAt(item, 'path')), ...(source['path'] === undefined ? [] : [textAt(source, 'path')])].filter(file => file !== '');
  return files.flatMap(file => {
    const conflict = taken.has(file);
    taken.set(file, textAt(source, 'name'));
    return conflict ? [invalid(path, textAt(source, 'name'), 'conflicting duplicate paths')] : [];
  });
}

const ephemeral: SourceRule = (source, path) => {
  const template = objectAt(source, 'volumeClaimTemplate');
  if (template === null) return [required(path.child('volumeClaimTemplate'), '')];
  const spec = objectAt(template, 'spec') ?? {};
  const at = path.child('volumeClaimTemplate').child('spec');
  return [
    ...(itemsOf(spec['accessModes']).length === 0 ? [required(at.child('accessModes'), 'at least 1 access mode is required')] : []),
    ...(textAt(spec, 'resources', 'requests', 'storage') === '' ? [required(at.child('resources').key('storage'), '')] : []),
  ];
};

/** Sources in the order in which the reference looks at them; the first one present is checked, any other is one too many. */
export const volumeSources: Readonly<Record<string, SourceRule>> = {
  emptyDir,
  hostPath,
  gitRepo: needs('repository'),
  gcePersistentDisk: all(needs('pdName'), (source, path) => inRange(source['partition'], 0, 255, path.child('partition'))),
  awsElasticBlockStore: all(needs('volumeID'), (source, path) => inRange(source['partition'], 0, 255, path.child('partition'))),
  secret: keyed('secretName'),
  nfs,
  iscsi,
  glusterfs: needs('endpoints', 'path'),
  flocker: () => [],
  persistentVolumeClaim: needs('claimName'),
  rbd: needs('monitors', 'image'),
  cinder: needs('volumeID'),
  cephfs: needs('monitors'),
  quobyte: needs('registry', 'volume'),
  downwardAPI: downwardApi,
  fc,
  flexVolume: needs('driver'),
  configMap: keyed('name'),
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: needs('diskName', 'diskURI'),
  storageos: () => [],
  projected,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi: needs('driver'),
  ephemeral,
  image: (source, path) => [...needs('reference')(source, path, ''), ...oneOf(source['pullPolicy'], ['Always', 'IfNotPresent', 'Never'], path.child('pullPolicy'))],
};

/** Checks all volumes and returns them by name, for the mounts that refer to them. */
export function validateVolumes(spec: JsonObject, specPath: Path): { readonly findings: FieldError[]; readonly volumes: Volumes } {
  const volumes = new Map<string, JsonObject>();
  const findings = objectsIn(spec, 'volumes').flatMap((volume, position) => {
    const at = specPath.child('volumes').index(position);
    const name = textAt(volume, 'name');
    const ofName = name === '' ? [required(at.child('name'), '')] : dnsLabel(name, at.child('name'));
    if (ofName.length === 0 && volumes.has(name)) ofName.push(duplicate(at.child('name'), name));
    if (ofName.length === 0) volumes.set(name, volume);
    return [...validateSource(volume, name, at), ...ofName];
  });
  return { findings, volumes };
}

function validateSource(volume: JsonObject, name: string, path: Path): FieldError[] {
  const present = Object.keys(volumeSources).filter(source => objectAt(volume, source) !== null);
  if (present.length === 0) return [required(path, 'must specify a volume type')];
  return present.flatMap((source, order) => (order > 0
    ? [forbidden(path.child(source), 'may not specify more than 1 volume type')] : (volumeSources[source] as SourceRule)(objectAt(volume, source) as JsonObject, path.child(source), name)));
}
