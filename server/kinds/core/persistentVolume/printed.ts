import type { StructureForm } from '../../../registry/validation/internalform.js';

/** Members of the reference's own structures for persistent volumes, in its order: what messages show. */

const SECRET: StructureForm = [
  ['name', 'Name', 'text'],
  ['namespace', 'Namespace', 'text'],
];
const OBJECT: StructureForm = [
  ['kind', 'Kind', 'text'],
  ['namespace', 'Namespace', 'text'],
  ['name', 'Name', 'text'],
  ['uid', 'UID', 'text'],
  ['apiVersion', 'APIVersion', 'text'],
  ['resourceVersion', 'ResourceVersion', 'text'],
  ['fieldPath', 'FieldPath', 'text'],
];
const FS_TYPE = ['fsType', 'FSType', 'text'] as const;
const READ_ONLY = ['readOnly', 'ReadOnly', 'flag'] as const;
const SECRET_REF = ['secretRef', 'SecretRef', { optional: SECRET }] as const;
const PARTITION = ['partition', 'Partition', 'number'] as const;

const ISCSI: StructureForm = [
  ['targetPortal', 'TargetPortal', 'text'],
  ['iqn', 'IQN', 'text'],
  ['lun', 'Lun', 'number'],
  ['iscsiInterface', 'ISCSIInterface', 'text'],
  FS_TYPE,
  READ_ONLY,
  ['portals', 'Portals', 'optional'],
  ['chapAuthDiscovery', 'DiscoveryCHAPAuth', 'flag'],
  ['chapAuthSession', 'SessionCHAPAuth', 'flag'],
  SECRET_REF,
  ['initiatorName', 'InitiatorName', 'optional'],
];
const RBD: StructureForm = [
  ['monitors', 'CephMonitors', 'optional'],
  ['image', 'RBDImage', 'text'],
  FS_TYPE,
  ['pool', 'RBDPool', 'text'],
  ['user', 'RadosUser', 'text'],
  ['keyring', 'Keyring', 'text'],
  SECRET_REF,
  READ_ONLY,
];
const AZURE_DISK: StructureForm = [
  ['diskName', 'DiskName', 'text'],
  ['diskURI', 'DataDiskURI', 'text'],
  ['cachingMode', 'CachingMode', 'optional'],
  ['fsType', 'FSType', 'optional'],
  ['readOnly', 'ReadOnly', 'optional'],
  ['kind', 'Kind', 'optional'],
];
const SCALE_IO: StructureForm = [
  ['gateway', 'Gateway', 'text'],
  ['system', 'System', 'text'],
  SECRET_REF,
  ['sslEnabled', 'SSLEnabled', 'flag'],
  ['protectionDomain', 'ProtectionDomain', 'text'],
  ['storagePool', 'StoragePool', 'text'],
  ['storageMode', 'StorageMode', 'text'],
  ['volumeName', 'VolumeName', 'text'],
  FS_TYPE,
  READ_ONLY,
];
const CSI: StructureForm = [
  ['driver', 'Driver', 'text'],
  ['volumeHandle', 'VolumeHandle', 'text'],
  READ_ONLY,
  FS_TYPE,
  ['volumeAttributes', 'VolumeAttributes', 'optional'],
  ['controllerPublishSecretRef', 'ControllerPublishSecretRef', { optional: SECRET }],
  ['nodeStageSecretRef', 'NodeStageSecretRef', { optional: SECRET }],
  ['nodePublishSecretRef', 'NodePublishSecretRef', { optional: SECRET }],
  ['controllerExpandSecretRef', 'ControllerExpandSecretRef', { optional: SECRET }],
  ['nodeExpandSecretRef', 'NodeExpandSecretRef', { optional: SECRET }],
];

