import type * as v1 from '../../../../api/types/core/v1.js';
import {
  all,
  atOnce,
  changed,
  dnsLabel,
  dnsSubdomain,
  driverName,
  invalid,
  isSet,
  knowing,
  members,
  missing,
  noBacksteps,
  optional,
  required,
  union,
  withFacts,
  type FieldError,
  type Path,
  type Writable,
} from '../../language.js';
import { namedSecret, needs } from '../podSpec/validation/sources/rule.js';
import { iscsi, storageosVolume } from '../podSpec/validation/sources/storage.js';
import { sharedSources, sourceNames } from '../podSpec/validation/sources/table.js';

export interface SourceFacts {
  readonly volumeName: string;
  /** The path of a node affinity that is absent. */
  readonly unplaced: Path | null;
}

/** A secret needs an explicit namespace: a volume has none. */
const secret = optional(members<v1.SecretReference>({ name: required(dnsSubdomain), namespace: required(dnsLabel) }));
const csi = members<v1.CSIPersistentVolumeSource>({
  driver: (driver, path) => driverName(driver ?? '', path),
  volumeHandle: required(),
  controllerPublishSecretRef: secret,
  controllerExpandSecretRef: secret,
  nodePublishSecretRef: secret,
  nodeExpandSecretRef: secret,
});

const fullSecret = optional(needs<v1.SecretReference>('name', 'namespace'));

const namespace = optional((name: string, path: Path): FieldError[] =>
  name === '' ? [invalid(path, '', 'if the endpointnamespace is set, it must be a valid namespace name')] : dnsLabel(name, path),
);

/** The volume's name is part of the initiator's, which has a limit. */
const iscsiNameBytesMax = 64;
const initiator = knowing(
  ({ targetPortal: portal = '', initiatorName }: Writable<v1.ISCSIPersistentVolumeSource>, path, { volumeName }: SourceFacts) =>
    isSet(initiatorName) && Buffer.byteLength(`${volumeName}:${portal}`) > iscsiNameBytesMax
      ? [
          invalid(
            path.child('targetportal'),
            portal,
            `Total length of <volume name>:<iscsi.targetPortal> must be under ${iscsiNameBytesMax} characters if iscsi.initiatorName is specified.`,
          ),
        ]
      : [],
);

/** This message does not describe how names start. */
const plainName = (finding: FieldError): FieldError => ({
  ...finding,
  message: finding.message.replace(' starting with iqn, eui, or naa', ''),
});

const placed = knowing((_local: unknown, _path, { unplaced }: SourceFacts) =>
  unplaced === null ? [] : [missing(unplaced, 'Local volume requires node affinity')],
);

const { hostPath, gcePersistentDisk, awsElasticBlockStore, flocker, nfs, quobyte, fc, flexVolume } = sharedSources;
const { vsphereVolume, photonPersistentDisk, portworxVolume, azureDisk } = sharedSources;

/** Sources of persistent volumes in the reference's checking order. It checks one of them whatever precedes it. */
const volumeSources = union<v1.PersistentVolumeSpec, SourceFacts>(
  {
    hostPath,
    gcePersistentDisk,
    awsElasticBlockStore,
    glusterfs: members<v1.GlusterfsPersistentVolumeSource>({ endpoints: required(), path: required(), endpointsNamespace: namespace }),
    flocker,
    nfs,
    rbd: needs<v1.RBDPersistentVolumeSource>('monitors', 'image'),
    quobyte,
    cephfs: needs<v1.CephFSPersistentVolumeSource>('monitors'),
    iscsi: optional<Writable<v1.ISCSIPersistentVolumeSource>, unknown, SourceFacts>(
      initiator,
      changed(iscsi, (findings) => findings.map(plainName)),
      members<v1.ISCSIPersistentVolumeSource>({ secretRef: namedSecret }),
    ),
    cinder: members<v1.CinderPersistentVolumeSource>({ volumeID: required(), secretRef: fullSecret }),
    fc,
    flexVolume,
    azureFile: members<v1.AzureFilePersistentVolumeSource>({
      secretName: required(),
      shareName: required(),
      secretNamespace: (name, path) => (name === '' ? [missing(path, '')] : []),
    }),
    vsphereVolume,
    photonPersistentDisk,
    portworxVolume,
    azureDisk,
    scaleIO: needs<v1.ScaleIOPersistentVolumeSource>('gateway', 'system', 'volumeName'),
    local: all<Writable<v1.LocalVolumeSource> | undefined, unknown, SourceFacts>(
      members<v1.LocalVolumeSource>({ path: required(noBacksteps) }),
      placed,
    ),
    storageos: all<Writable<v1.StorageOSPersistentVolumeSource> | undefined>(
      storageosVolume,
      members<v1.StorageOSPersistentVolumeSource>({ secretRef: fullSecret }),
    ),
    csi,
  },
  {
    none: 'must specify a volume type',
    surplus: 'may not specify more than 1 volume type',
    names: sourceNames,
    checked: ['flexVolume'],
  },
);

export const validateVolumeSources = (spec: Writable<v1.PersistentVolumeSpec>, facts: SourceFacts, path: Path): FieldError[] =>
  atOnce(withFacts(volumeSources, facts)(spec, path));
