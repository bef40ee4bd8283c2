import type { JsonObject } from '../../../api/object.js';
import { objectAt } from '../../defaulting.js';
import { textAt } from '../../members.js';
import { driverName } from '../../validation/drivernames.js';
import { forbidden, type Path, required, type FieldError } from '../../validation/field.js';
import { noBacksteps } from '../../validation/values.js';
import type { SourceRule } from '../podspec/validation/sources/rule.js';
import { volumeSources } from '../podspec/validation/sources/table.js';

const local: SourceRule = (source, path) => {
  const where = textAt(source, 'path');
  return where === '' ? [required(path.child('path'), '')] : noBacksteps(where, path.child('path'));
};

const csi: SourceRule = (source, path) => [
  ...driverName(textAt(source, 'driver'), path.child('driver')),
  ...(textAt(source, 'volumeHandle') === '' ? [required(path.child('volumeHandle'), '')] : []),
  ...['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'].flatMap(member => {
    const secret = objectAt(source, member);
    return secret === null ? [] : ['name', 'namespace'].filter(part => textAt(secret, part) === '').map(part => required(path.child(member, part), ''));
  }),
];

const azureFile: SourceRule = (source, path) => [
  ...['secretName', 'shareName'].filter(member => textAt(source, member) === '').map(member => required(path.child(member), '')),
  ...(source['secretNamespace'] === '' ? [required(path.child('secretNamespace'), '')] : []),
];

const shared = (name: string): SourceRule => volumeSources[name] ?? ((): FieldError[] => []);

/** Sources of persistent volumes in the order in which the reference looks at them. */
const SOURCES: Readonly<Record<string, SourceRule>> = {
  ...Object.fromEntries([
    'hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'flocker', 'nfs', 'rbd', 'quobyte', 'cephfs', 'iscsi', 'cinder', 'fc', 'flexVolume',
  ].map(name => [name, shared(name)])),
  azureFile,
  ...Object.fromEntries(['vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk', 'scaleIO'].map(name => [name, shared(name)])),
  local,
  storageos: shared('storageos'),
  csi,
};

export const presentSources = (spec: JsonObject): string[] => Object.keys(SOURCES).filter(name => objectAt(spec, name) !== null);

/** Exactly one source must be named; the first one found is checked. */
export function validateVolumeSources(spec: JsonObject, path: Path): FieldError[] {
  const present = presentSources(spec);
  const findings = present.flatMap((name, position) => {
    if (position > 0) return [forbidden(path.child(name), 'may not specify more than 1 volume type')];
    const ofSource = SOURCES[name]?.(objectAt(spec, name) ?? {}, path.child(name), '') ?? [];
    return name === 'local' && objectAt(spec, 'nodeAffinity') === null ? [...ofSource, required(path.child('nodeAffinity'), 'Local volume requires node affinity')] : ofSource;
  });
  return present.length === 0 ? [required(path, 'must specify a volume type')] : findings;
}

/** Members of the reference's own structure, in its order: what messages show. */
const PRINTED: readonly (readonly [printed: string, member: string])[] = [
  ['GCEPersistentDisk', 'gcePersistentDisk'], ['AWSElasticBlockStore', 'awsElasticBlockStore'], ['HostPath', 'hostPath'], ['Glusterfs', 'glusterfs'], ['NFS', 'nfs'], ['RBD', 'rbd'],
  ['Quobyte', 'quobyte'], ['ISCSI', 'iscsi'], ['FlexVolume', 'flexVolume'], ['Cinder', 'cinder'], ['CephFS', 'cephfs'], ['FC', 'fc'], ['Flocker', 'flocker'], ['AzureFile', 'azureFile'],
  ['VsphereVolume', 'vsphereVolume'], ['AzureDisk', 'azureDisk'], ['PhotonPersistentDisk', 'photonPersistentDisk'], ['PortworxVolume', 'portworxVolume'], ['ScaleIO', 'scaleIO'],
  ['Local', 'local'], ['StorageOS', 'storageos'], ['CSI', 'csi'],
];

const capitalized = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).map(([name, each]) => [`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, each]));

export const printedSources = (spec: JsonObject): JsonObject => Object.fromEntries(PRINTED.map(([printed, member]) => {
  const source = objectAt(spec, member);
  return [printed, source === null ? null : capitalized(source)];
}));
