import * as enums from '../../../../../../api/data/enums.js';
import {
  andThen,
  dnsSubdomain,
  driverName,
  forbidden,
  isNegative,
  isSet,
  localPath,
  members,
  missing,
  noBacksteps,
  oneOf,
  optional,
  required,
  type FieldError,
  type Path,
  type Writable,
} from '../../../../language.js';
import type * as v1 from '../../../../../../api/types/core/v1.js';
import { configMap, downwardApi, projected, secret } from './files.js';
import { needs } from './rule.js';
import {
  awsElasticBlockStore,
  azureDisk,
  cinder,
  fc,
  flexVolume,
  flocker,
  gcePersistentDisk,
  iscsi,
  nfs,
  quobyte,
  storageos,
} from './storage.js';

const notNegative = (size: string, path: Path): FieldError[] =>
  isNegative(size) ? [forbidden(path, 'SizeLimit field must be a valid resource quantity')] : [];

const hostPath = andThen(
  needs<v1.HostPathVolumeSource>('path'),
  members<v1.HostPathVolumeSource>({
    path: optional(noBacksteps),
    type: optional(oneOf(...enums.HostPathType)),
  }),
);

function publishSecret({ nodePublishSecretRef: ref }: Writable<v1.CSIVolumeSource>, path: Path): FieldError[] {
  if (!isSet(ref)) return [];
  return (ref.name ?? '') === ''
    ? [missing(path.child('nodePublishSecretRef', 'name'), '')]
    : dnsSubdomain(ref.name ?? '', path.child('name'));
}

/** Sources that pods and persistent volumes have in common. */
export const sharedSources = {
  hostPath,
  gcePersistentDisk,
  awsElasticBlockStore,
  flocker: optional(flocker),
  nfs,
  quobyte: optional(quobyte),
  fc,
  flexVolume,
  vsphereVolume: needs<v1.VsphereVirtualDiskVolumeSource>('volumePath'),
  photonPersistentDisk: needs<v1.PhotonPersistentDiskVolumeSource>('pdID'),
  portworxVolume: needs<v1.PortworxVolumeSource>('volumeID'),
  azureDisk,
};

/** Sources stand in the reference's order. Ephemeral claims are elsewhere: their rules need those of claims. */
export const volumeSources = {
  emptyDir: members<v1.EmptyDirVolumeSource>({ sizeLimit: optional(notNegative) }),
  hostPath,
  gitRepo: members<v1.GitRepoVolumeSource>({ repository: required(), directory: optional(localPath) }),
  gcePersistentDisk,
  awsElasticBlockStore,
  secret,
  nfs,
  iscsi: optional(iscsi),
  glusterfs: needs<v1.GlusterfsVolumeSource>('endpoints', 'path'),
  flocker: sharedSources.flocker,
  persistentVolumeClaim: needs<v1.PersistentVolumeClaimVolumeSource>('claimName'),
  rbd: needs<v1.RBDVolumeSource>('monitors', 'image'),
  cinder,
  cephfs: needs<v1.CephFSVolumeSource>('monitors'),
  quobyte: sharedSources.quobyte,
  downwardAPI: optional(downwardApi),
  fc,
  flexVolume,
  configMap,
  azureFile: needs<v1.AzureFileVolumeSource>('secretName', 'shareName'),
  vsphereVolume: sharedSources.vsphereVolume,
  photonPersistentDisk: sharedSources.photonPersistentDisk,
  portworxVolume: sharedSources.portworxVolume,
  azureDisk,
  storageos,
  projected: optional(projected),
  scaleIO: needs<v1.ScaleIOVolumeSource>('gateway', 'system', 'volumeName'),
  csi: optional<Writable<v1.CSIVolumeSource>>(
    members<v1.CSIVolumeSource>({ driver: (value, path) => driverName(value ?? '', path) }),
    publishSecret,
  ),
};

/** Paths of sources that differ from their names: of the one that is checked, and of surplus ones. */
export const sourceNames = {
  first: { gcePersistentDisk: 'persistentDisk' },
  further: { cephfs: 'cephFS', downwardAPI: 'downwarAPI' },
};
