import { messageNamed, type MessageField } from './protobuf.js';

/**
 * The structures of the reference (`k8s.io/api`), which it hashes and quotes in messages. Members and types are those of the Protobuf messages; the tables
 * hold the differences in Go. Structures have the names of their messages (`core.v1.PodSpec`); the tables leave out `core.v1` and `meta.v1`.
 */

/** Members by the one that they follow. */
export type Followers = Readonly<Record<string, readonly string[]>>;

/** Members follow these in Go, whatever their number in Protobuf. */
const containerFollowers: Followers = {
  ports: ['envFrom'],
  resources: ['resizePolicy', 'restartPolicy', 'restartPolicyRules'],
  volumeMounts: ['volumeDevices'],
  readinessProbe: ['startupProbe'],
  terminationMessagePath: ['terminationMessagePolicy'],
};
const followers: Readonly<Record<string, Followers>> = {
  PodSpec: {
    volumes: ['initContainers'],
    containers: ['ephemeralContainers'],
    serviceAccount: ['automountServiceAccountToken'],
    hostIPC: ['shareProcessNamespace'],
  },
  Container: containerFollowers,
  EphemeralContainerCommon: containerFollowers,
  PodSecurityContext: {
    seLinuxOptions: ['windowsOptions'],
    runAsUser: ['runAsGroup'],
    supplementalGroups: ['supplementalGroupsPolicy'],
  },
  SecurityContext: { seLinuxOptions: ['windowsOptions'], runAsUser: ['runAsGroup'] },
  VolumeSource: { photonPersistentDisk: ['projected'] },
  VolumeMount: { readOnly: ['recursiveReadOnly'] },
  ISCSIVolumeSource: { chapAuthDiscovery: ['chapAuthSession'] },
  ISCSIPersistentVolumeSource: { chapAuthDiscovery: ['chapAuthSession'] },
  'autoscaling.v2.HPAScalingRules': { stabilizationWindowSeconds: ['selectPolicy', 'policies'] },
  ClusterTrustBundleProjection: { labelSelector: ['optional'] },
  PersistentVolumeClaimSpec: { accessModes: ['selector'] },
};

/** Texts with their own type, by structure and member. */
const textTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ObjectMeta: { uid: 'types.UID' },
  PodSpec: { restartPolicy: 'RestartPolicy', dnsPolicy: 'DNSPolicy', preemptionPolicy: 'PreemptionPolicy' },
  PodSecurityContext: {
    supplementalGroupsPolicy: 'SupplementalGroupsPolicy',
    fsGroupChangePolicy: 'PodFSGroupChangePolicy',
    seLinuxChangePolicy: 'PodSELinuxChangePolicy',
  },
  Container: {
    restartPolicy: 'ContainerRestartPolicy',
    terminationMessagePolicy: 'TerminationMessagePolicy',
    imagePullPolicy: 'PullPolicy',
  },
  ContainerPort: { protocol: 'Protocol' },
  ContainerResizePolicy: { resourceName: 'ResourceName', restartPolicy: 'ResourceResizeRestartPolicy' },
  ContainerRestartRule: { action: 'ContainerRestartRuleAction' },
  ContainerRestartRuleOnExitCodes: { operator: 'ContainerRestartRuleOnExitCodesOperator' },
  VolumeMount: { recursiveReadOnly: 'RecursiveReadOnlyMode', mountPropagation: 'MountPropagationMode' },
  Lifecycle: { stopSignal: 'Signal' },
  SecurityContext: { procMount: 'ProcMountType' },
  SeccompProfile: { type: 'SeccompProfileType' },
  AppArmorProfile: { type: 'AppArmorProfileType' },
  Capabilities: { add: 'Capability', drop: 'Capability' },
  HTTPGetAction: { scheme: 'URIScheme' },
  Toleration: { operator: 'TolerationOperator', effect: 'TaintEffect' },
  PodReadinessGate: { conditionType: 'PodConditionType' },
  TopologySpreadConstraint: {
    whenUnsatisfiable: 'UnsatisfiableConstraintAction',
    nodeAffinityPolicy: 'NodeInclusionPolicy',
    nodeTaintsPolicy: 'NodeInclusionPolicy',
  },
  PodOS: { name: 'OSName' },
  LabelSelectorRequirement: { operator: 'LabelSelectorOperator' },
  NodeSelectorRequirement: { operator: 'NodeSelectorOperator' },
  HostPathVolumeSource: { type: 'HostPathType' },
  EmptyDirVolumeSource: { medium: 'StorageMedium' },
  AzureDiskVolumeSource: { cachingMode: 'AzureDataDiskCachingMode', kind: 'AzureDataDiskKind' },
  ImageVolumeSource: { pullPolicy: 'PullPolicy' },
  PersistentVolumeClaimSpec: { accessModes: 'PersistentVolumeAccessMode', volumeMode: 'PersistentVolumeMode' },
};

