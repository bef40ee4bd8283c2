import {
  flags,
  listOf,
  maps,
  metadata,
  numbers,
  optionals,
  optionalStructure,
  quantities,
  selectors,
  structureOf,
  texts,
  type StructureForm,
} from '../../language.js';
import { azureDisk, cephFs, cinder, disks, flexVolume, iscsi, plainSources, quobyte, rbd, scaleIo } from '../persistentVolume/printed.js';
import { claimForm } from '../persistentVolumeClaim/printed.js';

/** The reference's internal structures of pod volumes, in declaration order. */

/** Pods use secrets of their own namespace. */
const secret = texts('name');
const items = listOf('items', [...texts('key', 'path'), ...optionals('mode')]);
export const fieldReference: StructureForm = texts('apiVersion=APIVersion', 'fieldPath');
export const resourceReference: StructureForm = [...texts('containerName', 'resource'), ...quantities('divisor')];
const downwardItems = listOf('items', [
  ...texts('path'),
  ...optionalStructure('fieldRef', fieldReference),
  ...optionalStructure('resourceFieldRef', resourceReference),
  ...optionals('mode'),
]);
const projection: StructureForm = [
  ...optionalStructure('secret', [...texts('name'), ...items, ...optionals('optional')]),
  ...optionalStructure('downwardAPI', downwardItems),
  ...optionalStructure('configMap', [...texts('name'), ...items, ...optionals('optional')]),
  ...optionalStructure('serviceAccountToken', [...texts('audience'), ...numbers('expirationSeconds'), ...texts('path')]),
  ...optionalStructure('clusterTrustBundle', [
    ...optionals('name', 'signerName'),
    ...selectors('labelSelector'),
    ...optionals('optional'),
    ...texts('path'),
  ]),
  ...optionalStructure('podCertificate', [
    ...texts('signerName', 'keyType'),
    ...optionals('maxExpirationSeconds'),
    ...texts('credentialBundlePath', 'keyPath', 'certificateChainPath'),
    ...maps('userAnnotations'),
  ]),
];

export const volume: StructureForm = [
  ...texts('name'),
  ...optionalStructure('hostPath', [...texts('path'), ...optionals('type')]),
  ...optionalStructure('emptyDir', [...texts('medium'), ...optionals('sizeLimit')]),
  ...disks,
  ...optionalStructure('gitRepo', texts('repository', 'revision', 'directory')),
  ...optionalStructure('secret', [...texts('secretName'), ...items, ...optionals('defaultMode', 'optional')]),
  ...optionalStructure('nfs=NFS', plainSources.nfs),
  ...optionalStructure('iscsi=ISCSI', iscsi(secret)),
  ...optionalStructure('glusterfs', plainSources.glusterfs),
  ...optionalStructure('persistentVolumeClaim', [...texts('claimName'), ...flags('readOnly')]),
  ...optionalStructure('rbd=RBD', rbd(secret)),
  ...optionalStructure('quobyte', quobyte),
  ...optionalStructure('flexVolume', flexVolume(secret)),
  ...optionalStructure('cinder', cinder(secret)),
  ...optionalStructure('cephfs=CephFS', cephFs(secret)),
  ...optionalStructure('flocker', plainSources.flocker),
  ...optionalStructure('downwardAPI', [...downwardItems, ...optionals('defaultMode')]),
  ...optionalStructure('fc=FC', plainSources.fc),
  ...optionalStructure('azureFile', [...texts('secretName', 'shareName'), ...flags('readOnly')]),
  ...optionalStructure('configMap', [...texts('name'), ...items, ...optionals('defaultMode', 'optional')]),
  ...optionalStructure('vsphereVolume', plainSources.vsphereVolume),
  ...optionalStructure('azureDisk', azureDisk),
  ...optionalStructure('photonPersistentDisk', plainSources.photonPersistentDisk),
  ...optionalStructure('projected', [...listOf('sources', projection), ...optionals('defaultMode')]),
  ...optionalStructure('portworxVolume', plainSources.portworxVolume),
  ...optionalStructure('scaleIO', scaleIo(secret)),
  ...optionalStructure('storageos=StorageOS', [
    ...texts('volumeName', 'volumeNamespace', 'fsType=FSType'),
    ...flags('readOnly'),
    ...optionalStructure('secretRef', secret),
  ]),
  ...optionalStructure('csi=CSI', [
    ...texts('driver'),
    ...optionals('readOnly', 'fsType=FSType'),
    ...maps('volumeAttributes'),
    ...optionalStructure('nodePublishSecretRef', secret),
  ]),
  ...optionalStructure('ephemeral', optionalStructure('volumeClaimTemplate', [...metadata, ...structureOf('spec', claimForm())])),
  ...optionalStructure('image', texts('reference', 'pullPolicy')),
];
