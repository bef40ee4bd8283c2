import { flags, listOf, maps, numbers, optionals, optionalStructure, texts, type StructureForm } from '../../language.js';

/** Pods share some of them, with another structure for secrets, which have no namespace there. */

const secret = texts('name', 'namespace');
const object = texts('kind', 'namespace', 'name', 'uid=UID', 'apiVersion=APIVersion', 'resourceVersion', 'fieldPath');
const fsType = texts('fsType=FSType');
const readOnly = flags('readOnly');
const partition = numbers('partition');
const secretRef = (secret: StructureForm): StructureForm => optionalStructure('secretRef', secret);

export const iscsi = (secret: StructureForm): StructureForm => [
  ...texts('targetPortal', 'iqn=IQN'),
  ...numbers('lun'),
  ...texts('iscsiInterface=ISCSIInterface'),
  ...fsType,
  ...readOnly,
  ...optionals('portals'),
  ...flags('chapAuthDiscovery=DiscoveryCHAPAuth', 'chapAuthSession=SessionCHAPAuth'),
  ...secretRef(secret),
  ...optionals('initiatorName'),
];
export const rbd = (secret: StructureForm): StructureForm => [
  ...optionals('monitors=CephMonitors'),
  ...texts('image=RBDImage'),
  ...fsType,
  ...texts('pool=RBDPool', 'user=RadosUser', 'keyring'),
  ...secretRef(secret),
  ...readOnly,
];
export const azureDisk: StructureForm = [
  ...texts('diskName', 'diskURI=DataDiskURI'),
  ...optionals('cachingMode', 'fsType=FSType', 'readOnly', 'kind'),
];
export const scaleIo = (secret: StructureForm): StructureForm => [
  ...texts('gateway', 'system'),
  ...secretRef(secret),
  ...flags('sslEnabled=SSLEnabled'),
  ...texts('protectionDomain', 'storagePool', 'storageMode', 'volumeName'),
  ...fsType,
  ...readOnly,
];
export const flexVolume = (secret: StructureForm): StructureForm => [
  ...texts('driver'),
  ...fsType,
  ...secretRef(secret),
  ...readOnly,
  ...maps('options'),
];
export const cinder = (secret: StructureForm): StructureForm => [...texts('volumeID'), ...fsType, ...readOnly, ...secretRef(secret)];
export const cephFs = (secret: StructureForm): StructureForm => [
  ...optionals('monitors'),
  ...texts('path', 'user', 'secretFile'),
  ...secretRef(secret),
  ...readOnly,
];
export const quobyte: StructureForm = [...texts('registry', 'volume'), ...readOnly, ...texts('user', 'group', 'tenant')];

export const disks: StructureForm = [
  ...optionalStructure('gcePersistentDisk=GCEPersistentDisk', [...texts('pdName=PDName'), ...fsType, ...partition, ...readOnly]),
  ...optionalStructure('awsElasticBlockStore=AWSElasticBlockStore', [...texts('volumeID'), ...fsType, ...partition, ...readOnly]),
];

export const plainSources = {
  nfs: [...texts('server', 'path'), ...readOnly],
  glusterfs: [...texts('endpoints=EndpointsName', 'path'), ...readOnly],
  flocker: texts('datasetName', 'datasetUUID'),
  fc: [...optionals('targetWWNs', 'lun'), ...fsType, ...readOnly, ...optionals('wwids=WWIDs')],
  vsphereVolume: [...texts('volumePath'), ...fsType, ...texts('storagePolicyName', 'storagePolicyID')],
  photonPersistentDisk: [...texts('pdID'), ...fsType],
  portworxVolume: [...texts('volumeID'), ...fsType, ...readOnly],
} as const satisfies Readonly<Record<string, StructureForm>>;

const csi: StructureForm = [
  ...texts('driver', 'volumeHandle'),
  ...readOnly,
  ...fsType,
  ...maps('volumeAttributes'),
  ...['controllerPublish', 'nodeStage', 'nodePublish', 'controllerExpand', 'nodeExpand'].flatMap((moment) =>
    optionalStructure(`${moment}SecretRef`, secret),
  ),
];

export const sourceForm: StructureForm = [
  ...disks,
  ...optionalStructure('hostPath', [...texts('path'), ...optionals('type')]),
  ...optionalStructure('glusterfs', [...plainSources.glusterfs, ...optionals('endpointsNamespace')]),
  ...optionalStructure('nfs=NFS', plainSources.nfs),
  ...optionalStructure('rbd=RBD', rbd(secret)),
  ...optionalStructure('quobyte', quobyte),
  ...optionalStructure('iscsi=ISCSI', iscsi(secret)),
  ...optionalStructure('flexVolume', flexVolume(secret)),
  ...optionalStructure('cinder', cinder(secret)),
  ...optionalStructure('cephfs=CephFS', cephFs(secret)),
  ...optionalStructure('fc=FC', plainSources.fc),
  ...optionalStructure('flocker', plainSources.flocker),
  ...optionalStructure('azureFile', [...texts('secretName', 'shareName'), ...readOnly, ...optionals('secretNamespace')]),
  ...optionalStructure('vsphereVolume', plainSources.vsphereVolume),
  ...optionalStructure('azureDisk', azureDisk),
  ...optionalStructure('photonPersistentDisk', plainSources.photonPersistentDisk),
  ...optionalStructure('portworxVolume', plainSources.portworxVolume),
  ...optionalStructure('scaleIO', scaleIo(secret)),
  ...optionalStructure('local', [...texts('path'), ...optionals('fsType=FSType')]),
  ...optionalStructure('storageos=StorageOS', [
    ...texts('volumeName', 'volumeNamespace'),
    ...fsType,
    ...readOnly,
    ...optionalStructure('secretRef', object),
  ]),
  ...optionalStructure('csi=CSI', csi),
];

const requirements: StructureForm = [...texts('key', 'operator'), ...optionals('values')];
export const nodeTermForm: StructureForm = [...listOf('matchExpressions', requirements), ...listOf('matchFields', requirements)];
export const affinityForm: StructureForm = optionalStructure('required', listOf('nodeSelectorTerms', nodeTermForm));

export const volumeForm: StructureForm = [
  ...maps('capacity'),
  ...sourceForm,
  ...optionals('accessModes'),
  ...optionalStructure('claimRef', object),
  ...texts('persistentVolumeReclaimPolicy', 'storageClassName'),
  ...optionals('mountOptions', 'volumeMode'),
  ...optionalStructure('nodeAffinity', affinityForm),
  ...optionals('volumeAttributesClassName'),
];
