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
  structure,
  texts,
  type StructureForm,
} from '../../../registry/validation/internalform.js';
import {
  AZURE_DISK,
  CEPH_FS,
  CINDER,
  DISKS,
  FLEX_VOLUME,
  ISCSI,
  PLAIN_SOURCES,
  QUOBYTE,
  RBD,
  SCALE_IO,
} from '../persistentVolume/printed.js';

/** Volumes of pods as the reference prints them: its own structures, in the order of their declaration. */

/** Pods find secrets in their own namespace. */
const SECRET = texts('name');
const ITEMS = listOf('items', [...texts('key', 'path'), ...optionals('mode')]);
/** A field of the pod, and a resource of one of its containers. */
export const FIELD_REFERENCE: StructureForm = texts('apiVersion=APIVersion', 'fieldPath');
export const RESOURCE_REFERENCE: StructureForm = [...texts('containerName', 'resource'), ...quantities('divisor')];
const DOWNWARD_ITEMS = listOf('items', [
  ...texts('path'),
  ...optionalStructure('fieldRef', FIELD_REFERENCE),
  ...optionalStructure('resourceFieldRef', RESOURCE_REFERENCE),
  ...optionals('mode'),
]);
const PROJECTION: StructureForm = [
  ...optionalStructure('secret', [...texts('name'), ...ITEMS, ...optionals('optional')]),
  ...optionalStructure('downwardAPI', DOWNWARD_ITEMS),
  ...optionalStructure('configMap', [...texts('name'), ...ITEMS, ...optionals('optional')]),
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
const CLAIM: StructureForm = [
  ...optionals('accessModes'),
  ...selectors('selector'),
  ...structure('resources', maps('limits', 'requests')),
  ...texts('volumeName'),
  ...optionals('storageClassName', 'volumeMode'),
  ...optionalStructure('dataSource', [...optionals('apiGroup=APIGroup'), ...texts('kind', 'name')]),
  ...optionalStructure('dataSourceRef', [...optionals('apiGroup=APIGroup'), ...texts('kind', 'name'), ...optionals('namespace')]),
  ...optionals('volumeAttributesClassName'),
];

export const VOLUME: StructureForm = [
  ...texts('name'),
  ...optionalStructure('hostPath', [...texts('path'), ...optionals('type')]),
  ...optionalStructure('emptyDir', [...texts('medium'), ...optionals('sizeLimit')]),
  ...DISKS,
  ...optionalStructure('gitRepo', texts('repository', 'revision', 'directory')),
  ...optionalStructure('secret', [...texts('secretName'), ...ITEMS, ...optionals('defaultMode', 'optional')]),
  ...optionalStructure('nfs=NFS', PLAIN_SOURCES.nfs),
  ...optionalStructure('iscsi=ISCSI', ISCSI(SECRET)),
  ...optionalStructure('glusterfs', PLAIN_SOURCES.glusterfs),
  ...optionalStructure('persistentVolumeClaim', [...texts('claimName'), ...flags('readOnly')]),
  ...optionalStructure('rbd=RBD', RBD(SECRET)),
  ...optionalStructure('quobyte', QUOBYTE),
  ...optionalStructure('flexVolume', FLEX_VOLUME(SECRET)),
  ...optionalStructure('cinder', CINDER(SECRET)),
  ...optionalStructure('cephfs=CephFS', CEPH_FS(SECRET)),
  ...optionalStructure('flocker', PLAIN_SOURCES.flocker),
  ...optionalStructure('downwardAPI', [...DOWNWARD_ITEMS, ...optionals('defaultMode')]),
  ...optionalStructure('fc=FC', PLAIN_SOURCES.fc),
  ...optionalStructure('azureFile', [...texts('secretName', 'shareName'), ...flags('readOnly')]),
  ...optionalStructure('configMap', [...texts('name'), ...ITEMS, ...optionals('defaultMode', 'optional')]),
  ...optionalStructure('vsphereVolume', PLAIN_SOURCES.vsphereVolume),
  ...optionalStructure('azureDisk', AZURE_DISK),
  ...optionalStructure('photonPersistentDisk', PLAIN_SOURCES.photonPersistentDisk),
  ...optionalStructure('projected', [...listOf('sources', PROJECTION), ...optionals('defaultMode')]),
  ...optionalStructure('portworxVolume', PLAIN_SOURCES.portworxVolume),
  ...optionalStructure('scaleIO', SCALE_IO(SECRET)),
  ...optionalStructure('storageos=StorageOS', [
    ...texts('volumeName', 'volumeNamespace', 'fsType=FSType'),
    ...flags('readOnly'),
    ...optionalStructure('secretRef', SECRET),
  ]),
  ...optionalStructure('csi=CSI', [
    ...texts('driver'),
    ...optionals('readOnly', 'fsType=FSType'),
    ...maps('volumeAttributes'),
    ...optionalStructure('nodePublishSecretRef', SECRET),
  ]),
  ...optionalStructure('ephemeral', optionalStructure('volumeClaimTemplate', [...metadata, ...structure('spec', CLAIM)])),
  ...optionalStructure('image', texts('reference', 'pullPolicy')),
];
