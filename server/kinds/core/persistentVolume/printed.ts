import {
  flags,
  listOf,
  maps,
  numbers,
  optionals,
  optionalStructure,
  texts,
  type StructureForm,
} from '../../../registry/validation/internalform.js';

/**
 * Members of the reference's own structures for persistent volumes, in its order: what messages show. Volumes of pods have some of them, too;
 * there a secret is another structure, because it has no namespace.
 */

const SECRET = texts('name', 'namespace');
const OBJECT = texts('kind', 'namespace', 'name', 'uid=UID', 'apiVersion=APIVersion', 'resourceVersion', 'fieldPath');
const FS_TYPE = texts('fsType=FSType');
const READ_ONLY = flags('readOnly');
const PARTITION = numbers('partition');
const secretRef = (secret: StructureForm): StructureForm => optionalStructure('secretRef', secret);

export const ISCSI = (secret: StructureForm): StructureForm => [
  ...texts('targetPortal', 'iqn=IQN'),
  ...numbers('lun'),
  ...texts('iscsiInterface=ISCSIInterface'),
  ...FS_TYPE,
  ...READ_ONLY,
  ...optionals('portals'),
  ...flags('chapAuthDiscovery=DiscoveryCHAPAuth', 'chapAuthSession=SessionCHAPAuth'),
  ...secretRef(secret),
  ...optionals('initiatorName'),
];
export const RBD = (secret: StructureForm): StructureForm => [
  ...optionals('monitors=CephMonitors'),
  ...texts('image=RBDImage'),
  ...FS_TYPE,
  ...texts('pool=RBDPool', 'user=RadosUser', 'keyring'),
  ...secretRef(secret),
  ...READ_ONLY,
];
export const AZURE_DISK: StructureForm = [
  ...texts('diskName', 'diskURI=DataDiskURI'),
  ...optionals('cachingMode', 'fsType=FSType', 'readOnly', 'kind'),
];
export const SCALE_IO = (secret: StructureForm): StructureForm => [
  ...texts('gateway', 'system'),
  ...secretRef(secret),
  ...flags('sslEnabled=SSLEnabled'),
  ...texts('protectionDomain', 'storagePool', 'storageMode', 'volumeName'),
  ...FS_TYPE,
  ...READ_ONLY,
];
export const FLEX_VOLUME = (secret: StructureForm): StructureForm => [
  ...texts('driver'),
  ...FS_TYPE,
  ...secretRef(secret),
  ...READ_ONLY,
  ...maps('options'),
];
export const CINDER = (secret: StructureForm): StructureForm => [...texts('volumeID'), ...FS_TYPE, ...READ_ONLY, ...secretRef(secret)];
export const CEPH_FS = (secret: StructureForm): StructureForm => [
  ...optionals('monitors'),
  ...texts('path', 'user', 'secretFile'),
  ...secretRef(secret),
  ...READ_ONLY,
];
export const QUOBYTE: StructureForm = [...texts('registry', 'volume'), ...READ_ONLY, ...texts('user', 'group', 'tenant')];

/** Disks of the two oldest clouds. */
export const DISKS: StructureForm = [
  ...optionalStructure('gcePersistentDisk=GCEPersistentDisk', [...texts('pdName=PDName'), ...FS_TYPE, ...PARTITION, ...READ_ONLY]),
  ...optionalStructure('awsElasticBlockStore=AWSElasticBlockStore', [...texts('volumeID'), ...FS_TYPE, ...PARTITION, ...READ_ONLY]),
];

/** Sources without secrets. */
export const PLAIN_SOURCES = {
  nfs: [...texts('server', 'path'), ...READ_ONLY],
  glusterfs: [...texts('endpoints=EndpointsName', 'path'), ...READ_ONLY],
  flocker: texts('datasetName', 'datasetUUID'),
  fc: [...optionals('targetWWNs', 'lun'), ...FS_TYPE, ...READ_ONLY, ...optionals('wwids=WWIDs')],
  vsphereVolume: [...texts('volumePath'), ...FS_TYPE, ...texts('storagePolicyName', 'storagePolicyID')],
  photonPersistentDisk: [...texts('pdID'), ...FS_TYPE],
  portworxVolume: [...texts('volumeID'), ...FS_TYPE, ...READ_ONLY],
} as const satisfies Readonly<Record<string, StructureForm>>;

const CSI: StructureForm = [
  ...texts('driver', 'volumeHandle'),
  ...READ_ONLY,
  ...FS_TYPE,
  ...maps('volumeAttributes'),
  ...['controllerPublish', 'nodeStage', 'nodePublish', 'controllerExpand', 'nodeExpand'].flatMap((moment) =>
    optionalStructure(`${moment}SecretRef`, SECRET),
  ),
];

export const SOURCE_FORM: StructureForm = [
  ...DISKS,
  ...optionalStructure('hostPath', [...texts('path'), ...optionals('type')]),
  ...optionalStructure('glusterfs', [...PLAIN_SOURCES.glusterfs, ...optionals('endpointsNamespace')]),
  ...optionalStructure('nfs=NFS', PLAIN_SOURCES.nfs),
  ...optionalStructure('rbd=RBD', RBD(SECRET)),
  ...optionalStructure('quobyte', QUOBYTE),
  ...optionalStructure('iscsi=ISCSI', ISCSI(SECRET)),
  ...optionalStructure('flexVolume', FLEX_VOLUME(SECRET)),
  ...optionalStructure('cinder', CINDER(SECRET)),
  ...optionalStructure('cephfs=CephFS', CEPH_FS(SECRET)),
  ...optionalStructure('fc=FC', PLAIN_SOURCES.fc),
  ...optionalStructure('flocker', PLAIN_SOURCES.flocker),
  ...optionalStructure('azureFile', [...texts('secretName', 'shareName'), ...READ_ONLY, ...optionals('secretNamespace')]),
  ...optionalStructure('vsphereVolume', PLAIN_SOURCES.vsphereVolume),
  ...optionalStructure('azureDisk', AZURE_DISK),
  ...optionalStructure('photonPersistentDisk', PLAIN_SOURCES.photonPersistentDisk),
  ...optionalStructure('portworxVolume', PLAIN_SOURCES.portworxVolume),
  ...optionalStructure('scaleIO', SCALE_IO(SECRET)),
  ...optionalStructure('local', [...texts('path'), ...optionals('fsType=FSType')]),
  ...optionalStructure('storageos=StorageOS', [
    ...texts('volumeName', 'volumeNamespace'),
    ...FS_TYPE,
    ...READ_ONLY,
    ...optionalStructure('secretRef', OBJECT),
  ]),
  ...optionalStructure('csi=CSI', CSI),
];

const REQUIREMENTS: StructureForm = [...texts('key', 'operator'), ...optionals('values')];
/** One of the terms by which nodes are chosen. */
export const NODE_TERM_FORM: StructureForm = [...listOf('matchExpressions', REQUIREMENTS), ...listOf('matchFields', REQUIREMENTS)];
export const AFFINITY_FORM: StructureForm = optionalStructure('required', listOf('nodeSelectorTerms', NODE_TERM_FORM));

export const VOLUME_FORM: StructureForm = [
  ...maps('capacity'),
  ...SOURCE_FORM,
  ...optionals('accessModes'),
  ...optionalStructure('claimRef', OBJECT),
  ...texts('persistentVolumeReclaimPolicy', 'storageClassName'),
  ...optionals('mountOptions', 'volumeMode'),
  ...optionalStructure('nodeAffinity', AFFINITY_FORM),
  ...optionals('volumeAttributesClassName'),
];
