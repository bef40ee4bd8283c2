import { objectAt } from '../../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../../api/json/members.js';
import { driverName } from '../../../../../registry/validation/drivernames.js';
import { forbidden, required } from '../../../../../registry/validation/field.js';
import { subdomainName } from '../../../../../registry/validation/names.js';
import { isNegative } from '../../../../../registry/validation/quantities.js';
import { localPath, named, noBacksteps, oneOf, optionallyOneOf } from '../../../../../registry/validation/values.js';
import { downwardApi, keyed, projected } from './files.js';
import { all, needs, type SourceRule } from './rule.js';
import { azureDisk, cinder, fc, flexVolume, flocker, iscsi, nfs, partitionedDisk, quobyte, storageos } from './storage.js';

const emptyDir: SourceRule = (source, path) =>
  isNegative(source['sizeLimit'] ?? '0') ? [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')] : [];

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

const hostPath: SourceRule = (source, path) => {
  const where = textAt(source, 'path');
  if (where === '') return [required(path.child('path'), '')];
  return [...noBacksteps(where, path.child('path')), ...optionallyOneOf(source['type'], hostPathTypes, path.child('type'))];
};

const csi: SourceRule = (source, path) => {
  const secret = objectAt(source, 'nodePublishSecretRef');
  const name = textAt(secret ?? {}, 'name');
  return [
    ...driverName(textAt(source, 'driver'), path.child('driver')),
    ...(secret === null
      ? []
      : name === ''
        ? [required(path.child('nodePublishSecretRef', 'name'), '')]
        : named(name, subdomainName, path.child('name'))),
  ];
};

/** Sources stand in the reference's order; only the first present one is checked. Ephemeral claims are elsewhere: their rules need those of claims. */
export const volumeSources: Readonly<Record<string, SourceRule>> = {
  emptyDir,
  hostPath,
  gitRepo: all(needs('repository'), (source, path) => localPath(textAt(source, 'directory'), path.child('directory'))),
  gcePersistentDisk: partitionedDisk('pdName'),
  awsElasticBlockStore: partitionedDisk('volumeID'),
  secret: keyed('secretName'),
  nfs,
  iscsi,
  glusterfs: needs('endpoints', 'path'),
  flocker,
  persistentVolumeClaim: needs('claimName'),
  rbd: needs('monitors', 'image'),
  cinder,
  cephfs: needs('monitors'),
  quobyte,
  downwardAPI: downwardApi,
  fc,
  flexVolume,
  configMap: keyed('name'),
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  storageos,
  projected,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi,
};

/** A template may omit the image, which the creator of the pods sets. */
export const imageVolume =
  (ofTemplate: boolean): SourceRule =>
  (source, path) => [
    ...(ofTemplate ? [] : needs('reference')(source, path, '')),
    ...oneOf(source['pullPolicy'], ['Always', 'IfNotPresent', 'Never'], path.child('pullPolicy')),
  ];

export const reportedAs: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };
/** Paths of surplus sources that differ from their names. */
export const surplusAs: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
