import type { JsonValue } from '../../../../../../api/object.js';
import { objectAt } from '../../../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../../../api/json/members.js';
import { invalid, notSupported, type Path, required, type FieldError } from '../../../../../registry/validation/field.js';
import { between, dnsLabel, inRange, optionallyOneOf } from '../../../../../registry/validation/values.js';
import { all, namedSecret, needs, type SourceRule } from './rule.js';

/** Storage systems, most of them older than the Container Storage Interface (CSI). */

export const nfs: SourceRule = (source, path) => [
  ...needs('server', 'path')(source, path, ''),
  ...(textAt(source, 'path').startsWith('/') ? [] : [invalid(path.child('path'), textAt(source, 'path'), 'must be an absolute path')]),
];

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

export const iscsi: SourceRule = (source, path) => {
  const [name, initiator] = [textAt(source, 'iqn'), source['initiatorName']];
  const authenticates = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true;
  return [
    ...needs('targetPortal')(source, path, ''),
    ...(name === '' ? [required(path.child('iqn'), '')] : iscsiName(name, path.child('iqn'))),
    ...inRange(source['lun'], 0, 255, path.child('lun')),
    ...(authenticates && objectAt(source, 'secretRef') === null ? [required(path.child('secretRef'), '')] : []),
    ...(typeof initiator === 'string' ? iscsiName(initiator, path.child('initiatorname')) : []),
  ];
};

export const fc: SourceRule = (source, path) => {
  const [names, ids] = [itemsOf(source['targetWWNs']).length > 0, itemsOf(source['wwids']).length > 0];
  const lun = source['lun'] ?? null;
  return [
    ...(!names && !ids ? [required(path.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both')] : []),
    ...(names && ids
      ? [invalid(path.child('targetWWNs'), source['targetWWNs'], 'targetWWNs and wwids can not be specified simultaneously')]
      : []),
    ...(!names
      ? []
      : lun === null
        ? [required(path.child('lun'), 'lun is required if targetWWNs is specified')]
        : inRange(lun, 0, 255, path.child('lun'))),
  ];
};

/** Partition 0 is the whole disk, though the message excludes it. */
const partition = (value: JsonValue | undefined, path: Path): FieldError[] =>
  inRange(value, 0, 255, path).length > 0 ? [invalid(path, value, between(1, 255))] : [];
export const partitionedDisk =
  (idMember: string): SourceRule =>
  (source, path) => [...needs(idMember)(source, path, ''), ...partition(source['partition'], path.child('partition'))];

export const flocker: SourceRule = (source, path) => {
  const [name, uuid] = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')];
  return [
    ...(name === '' && uuid === '' ? [required(path, 'one of datasetName and datasetUUID is required')] : []),
    ...(name !== '' && uuid !== '' ? [invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')] : []),
    ...(name.includes('/') ? [invalid(path.child('datasetName'), name, "must not contain '/'")] : []),
  ];
};

const registryText = 'must be a host:port pair or multiple pairs separated by commas';
const tenantCharactersMax = 64;
const hostAndPort = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

export const quobyte: SourceRule = (source, path) => {
  const registry = textAt(source, 'registry');
  return [...ofRegistry(), ...needs('volume')(source, path, '')];

  function ofRegistry(): FieldError[] {
    if (registry === '') return [required(path.child('registry'), registryText)];
    if (textAt(source, 'tenant').length > tenantCharactersMax)
      return [required(path.child('tenant'), `must be a UUID and may not exceed a length of ${tenantCharactersMax} characters`)];
    return registry
      .split(',')
      .filter((pair) => !hostAndPort.test(pair))
      .map(() => invalid(path.child('registry'), registry, registryText));
  }
};

const reservedDomain = /(^|\.)(kubernetes|k8s)\.io$/i;

export const flexVolume: SourceRule = (source, path) => [
  ...needs('driver')(source, path, ''),
  ...Object.keys(objectAt(source, 'options') ?? {})
    .filter((option) => reservedDomain.test(option.split('/')[0] ?? ''))
    .map((option) => invalid(path.child('options').key(option), option, 'kubernetes.io and k8s.io namespaces are reserved')),
];

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export const azureDisk: SourceRule = (source, path) => [
  ...needs('diskName', 'diskURI')(source, path, ''),
  ...optionallyOneOf(source['cachingMode'], ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode')),
  ...optionallyOneOf(source['kind'], ['Dedicated', 'Managed', 'Shared'], path.child('kind')),
  ...diskAddress(source['kind'] ?? null, textAt(source, 'diskURI'), path.child('diskURI')),
];

function diskAddress(kind: JsonValue, address: string, path: Path): FieldError[] {
  if (kind === null) return [];
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk];
  return address.startsWith(start) ? [] : [notSupported(path, address, [form])];
}

export const storageosVolume: SourceRule = (source, path) => {
  const [volume, namespace] = [textAt(source, 'volumeName'), textAt(source, 'volumeNamespace')];
  return [
    ...(volume === '' ? [required(path.child('volumeName'), '')] : dnsLabel(volume, path.child('volumeName'))),
    ...(namespace === '' ? [] : dnsLabel(namespace, path.child('volumeNamespace'))),
  ];
};
export const storageos: SourceRule = all(storageosVolume, namedSecret);

export const cinder: SourceRule = all(needs('volumeID'), namedSecret);