export const SOURCE_FORM: StructureForm = [
  ['gcePersistentDisk', 'GCEPersistentDisk', { optional: [['pdName', 'PDName', 'text'], FS_TYPE, PARTITION, READ_ONLY] }],
  ['awsElasticBlockStore', 'AWSElasticBlockStore', { optional: [['volumeID', 'VolumeID', 'text'], FS_TYPE, PARTITION, READ_ONLY] }],
  [
    'hostPath',
    'HostPath',
    {
      optional: [
        ['path', 'Path', 'text'],
        ['type', 'Type', 'optional'],
      ],
    },
  ],
  [
    'glusterfs',
    'Glusterfs',
    {
      optional: [
        ['endpoints', 'EndpointsName', 'text'],
        ['path', 'Path', 'text'],
        READ_ONLY,
        ['endpointsNamespace', 'EndpointsNamespace', 'optional'],
      ],
    },
  ],
  ['nfs', 'NFS', { optional: [['server', 'Server', 'text'], ['path', 'Path', 'text'], READ_ONLY] }],
  ['rbd', 'RBD', { optional: RBD }],
  [
    'quobyte',
    'Quobyte',
    {
      optional: [
        ['registry', 'Registry', 'text'],
        ['volume', 'Volume', 'text'],
        READ_ONLY,
        ['user', 'User', 'text'],
        ['group', 'Group', 'text'],
        ['tenant', 'Tenant', 'text'],
      ],
    },
  ],
  ['iscsi', 'ISCSI', { optional: ISCSI }],
  [
    'flexVolume',
    'FlexVolume',
    { optional: [['driver', 'Driver', 'text'], FS_TYPE, SECRET_REF, READ_ONLY, ['options', 'Options', 'optional']] },
  ],
  ['cinder', 'Cinder', { optional: [['volumeID', 'VolumeID', 'text'], FS_TYPE, READ_ONLY, SECRET_REF] }],
  [
    'cephfs',
    'CephFS',
    {
      optional: [
        ['monitors', 'Monitors', 'optional'],
        ['path', 'Path', 'text'],
        ['user', 'User', 'text'],
        ['secretFile', 'SecretFile', 'text'],
        SECRET_REF,
        READ_ONLY,
      ],
    },
  ],
  [
    'fc',
    'FC',
    {
      optional: [['targetWWNs', 'TargetWWNs', 'optional'], ['lun', 'Lun', 'optional'], FS_TYPE, READ_ONLY, ['wwids', 'WWIDs', 'optional']],
    },
  ],
  [
    'flocker',
    'Flocker',
    {
      optional: [
        ['datasetName', 'DatasetName', 'text'],
        ['datasetUUID', 'DatasetUUID', 'text'],
      ],
    },
  ],
  [
    'azureFile',
    'AzureFile',
    {
      optional: [
        ['secretName', 'SecretName', 'text'],
        ['shareName', 'ShareName', 'text'],
        READ_ONLY,
        ['secretNamespace', 'SecretNamespace', 'optional'],
      ],
    },
  ],
  [
    'vsphereVolume',
    'VsphereVolume',
    {
      optional: [
        ['volumePath', 'VolumePath', 'text'],
        FS_TYPE,
        ['storagePolicyName', 'StoragePolicyName', 'text'],
        ['storagePolicyID', 'StoragePolicyID', 'text'],
      ],
    },
  ],
  ['azureDisk', 'AzureDisk', { optional: AZURE_DISK }],
  ['photonPersistentDisk', 'PhotonPersistentDisk', { optional: [['pdID', 'PdID', 'text'], FS_TYPE] }],
  ['portworxVolume', 'PortworxVolume', { optional: [['volumeID', 'VolumeID', 'text'], FS_TYPE, READ_ONLY] }],
  ['scaleIO', 'ScaleIO', { optional: SCALE_IO }],
  [
    'local',
    'Local',
    {
      optional: [
        ['path', 'Path', 'text'],
        ['fsType', 'FSType', 'optional'],
      ],
    },
  ],
  [
    'storageos',
    'StorageOS',
    {
      optional: [
        ['volumeName', 'VolumeName', 'text'],
        ['volumeNamespace', 'VolumeNamespace', 'text'],
        FS_TYPE,
        READ_ONLY,
        ['secretRef', 'SecretRef', { optional: OBJECT }],
      ],
    },
  ],
  ['csi', 'CSI', { optional: CSI }],
];

const REQUIREMENTS: StructureForm = [
  ['key', 'Key', 'text'],
  ['operator', 'Operator', 'text'],
  ['values', 'Values', 'optional'],
];
export const AFFINITY_FORM: StructureForm = [
  [
    'required',
    'Required',
    {
      optional: [
        [
          'nodeSelectorTerms',
          'NodeSelectorTerms',
          {
            list: [
              ['matchExpressions', 'MatchExpressions', { list: REQUIREMENTS }],
              ['matchFields', 'MatchFields', { list: REQUIREMENTS }],
            ],
          },
        ],
      ],
    },
  ],
];

export const VOLUME_FORM: StructureForm = [
  ['capacity', 'Capacity', 'optional'],
  ...SOURCE_FORM,
  ['accessModes', 'AccessModes', 'optional'],
  ['claimRef', 'ClaimRef', { optional: OBJECT }],
  ['persistentVolumeReclaimPolicy', 'PersistentVolumeReclaimPolicy', 'text'],
  ['storageClassName', 'StorageClassName', 'text'],
  ['mountOptions', 'MountOptions', 'optional'],
  ['volumeMode', 'VolumeMode', 'optional'],
  ['nodeAffinity', 'NodeAffinity', { optional: AFFINITY_FORM }],
  ['volumeAttributesClassName', 'VolumeAttributesClassName', 'optional'],
];
