import * as enums from '../../../../../../api/data/enums.js';
import {
  all,
  between,
  dnsLabel,
  inRange,
  invalid,
  isSet,
  itemsOf,
  members,
  missing,
  nonZero,
  notSupported,
  oneOf,
  optional,
  required,
  type FieldError,
  type Path,
  type Writable,
} from '../../../../language.js';
import type * as v1 from '../../../../../../api/types/core/v1.js';
import { namedSecret, needs } from './rule.js';

/** Storage systems, most of them older than the Container Storage Interface (CSI). */

const absolute = (value: string | undefined, path: Path): FieldError[] =>
  value?.startsWith('/') === true ? [] : [invalid(path, value ?? '', 'must be an absolute path')];
export const nfs = members<v1.NFSVolumeSource>({ server: required(), path: all(required(), absolute) });

/** Forms of iSCSI names, by prefix. */
const iscsiNames: readonly (readonly [prefix: string, form: RegExp])[] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+$/],
  ['eui', /^eui.[a-zA-Z0-9]{16}$/],
  ['naa', /^naa.[a-zA-Z0-9]{32}$/],
];

function iscsiName(name: string, path: Path): FieldError[] {
  const form = iscsiNames.find(([prefix]) => name.startsWith(prefix))?.[1];
  if (form === undefined) return [invalid(path, name, 'must be valid format starting with iqn, eui, or naa')];
  return form.test(name) ? [] : [invalid(path, name, 'must be valid format')];
}

const logicalUnit = (lun: number, path: Path): FieldError[] => inRange(lun, 0, 255, path);

type Iscsi = Pick<v1.ISCSIVolumeSource, 'targetPortal' | 'iqn' | 'lun' | 'chapAuthDiscovery' | 'chapAuthSession' | 'initiatorName'> & {
  readonly secretRef?: object;
};

export const iscsi = all<Writable<Iscsi>>(
  members<Iscsi>({
    targetPortal: required(),
    iqn: required(iscsiName),
    lun: optional(logicalUnit),
    secretRef: (secret, path, { chapAuthDiscovery, chapAuthSession }) =>
      (chapAuthDiscovery === true || chapAuthSession === true) && !isSet(secret) ? [missing(path, '')] : [],
  }),
  ({ initiatorName }, path) => (isSet(initiatorName) ? iscsiName(initiatorName, path.child('initiatorname')) : []),
);

export const fc = members<v1.FCVolumeSource>({
  targetWWNs(names, path, { wwids }) {
    const [hasNames, hasIds] = [itemsOf(names).length > 0, itemsOf(wwids).length > 0];
    if (!hasNames && !hasIds) return [missing(path, 'must specify either targetWWNs or wwids, but not both')];
    return hasNames && hasIds ? [invalid(path, names, 'targetWWNs and wwids can not be specified simultaneously')] : [];
  },
  lun(lun, path, { targetWWNs }) {
    if (itemsOf(targetWWNs).length === 0) return [];
    return isSet(lun) ? logicalUnit(lun, path) : [missing(path, 'lun is required if targetWWNs is specified')];
  },
});

/** Partition 0 is the whole disk, though the message excludes it. */
const partition = optional((value: number, path: Path): FieldError[] =>
  value < 0 || value > 255 ? [invalid(path, value, between(1, 255))] : [],
);
export const gcePersistentDisk = members<v1.GCEPersistentDiskVolumeSource>({ pdName: required(), partition });
export const awsElasticBlockStore = members<v1.AWSElasticBlockStoreVolumeSource>({ volumeID: required(), partition });

export function flocker({ datasetName: name = '', datasetUUID: uuid = '' }: Writable<v1.FlockerVolumeSource>, path: Path): FieldError[] {
  return [
    ...(name === '' && uuid === '' ? [missing(path, 'one of datasetName and datasetUUID is required')] : []),
    ...(name !== '' && uuid !== '' ? [invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')] : []),
    ...(name.includes('/') ? [invalid(path.child('datasetName'), name, "must not contain '/'")] : []),
  ];
}

const registryText = 'must be a host:port pair or multiple pairs separated by commas';
const tenantCharactersMax = 64;
const hostAndPort = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

function registryOf({ registry = '', tenant = '' }: Writable<v1.QuobyteVolumeSource>, path: Path): FieldError[] {
  const at = path.child('registry');
  if (registry === '') return [missing(at, registryText)];
  if (tenant.length > tenantCharactersMax)
    return [missing(path.child('tenant'), `must be a UUID and may not exceed a length of ${tenantCharactersMax} characters`)];
  return registry.split(',').flatMap((pair) => (hostAndPort.test(pair) ? [] : [invalid(at, registry, registryText)]));
}
export const quobyte = all<Writable<v1.QuobyteVolumeSource>>(registryOf, needs<v1.QuobyteVolumeSource>('volume'));

const reservedDomain = /(^|\.)(kubernetes|k8s)\.io$/i;
const options = (given: Writable<v1.FlexVolumeSource>['options'], path: Path): FieldError[] =>
  Object.keys(given ?? {})
    .filter((option) => reservedDomain.test(option.split('/')[0] ?? ''))
    .map((option) => invalid(path.key(option), option, 'kubernetes.io and k8s.io namespaces are reserved'));
export const flexVolume = members<Pick<v1.FlexVolumeSource, 'driver' | 'options'>>({ driver: required(), options });

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function diskAddress(address: string | undefined, path: Path, { kind }: Writable<v1.AzureDiskVolumeSource>): FieldError[] {
  if (!isSet(kind)) return [];
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk];
  return address?.startsWith(start) === true ? [] : [notSupported(path, address ?? '', [form])];
}

export const azureDisk = all<Writable<v1.AzureDiskVolumeSource> | null | undefined>(
  members<v1.AzureDiskVolumeSource>({
    diskName: required(),
    diskURI: required(),
    cachingMode: optional(oneOf(...enums.AzureDataDiskCachingMode)),
    kind: optional(oneOf(...enums.AzureDataDiskKind)),
  }),
  members<v1.AzureDiskVolumeSource>({ diskURI: diskAddress }),
);

type StorageOs = Pick<v1.StorageOSVolumeSource, 'volumeName' | 'volumeNamespace'>;
export const storageosVolume = members<StorageOs>({ volumeName: required(dnsLabel), volumeNamespace: nonZero(dnsLabel) });
export const storageos = members<v1.StorageOSVolumeSource>({
  volumeName: required(dnsLabel),
  volumeNamespace: nonZero(dnsLabel),
  secretRef: namedSecret,
});

export const cinder = members<v1.CinderVolumeSource>({ volumeID: required(), secretRef: namedSecret });
