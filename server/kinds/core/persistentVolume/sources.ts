import type { JsonObject } from '../../../../api/object.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';
import { driverName } from '../../../registry/validation/drivernames.js';
import { forbidden, invalid, type Path, required, type FieldError } from '../../../registry/validation/field.js';
import { dnsLabel, dnsSubdomain, noBacksteps, requiredDnsLabel } from '../../../registry/validation/values.js';
import { namedSecret, needs, type SourceRule } from '../podSpec/validation/sources/rule.js';
import { iscsi, storageosVolume } from '../podSpec/validation/sources/storage.js';
import { reportedAs, surplusAs, volumeSources } from '../podSpec/validation/sources/table.js';

const local: SourceRule = (source, path) => {
  const where = textAt(source, 'path');
  return where === '' ? [required(path.child('path'), '')] : noBacksteps(where, path.child('path'));
};

/** A secret needs an explicit namespace: a volume has none. */
const secretOf = (member: string, path: Path, source: JsonObject): FieldError[] => {
  const secret = objectAt(source, member);
  if (secret === null) return [];
  const [name, namespace] = [textAt(secret, 'name'), textAt(secret, 'namespace')];
  return [
    ...(name === '' ? [required(path.child(member, 'name'), '')] : dnsSubdomain(name, path.child(member, 'name'))),
    ...requiredDnsLabel(namespace, path.child(member, 'namespace')),
  ];
};

const csi: SourceRule = (source, path) => [
  ...driverName(textAt(source, 'driver'), path.child('driver')),
  ...(textAt(source, 'volumeHandle') === '' ? [required(path.child('volumeHandle'), '')] : []),
  ...['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'].flatMap((member) =>
    secretOf(member, path, source),
  ),
];

/** Checks that a secret is named in full. */
const withSecret =
  (rule: SourceRule): SourceRule =>
  (source, path, name) => {
    const secret = objectAt(source, 'secretRef');
    return [...rule(source, path, name), ...(secret === null ? [] : needs('name', 'namespace')(secret, path.child('secretRef'), ''))];
  };

const glusterfs: SourceRule = (source, path) => {
  const namespace = source['endpointsNamespace'] ?? null;
  const at = path.child('endpointsNamespace');
  return [
    ...needs('endpoints', 'path')(source, path, ''),
    ...(namespace === null
      ? []
      : namespace === ''
        ? [invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name')]
        : dnsLabel(String(namespace), at)),
  ];
};

/** The volume's name is part of the initiator's, which has a limit. */
const iscsiNameBytesMax = 64;

const iscsiOfVolume: SourceRule = (source, path, volumeName) => {
  const portal = textAt(source, 'targetPortal');
  const isTooLong = source['initiatorName'] != null && Buffer.byteLength(`${volumeName}:${portal}`) > iscsiNameBytesMax;
  return [
    ...(isTooLong
      ? [
          invalid(
            path.child('targetportal'),
            portal,
            `Total length of <volume name>:<iscsi.targetPortal> must be under ${iscsiNameBytesMax} characters if iscsi.initiatorName is specified.`,
          ),
        ]
      : []),
    ...iscsi(source, path, volumeName).map(plainName),
    ...(objectAt(source, 'secretRef') !== null ? namedSecret(source, path, '') : []),
  ];
};

/** This message does not describe how names start. */
const plainName = (finding: FieldError): FieldError => ({
  ...finding,
  message: finding.message.replace(' starting with iqn, eui, or naa', ''),
});

const azureFile: SourceRule = (source, path) => [
  ...['secretName', 'shareName'].filter((member) => textAt(source, member) === '').map((member) => required(path.child(member), '')),
  ...(source['secretNamespace'] === '' ? [required(path.child('secretNamespace'), '')] : []),
];

const shared = (name: string): SourceRule => volumeSources[name] ?? ((): FieldError[] => []);

/** Sources of persistent volumes in the reference's checking order. */
const sources: Readonly<Record<string, SourceRule>> = {
  ...Object.fromEntries(['hostPath', 'gcePersistentDisk', 'awsElasticBlockStore'].map((name) => [name, shared(name)])),
  glusterfs,
  ...Object.fromEntries(['flocker', 'nfs', 'rbd', 'quobyte', 'cephfs'].map((name) => [name, shared(name)])),
  iscsi: iscsiOfVolume,
  cinder: withSecret(needs('volumeID')),
  ...Object.fromEntries(['fc', 'flexVolume'].map((name) => [name, shared(name)])),
  azureFile,
  ...Object.fromEntries(
    ['vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk', 'scaleIO'].map((name) => [name, shared(name)]),
  ),
  local,
  storageos: withSecret(storageosVolume),
  csi,
};

export interface SourceSurroundings {
  readonly volumeName: string;
  /** The volume has a node affinity. */ readonly hasPlace: boolean;
}

/** Exactly one source is required; the first one is checked. */
export function validateVolumeSources(spec: JsonObject, { volumeName, hasPlace }: SourceSurroundings, path: Path): FieldError[] {
  const present = Object.keys(sources).filter((name) => objectAt(spec, name) !== null);
  const findings = present.flatMap((name, position) => {
    // The reference checks this source whatever precedes it.
    if (position > 0 && name !== 'flexVolume')
      return [forbidden(path.child(surplusAs[name] ?? name), 'may not specify more than 1 volume type')];
    const ofSource = sources[name]?.(objectAt(spec, name) ?? {}, path.child(reportedAs[name] ?? name), volumeName) ?? [];
    return name === 'local' && !hasPlace
      ? [...ofSource, required(path.child('nodeAffinity'), 'Local volume requires node affinity')]
      : ofSource;
  });
  return present.length === 0 ? [required(path, 'must specify a volume type')] : findings;
}