const volumeNames = { cephfs: 'CephFS', storageos: 'StorageOS' };
const iscsiNames = { chapAuthDiscovery: 'DiscoveryCHAPAuth', chapAuthSession: 'SessionCHAPAuth' };
const rbdNames = { monitors: 'CephMonitors', image: 'RBDImage', pool: 'RBDPool', user: 'RadosUser' };

/** Names that do not follow from the JSON member. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PodSpec: { serviceAccount: 'DeprecatedServiceAccount' },
  VolumeSource: volumeNames,
  PersistentVolumeSource: volumeNames,
  ISCSIVolumeSource: iscsiNames,
  ISCSIPersistentVolumeSource: iscsiNames,
  GlusterfsVolumeSource: { endpoints: 'EndpointsName' },
  GlusterfsPersistentVolumeSource: { endpoints: 'EndpointsName' },
  RBDVolumeSource: rbdNames,
  RBDPersistentVolumeSource: rbdNames,
  FCVolumeSource: { wwids: 'WWIDs' },
  AzureDiskVolumeSource: { diskURI: 'DataDiskURI' },
  PhotonPersistentDiskVolumeSource: { pdID: 'PdID' },
  'resource.v1.DeviceAttribute': {
    int: 'IntValue',
    ints: 'IntValues',
    bool: 'BoolValue',
    bools: 'BoolValues',
    string: 'StringValue',
    strings: 'StringValues',
    version: 'VersionValue',
    versions: 'VersionValues',
  },
};

/** Words that Go capitalises at the beginning of a name. */
const capitals = /^(?:api|aws|cel|csi|dns|fc|fs|gce|gmsa|grpc|http|ip|iqn|iscsi|nfs|os|pd|rbd|se|ssl|tcp|tty|uid)(?=[A-Z]|$)/;

export interface GoMember {
  readonly name: string;
  /** Null for a structure whose members JSON inlines. */
  readonly member: string | null;
  readonly type: GoType;
}

export interface GoType {
  readonly isPointer: boolean;
  readonly isList: boolean;
  /** A text with a type of its own. */
  readonly isNamed: boolean;
  /** `string`, `bool`, `int32`, `int64`, `map`, `ResourceList`, `Quantity`, `IntOrString`, `Time`, or the name of a structure or text. */
  readonly name: string;
  /** The message of a structure. */
  readonly structure?: string;
}

const commonPackage = /^(?:core|meta)\.v1\./;
const read = new Map<string, readonly GoMember[]>();

/** Returns a structure's members in Go's order; undefined for other types. */
export function goMembers(structure: string): readonly GoMember[] | undefined {
  const known = read.get(structure);
  if (known !== undefined) return known;
  const message = messageNamed(structure);
  if (message === undefined) return undefined;
  const short = structure.replace(commonPackage, '');
  const members = withFollowers(message.fields, ({ name }) => name, followers[short] ?? {}).map((field) => memberOf(short, field));
  read.set(structure, members);
  return members;
}

/** Moves members behind those that they follow; the others keep their order. */
export function withFollowers<M>(members: readonly M[], nameOf: (member: M) => string | null, after: Followers): readonly M[] {
  const moved = new Set(Object.values(after).flat());
  return members
    .filter((member) => !moved.has(nameOf(member) ?? ''))
    .flatMap((member) => [
      member,
      ...(after[nameOf(member) ?? ''] ?? []).flatMap((name) => members.filter((each) => nameOf(each) === name)),
    ]);
}

function memberOf(structure: string, { name: member, shape, presence, inline }: MessageField): GoMember {
  const isList = shape.is === 'list';
  const of = isList ? shape.items : shape;
  const textType = textTypes[structure]?.[member];
  const type = {
    isPointer: !isList && of.is !== 'map' && !inline && (presence === 'optional' || presence === 'nullable'),
    isList,
    isNamed: textType !== undefined,
    name: textType ?? typeNameOf(of),
    ...(of.is === 'type' && messageNamed(of.name) !== undefined && { structure: of.name }),
  };
  if (inline) return { name: type.name, member: null, type };
  return { name: member === 'metadata' ? type.name : (names[structure]?.[member] ?? goNameOf(member)), member, type };
}

function typeNameOf(shape: MessageField['shape']): string {
  if (shape.is === 'map') return shape.values.is === 'scalar' ? 'map' : 'ResourceList';
  if (shape.is === 'scalar') return shape.scalar === 'boolean' ? 'bool' : shape.scalar;
  return shape.is === 'type' ? shape.name.slice(shape.name.lastIndexOf('.') + 1) : typeNameOf(shape.items);
}

function goNameOf(member: string): string {
  const name = member.replace(capitals, (word) => word.toUpperCase());
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
