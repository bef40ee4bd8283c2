// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** A disk of Amazon's block store. No longer supported by itself; a CSI driver serves it. */
export interface AWSElasticBlockStoreVolumeSource {
  /** Identity of the disk at the provider. */
  readonly volumeID: string;
  /** File system of the disk, such as ext4 or xfs. */
  readonly fsType?: string;
  /** Number of the partition to mount; without it the whole disk. */
  readonly partition?: number;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** Rules that draw a pod to nodes, or to or away from other pods. */
export interface Affinity {
  /** Which nodes the pod may or should run on. */
  readonly nodeAffinity?: NodeAffinity;
  /** Near which pods this pod must or should run. */
  readonly podAffinity?: PodAffinity;
  /** Away from which pods this pod must or should run. */
  readonly podAntiAffinity?: PodAntiAffinity;
}

/** The AppArmor profile that confines a container. */
export interface AppArmorProfile {
  /** Where the profile comes from: Localhost, RuntimeDefault or Unconfined. */
  readonly type: string;
  /** Name of a profile loaded on the node. Wanted for Localhost, and refused otherwise. */
  readonly localhostProfile?: string;
}

/** A volume that is attached to a node. */
export interface AttachedVolume {
  /** Name of the volume, unique on the node. */
  readonly name: string;
  /** Path of the device on the node. */
  readonly devicePath: string;
}

/** A data disk of Azure. No longer supported by itself; a CSI driver serves it. */
export interface AzureDiskVolumeSource {
  /** Name of the disk in the blob store. */
  readonly diskName: string;
  /** Address of the disk. */
  readonly diskURI: string;
  /** How the host caches: None, ReadOnly or ReadWrite, which is the default. */
  readonly cachingMode?: string;
  /** File system of the disk; ext4 if not given. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** How the disk is kept: Shared, Dedicated or Managed. Shared is the default. */
  readonly kind?: string;
}

/** A file share of Azure, for persistent volumes. A CSI driver serves it. */
export interface AzureFilePersistentVolumeSource {
  /** Secret with the account's name and key. */
  readonly secretName: string;
  /** Name of the share. */
  readonly shareName: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Namespace of the Secret; that of the claim if not given. */
  readonly secretNamespace?: string;
}

/** A file share of Azure. A CSI driver serves it. */
export interface AzureFileVolumeSource {
  /** Secret with the account's name and key. */
  readonly secretName: string;
  /** Name of the share. */
  readonly shareName: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** Assigns a pod to a node. */
export interface Binding {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** The node that the pod is assigned to. */
  readonly target: ObjectReference;
}

/** A persistent volume that an external driver serves by the Container Storage Interface. */
export interface CSIPersistentVolumeSource {
  /** Name of the driver. */
  readonly driver: string;
  /** The driver's name for the volume. Cannot be changed. */
  readonly volumeHandle: string;
  /** Publish the volume without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** File system to mount, such as ext4. */
  readonly fsType?: string;
  /** What the driver told of the volume when it was made. */
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  /** Secret for attaching to a node and detaching from it. */
  readonly controllerPublishSecretRef?: SecretReference;
  /** Secret for preparing the volume on a node. */
  readonly nodeStageSecretRef?: SecretReference;
  /** Secret for mounting the volume into a pod. */
  readonly nodePublishSecretRef?: SecretReference;
  /** Secret for making the volume larger at the provider. */
  readonly controllerExpandSecretRef?: SecretReference;
  /** Secret for making the file system larger on the node. */
  readonly nodeExpandSecretRef?: SecretReference;
}

/** A volume that an external driver makes for one pod, and that goes with the pod. */
export interface CSIVolumeSource {
  /** Name of the driver; it must be able to make such volumes. */
  readonly driver: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** File system to mount; without it the driver decides. */
  readonly fsType?: string;
  /** Settings for the driver. */
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  /** Secret of the same namespace that the driver gets for mounting. */
  readonly nodePublishSecretRef?: LocalObjectReference;
}

/** Linux capabilities that a container has in addition, or does without. */
export interface Capabilities {
  /** Capabilities to add. */
  readonly add?: readonly string[];
  /** Capabilities to take away; ALL takes every one. */
  readonly drop?: readonly string[];
}

/** A Ceph file system, for persistent volumes. No longer supported. */
export interface CephFSPersistentVolumeSource {
  /** Addresses of the monitors. */
  readonly monitors?: readonly string[] | null;
  /** Folder to mount as the root; / if not given. */
  readonly path?: string;
  /** User at Ceph; admin if not given. */
  readonly user?: string;
  /** File with the user's key ring; /etc/ceph/user.secret if not given. */
  readonly secretFile?: string;
  /** Secret with the user's key; it goes before the file. */
  readonly secretRef?: SecretReference;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** A Ceph file system. No longer supported. */
export interface CephFSVolumeSource {
  /** Addresses of the monitors. */
  readonly monitors?: readonly string[] | null;
  /** Folder to mount as the root; / if not given. */
  readonly path?: string;
  /** User at Ceph; admin if not given. */
  readonly user?: string;
  /** File with the user's key ring; /etc/ceph/user.secret if not given. */
  readonly secretFile?: string;
  /** Secret with the user's key; it goes before the file. */
  readonly secretRef?: LocalObjectReference;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** A disk of OpenStack's Cinder, for persistent volumes. A CSI driver serves it. */
export interface CinderPersistentVolumeSource {
  /** Identity of the disk at Cinder. */
  readonly volumeID: string;
  /** File system of the disk; ext4 if not given. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Secret with what is needed to connect to OpenStack. */
  readonly secretRef?: SecretReference;
}

/** A disk of OpenStack's Cinder. A CSI driver serves it. */
export interface CinderVolumeSource {
  /** Identity of the disk at Cinder. */
  readonly volumeID: string;
  /** File system of the disk; ext4 if not given. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Secret with what is needed to connect to OpenStack. */
  readonly secretRef?: LocalObjectReference;
}

/** How long one client stays with one pod. */
export interface ClientIPConfig {
  /** Seconds for which a client's address is remembered, 1 to 86400; 10800 if not given. */
  readonly timeoutSeconds?: number;
}

/** Certificates of authorities, from trust bundles of the cluster, as one file. */
export interface ClusterTrustBundleProjection {
  /** One bundle by its name. Not together with a signer's name or a selector of labels. */
  readonly name?: string;
  /** All bundles of this signer that the selector fits. */
  readonly signerName?: string;
  /** Selects bundles of the signer; an empty one selects all, none selects nothing. */
  readonly labelSelector?: metaV1.LabelSelector;
  /** Where the file lies, from the root of the volume. */
  readonly path: string;
  /** Whether the pod may start although no bundle is found. */
  readonly optional?: boolean;
}

/** Whether a component is healthy. */
export interface ComponentCondition {
  /** What the statement is; Healthy is the only one. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** More about the health, for people. */
  readonly message?: string;
  /** What went wrong when the health was checked. */
  readonly error?: string;
}

/** Health of a component of the control plane. Deprecated. */
export interface ComponentStatus {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Statements about the present state. */
  readonly conditions?: readonly ComponentCondition[];
}

export interface ComponentStatusList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ComponentStatus[] | null;
}

/** Configuration as keys and values, to be used by pods. */
export interface ConfigMap {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Keys with text. */
  readonly data?: Readonly<Record<string, string>>;
  /** Keys with bytes, in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  /** Refuse changes of the content from now on. */
  readonly immutable?: boolean;
}

/** Makes an environment variable of each key of a ConfigMap. */
export interface ConfigMapEnvSource {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** Whether the ConfigMap may be missing. */
  readonly optional?: boolean;
}

/** Picks one key of a ConfigMap. */
export interface ConfigMapKeySelector {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** The key. */
  readonly key: string;
  /** Whether the ConfigMap or its key may be missing. */
  readonly optional?: boolean;
}

export interface ConfigMapList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ConfigMap[] | null;
}

/** Names a ConfigMap with the configuration of a node. No longer in use. */
export interface ConfigMapNodeConfigSource {
  /** Namespace of the ConfigMap. */
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly name: string;
  /** Identity of the ConfigMap; only in a status. */
  readonly uid?: string;
  /** Version of the ConfigMap; only in a status. */
  readonly resourceVersion?: string;
  /** Which key holds the configuration. */
  readonly kubeletConfigKey: string;
}

/** Files made from the keys of a ConfigMap, in a volume of several sources. */
export interface ConfigMapProjection {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** Which keys become files, and where; without it each key becomes a file of its name. */
  readonly items?: readonly KeyToPath[];
  /** Whether the ConfigMap or a key may be missing. */
  readonly optional?: boolean;
}

/** A volume with a file for each key of a ConfigMap. */
export interface ConfigMapVolumeSource {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** Which keys become files, and where; without it each key becomes a file of its name. */
  readonly items?: readonly KeyToPath[];
  /** Permission bits of files that name none; 0644 if not given. */
  readonly defaultMode?: number;
  /** Whether the ConfigMap or a key may be missing. */
  readonly optional?: boolean;
}

/** A program to run in a pod, and its surroundings. */
export interface Container {
  /** Name of the container, unique in the pod. */
  readonly name: string;
  /** Image to run. */
  readonly image?: string;
  /** Program to run in place of the image's entry point. $(NAME) is replaced by environment variables. */
  readonly command?: readonly string[];
  /** Arguments, in place of those of the image. */
  readonly args?: readonly string[];
  /** Directory to start in. */
  readonly workingDir?: string;
  /** Ports that the container listens on. Only for information, except for host ports. */
  readonly ports?: readonly ContainerPort[];
  /** Environment variables. */
  readonly env?: readonly EnvVar[];
  /** What the container gets at least and at most. */
  readonly resources?: ResourceRequirements;
  /** Where volumes appear. */
  readonly volumeMounts?: readonly VolumeMount[];
  /** The container is restarted when this fails. */
  readonly livenessProbe?: Probe;
  /** The pod gets no traffic of services while this fails. */
  readonly readinessProbe?: Probe;
  /** What to do after the start and before the end. */
  readonly lifecycle?: Lifecycle;
  /** File that the last message of the container is read from. */
  readonly terminationMessagePath?: string;
  /** When to pull the image: Always, IfNotPresent or Never. */
  readonly imagePullPolicy?: string;
  /** Rights and identity of the processes. */
  readonly securityContext?: SecurityContext;
  /** Keep standard input open. */
  readonly stdin?: boolean;
  /** Close standard input after the first client. */
  readonly stdinOnce?: boolean;
  /** Give the container a terminal; needs stdin. */
  readonly tty?: boolean;
  /** Sources of many environment variables at once. */
  readonly envFrom?: readonly EnvFromSource[];
  /** Where the last message comes from: File or FallbackToLogsOnError. */
  readonly terminationMessagePolicy?: string;
  /** Block devices to use. */
  readonly volumeDevices?: readonly VolumeDevice[];
  /** Other probes wait until this succeeds. */
  readonly startupProbe?: Probe;
  /** Whether the container must be restarted when its resources change. */
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  /** For init containers, Always makes a sidecar, which keeps running. */
  readonly restartPolicy?: string;
  /** What is done by exit code when the container ends. */
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
}

/** Which request of a device stands for an extended resource that a container asked for. */
export interface ContainerExtendedResourceRequest {
  /** Name of the container. */
  readonly containerName: string;
  /** Name of the extended resource. */
  readonly resourceName: string;
  /** Name of the request in the pod's special claim. */
  readonly requestName: string;
}

/** An image that a node has. */
export interface ContainerImage {
  /** Names under which the image is known. */
  readonly names?: readonly string[];
  /** Size in bytes. */
  readonly sizeBytes?: number;
}

/** A port that a container listens on. */
export interface ContainerPort {
  /** Name that services can refer to. */
  readonly name?: string;
  /** Port of the node. */
  readonly hostPort?: number;
  /** Port inside the pod. */
  readonly containerPort: number;
  /** TCP, UDP or SCTP. */
  readonly protocol?: string;
  /** Address of the node to listen on. */
  readonly hostIP?: string;
}

/** What happens to a container when one of its resources is resized. */
export interface ContainerResizePolicy {
  /** Name of the resource, cpu or memory. */
  readonly resourceName: string;
  /** NotRequired, which is the default, or RestartContainer. */
  readonly restartPolicy: string;
}

/** A rule that decides whether a container that ended is restarted. */
export interface ContainerRestartRule {
  /** What to do when the rule fits: Restart or RestartAllContainers. */
  readonly action?: string;
  /** The exit codes that the rule fits. */
  readonly exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** Exit codes of containers that a rule fits. */
export interface ContainerRestartRuleOnExitCodes {
  /** In or NotIn. */
  readonly operator?: string;
  /** Exit codes, each once; at most 255 of them. */
  readonly values?: readonly number[];
}

/** Whether a container waits, runs or has ended; one member at most, and waiting if none. */
export interface ContainerState {
  /** Why it does not run yet. */
  readonly waiting?: ContainerStateWaiting;
  /** Since when it runs. */
  readonly running?: ContainerStateRunning;
  /** How it ended. */
  readonly terminated?: ContainerStateTerminated;
}

/** A container that runs. */
export interface ContainerStateRunning {
  /** When it was last started. */
  readonly startedAt?: metaV1.Time | null;
}

/** A container that has ended. */
export interface ContainerStateTerminated {
  /** Exit code of its last run. */
  readonly exitCode: number;
  /** Signal that ended its last run. */
  readonly signal?: number;
  /** Why it ended, in one word. */
  readonly reason?: string;
  /** Why it ended, for people. */
  readonly message?: string;
  /** When its last run began. */
  readonly startedAt?: metaV1.Time | null;
  /** When its last run ended. */
  readonly finishedAt?: metaV1.Time | null;
  /** Identity of the container, as type://id. */
  readonly containerID?: string;
}

/** A container that does not run yet. */
export interface ContainerStateWaiting {
  /** Why it waits, in one word. */
  readonly reason?: string;
  /** Why it waits, for people. */
  readonly message?: string;
}

/** What is known of a container. */
export interface ContainerStatus {
  /** Name of the container. */
  readonly name: string;
  /** What it does now. */
  readonly state?: ContainerState;
  /** How it ended the last time; nothing if it never restarted. */
  readonly lastState?: ContainerState;
  /** Whether it takes requests, by its readiness probe. */
  readonly ready: boolean;
  /** How often it was restarted. */
  readonly restartCount: number;
  /** The image that it runs, which may be named differently from the one wanted. */
  readonly image: string;
  /** Identity of the image. */
  readonly imageID: string;
  /** Identity of the container, as type://id. */
  readonly containerID?: string;
  /** Whether the hook after the start is done and the startup probe has passed. */
  readonly started?: boolean;
  /** What the node has set aside for it. */
  readonly allocatedResources?: Readonly<Record<string, machinery.Quantity>>;
  /** Requests and limits that are in force. */
  readonly resources?: ResourceRequirements;
  /** What is known of its mounted volumes. */
  readonly volumeMounts?: readonly VolumeMountStatus[];
  /** The user that its first process ran as. */
  readonly user?: ContainerUser;
  /** Health of the devices that it was given. */
  readonly allocatedResourcesStatus?: readonly ResourceStatus[];
  /** The signal in force that asks it to end. */
  readonly stopSignal?: string;
}

/** A user that a container runs as. */
export interface ContainerUser {
  /** User and groups, on Linux. */
  readonly linux?: LinuxContainerUser;
}

/** Where one daemon of a node listens. */
export interface DaemonEndpoint {
  /** Number of the port. */
  readonly Port: number;
}

/** Files with facts about the pod, in a volume of several sources. */
export interface DownwardAPIProjection {
  /** The files. */
  readonly items?: readonly DownwardAPIVolumeFile[];
}

/** A file with one fact about the pod. */
export interface DownwardAPIVolumeFile {
  /** Where the file lies, from the root of the volume; without '..'. */
  readonly path: string;
  /** A field of the pod: its name, namespace, uid, labels or annotations. */
  readonly fieldRef?: ObjectFieldSelector;
  /** A request or limit of a container. */
  readonly resourceFieldRef?: ResourceFieldSelector;
  /** Permission bits of the file; those of the volume if not given. */
  readonly mode?: number;
}

/** A volume with facts about the pod as files. */
export interface DownwardAPIVolumeSource {
  /** The files. */
  readonly items?: readonly DownwardAPIVolumeFile[];
  /** Permission bits of files that name none; 0644 if not given. */
  readonly defaultMode?: number;
}

/** An empty folder that lives as long as the pod. */
export interface EmptyDirVolumeSource {
  /** Where it is kept: empty for the disk of the node, or Memory or HugePages. */
  readonly medium?: string;
  /** How much may be in it; the pod is evicted beyond that. */
  readonly sizeLimit?: machinery.Quantity;
}

/** One address behind a service. */
export interface EndpointAddress {
  /** The IP address; not one of the loopback or link-local ones. */
  readonly ip: string;
  /** The object that has the address. */
  readonly targetRef?: ObjectReference;
  /** Host name in the service's domain. */
  readonly hostname?: string;
  /** The node on which the address is served. */
  readonly nodeName?: string;
}

/** One port behind a service. */
export interface EndpointPort {
  /** Name of the port in the service; needed when there are several. */
  readonly name?: string;
  /** Number of the port. */
  readonly port: number;
  /** TCP, UDP or SCTP; TCP if not given. */
  readonly protocol?: string;
  /** What is spoken on top, such as http or kubernetes.io/h2c. */
  readonly appProtocol?: string;
}

/** Addresses that share the same ports. */
export interface EndpointSubset {
  /** Addresses that are ready. */
  readonly addresses?: readonly EndpointAddress[];
  /** Addresses that are not ready yet, or not any more. */
  readonly notReadyAddresses?: readonly EndpointAddress[];
  /** Ports of all these addresses. */
  readonly ports?: readonly EndpointPort[];
}

/** Addresses behind a service. Superseded by EndpointSlice. */
export interface Endpoints {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Groups of addresses, each with its ports. */
  readonly subsets?: readonly EndpointSubset[];
}

export interface EndpointsList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Endpoints[] | null;
}

/** Environment variables from all keys of a ConfigMap or Secret. */
export interface EnvFromSource {
  /** Put before each name. */
  readonly prefix?: string;
  /** The ConfigMap. */
  readonly configMapRef?: ConfigMapEnvSource;
  /** The Secret. */
  readonly secretRef?: SecretEnvSource;
}

/** An environment variable of a container. */
export interface EnvVar {
  /** Name of the variable. */
  readonly name: string;
  /** Its value; $(NAME) is replaced by variables that come before. */
  readonly value?: string;
  /** Where the value comes from, if not given here. */
  readonly valueFrom?: EnvVarSource;
}

/** Where the value of an environment variable comes from; one source. */
export interface EnvVarSource {
  /** A field of the pod. */
  readonly fieldRef?: ObjectFieldSelector;
  /** A request or limit of a container. */
  readonly resourceFieldRef?: ResourceFieldSelector;
  /** A key of a ConfigMap. */
  readonly configMapKeyRef?: ConfigMapKeySelector;
  /** A key of a Secret. */
  readonly secretKeyRef?: SecretKeySelector;
  /** A key in a file of a volume. */
  readonly fileKeyRef?: FileKeySelector;
}

/** A container that is added to a running pod to look into it. Never restarted, never removed. */
export interface EphemeralContainer {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  readonly imagePullPolicy?: string;
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly envFrom?: readonly EnvFromSource[];
  readonly terminationMessagePolicy?: string;
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly startupProbe?: Probe;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  /** Container whose processes it may see; none if not given. */
  readonly targetContainerName?: string;
}

/** A volume whose claim is made with the pod and goes with it. */
export interface EphemeralVolumeSource {
  /** What the claim is made of. Cannot be changed. */
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** A report that something happened to an object. Kept for a short time only. */
export interface Event {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** The object that the event is about. */
  readonly involvedObject: ObjectReference;
  /** Why it happened, in one word for programs. */
  readonly reason?: string;
  /** What happened, for people. */
  readonly message?: string;
  /** Who reports it. */
  readonly source?: EventSource;
  /** When it was first seen. */
  readonly firstTimestamp?: metaV1.Time | null;
  /** When it was last seen. */
  readonly lastTimestamp?: metaV1.Time | null;
  /** How often it was seen. */
  readonly count?: number;
  /** Normal or Warning. */
  readonly type?: string;
  /** When it was first observed, to the microsecond. */
  readonly eventTime?: metaV1.MicroTime | null;
  /** Tells of repetitions. */
  readonly series?: EventSeries;
  /** What was done, or failed. */
  readonly action?: string;
  /** A second object, for actions that concern two. */
  readonly related?: ObjectReference;
  /** The controller that reports, such as kubernetes.io/kubelet. */
  readonly reportingComponent?: string;
  /** Which instance of the controller it is. */
  readonly reportingInstance?: string;
}

export interface EventList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Event[] | null;
}

/** Repetitions of one event. */
export interface EventSeries {
  /** How many there were up to the last time seen. */
  readonly count?: number;
  /** When the last one was seen. */
  readonly lastObservedTime?: metaV1.MicroTime | null;
}

/** Who reports an event. */
export interface EventSource {
  /** The component. */
  readonly component?: string;
  /** The node where the component runs. */
  readonly host?: string;
}

/** A command to run in a container. */
export interface ExecAction {
  /** The program and its arguments, without a shell; exit code 0 is success. */
  readonly command?: readonly string[];
}

/** A Fibre Channel disk. */
export interface FCVolumeSource {
  /** World wide names of targets; either these with a lun, or wwids. */
  readonly targetWWNs?: readonly string[];
  /** Number of the logical unit. */
  readonly lun?: number;
  /** File system of the disk, such as ext4. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** World wide identifiers of the volume. */
  readonly wwids?: readonly string[];
}

/** Picks one key of a file with environment variables. */
export interface FileKeySelector {
  /** The volume with the file. */
  readonly volumeName: string;
  /** Where the file lies in the volume; relative and without '..'. */
  readonly path: string;
  /** The key in the file; at most 128 characters. */
  readonly key: string;
  /** Whether the file or its key may be missing; false if not given. */
  readonly optional?: boolean;
}

/** A persistent volume served by a program on the node. Deprecated in favour of CSI. */
export interface FlexPersistentVolumeSource {
  /** Name of the driver. */
  readonly driver: string;
  /** File system to mount; the driver's choice if not given. */
  readonly fsType?: string;
  /** Secret that the driver gets. */
  readonly secretRef?: SecretReference;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Further settings for the driver. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A volume served by a program on the node. Deprecated in favour of CSI. */
export interface FlexVolumeSource {
  /** Name of the driver. */
  readonly driver: string;
  /** File system to mount; the driver's choice if not given. */
  readonly fsType?: string;
  /** Secret that the driver gets. */
  readonly secretRef?: LocalObjectReference;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Further settings for the driver. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A volume of Flocker. No longer supported. */
export interface FlockerVolumeSource {
  /** Name of the data set. Deprecated. */
  readonly datasetName?: string;
  /** Identity of the data set. */
  readonly datasetUUID?: string;
}

/** A disk of Google's cloud. A CSI driver serves it. */
export interface GCEPersistentDiskVolumeSource {
  /** Name of the disk at the provider. */
  readonly pdName: string;
  /** File system of the disk, such as ext4. */
  readonly fsType?: string;
  /** Number of the partition to mount; without it the whole disk. */
  readonly partition?: number;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** A gRPC health check. */
export interface GRPCAction {
  /** Port of the gRPC service, 1 to 65535. */
  readonly port: number;
  /** Name of the service to ask about; empty asks about the server. */
  readonly service?: string;
}

/** A folder with the contents of a Git repository. Deprecated and switched off. */
export interface GitRepoVolumeSource {
  /** Address of the repository. */
  readonly repository: string;
  /** The commit to check out. */
  readonly revision?: string;
  /** Folder that is made for it; '.' puts it into the root of the volume. */
  readonly directory?: string;
}

/** A Gluster volume, for persistent volumes. No longer supported. */
export interface GlusterfsPersistentVolumeSource {
  /** Name of the Endpoints with the servers. */
  readonly endpoints: string;
  /** Path of the volume. */
  readonly path: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Namespace of the Endpoints; that of the claim if not given. */
  readonly endpointsNamespace?: string;
}

/** A Gluster volume. No longer supported. */
export interface GlusterfsVolumeSource {
  /** Name of the Endpoints with the servers. */
  readonly endpoints: string;
  /** Path of the volume. */
  readonly path: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** A GET request; a status from 200 to 399 is success. */
export interface HTTPGetAction {
  /** Path of the request. */
  readonly path?: string;
  /** Number of the port, or its name in the container. */
  readonly port: machinery.IntOrString;
  /** Host to connect to; the pod's address if not given. */
  readonly host?: string;
  /** HTTP or HTTPS; HTTP if not given. */
  readonly scheme?: string;
  /** Further headers of the request. */
  readonly httpHeaders?: readonly HTTPHeader[];
}

/** A header of a request. */
export interface HTTPHeader {
  /** Name of the header. */
  readonly name: string;
  /** Its value. */
  readonly value: string;
}

/** A line of the hosts file of a pod. */
export interface HostAlias {
  /** The address. */
  readonly ip: string;
  /** Names of the address. */
  readonly hostnames?: readonly string[];
}

/** One address of the node of a pod. */
export interface HostIP {
  /** The address. */
  readonly ip: string;
}

/** A file or folder of the node. Gives the pod a way to the node, so use it with care. */
export interface HostPathVolumeSource {
  /** The path on the node; links are followed. */
  readonly path: string;
  /** What must be there: Directory, DirectoryOrCreate, File, FileOrCreate, Socket, CharDevice, BlockDevice, or empty for no check. */
  readonly type?: string;
}

/** An iSCSI disk, for persistent volumes. */
export interface ISCSIPersistentVolumeSource {
  /** Address of the target, with a port unless it is 860 or 3260. */
  readonly targetPortal: string;
  /** Qualified name of the target. */
  readonly iqn: string;
  /** Number of the logical unit. */
  readonly lun: number;
  /** Interface to use; default (tcp) if not given. */
  readonly iscsiInterface?: string;
  /** File system of the disk, such as ext4. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Further addresses of the target. */
  readonly portals?: readonly string[];
  /** Whether discovery authenticates by CHAP. */
  readonly chapAuthDiscovery?: boolean;
  /** Secret with the names and passwords for CHAP. */
  readonly secretRef?: SecretReference;
  /** Whether sessions authenticate by CHAP. */
  readonly chapAuthSession?: boolean;
  /** Own name of the initiator; with an interface a new one is made for the connection. */
  readonly initiatorName?: string;
}

/** An iSCSI disk. */
export interface ISCSIVolumeSource {
  /** Address of the target, with a port unless it is 860 or 3260. */
  readonly targetPortal: string;
  /** Qualified name of the target. */
  readonly iqn: string;
  /** Number of the logical unit. */
  readonly lun: number;
  /** Interface to use; default (tcp) if not given. */
  readonly iscsiInterface?: string;
  /** File system of the disk, such as ext4. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Further addresses of the target. */
  readonly portals?: readonly string[];
  /** Whether discovery authenticates by CHAP. */
  readonly chapAuthDiscovery?: boolean;
  /** Secret with the names and passwords for CHAP. */
  readonly secretRef?: LocalObjectReference;
  /** Whether sessions authenticate by CHAP. */
  readonly chapAuthSession?: boolean;
  /** Own name of the initiator; with an interface a new one is made for the connection. */
  readonly initiatorName?: string;
}

/** A volume with the contents of an image or artifact, for reading. */
export interface ImageVolumeSource {
  /** The image or artifact, named as images of containers are. */
  readonly reference?: string;
  /** Always, Never or IfNotPresent; Always for the tag latest, IfNotPresent otherwise. */
  readonly pullPolicy?: string;
}

/** What is known of a volume made from an image. */
export interface ImageVolumeStatus {
  /** The image with its digest. */
  readonly imageRef?: string;
}

/** A key, and the file that it becomes. */
export interface KeyToPath {
  /** The key. */
  readonly key: string;
  /** Where the file lies; relative and without '..'. */
  readonly path: string;
  /** Permission bits of the file; those of the volume if not given. */
  readonly mode?: number;
}

/** What is done after the start of a container and before its end. */
export interface Lifecycle {
  /** Done right after the start; if it fails, the container ends. */
  readonly postStart?: LifecycleHandler;
  /** Done before the container is asked to end; the time counts as grace. */
  readonly preStop?: LifecycleHandler;
  /** Signal that asks the container to end; that of the image if not given. */
  readonly stopSignal?: string;
}

/** What a hook does; one action. */
export interface LifecycleHandler {
  /** Runs a command in the container. */
  readonly exec?: ExecAction;
  /** Makes a GET request. */
  readonly httpGet?: HTTPGetAction;
  /** Not supported for hooks; kept for old objects. */
  readonly tcpSocket?: TCPSocketAction;
  /** Waits some seconds. */
  readonly sleep?: SleepAction;
}

/** Bounds and defaults for the resources of single pods, containers and claims in a namespace. */
export interface LimitRange {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: LimitRangeSpec;
}

/** Bounds and defaults for one type of object. */
export interface LimitRangeItem {
  /** What it is for: Pod, Container or PersistentVolumeClaim. */
  readonly type: string;
  /** Most that may be asked for, by resource. */
  readonly max?: Readonly<Record<string, machinery.Quantity>>;
  /** Least that must be asked for, by resource. */
  readonly min?: Readonly<Record<string, machinery.Quantity>>;
  /** Limit of who names none, by resource. */
  readonly default?: Readonly<Record<string, machinery.Quantity>>;
  /** Request of who names none, by resource. */
  readonly defaultRequest?: Readonly<Record<string, machinery.Quantity>>;
  /** How many times the request a limit may be, by resource. */
  readonly maxLimitRequestRatio?: Readonly<Record<string, machinery.Quantity>>;
}

export interface LimitRangeList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly LimitRange[] | null;
}

/** Bounds and defaults in a namespace. */
export interface LimitRangeSpec {
  /** The single rules. */
  readonly limits?: readonly LimitRangeItem[] | null;
}

/** User and groups of a process on Linux. */
export interface LinuxContainerUser {
  /** Number of the user. */
  readonly uid: number;
  /** Number of the first group. */
  readonly gid: number;
  /** Numbers of the further groups. */
  readonly supplementalGroups?: readonly number[];
}

/** An entrance of a load balancer. */
export interface LoadBalancerIngress {
  /** Address of the entrance. */
  readonly ip?: string;
  /** Host name of the entrance. */
  readonly hostname?: string;
  /** VIP when packets arrive with the address of the balancer, Proxy when with that of the node or pod. Only with an address. */
  readonly ipMode?: string;
  /** The ports, and what is wrong with them. */
  readonly ports?: readonly PortStatus[];
}

/** Present state of a load balancer. */
export interface LoadBalancerStatus {
  /** Where traffic for the service enters. */
  readonly ingress?: readonly LoadBalancerIngress[];
}

/** Names an object in the same namespace. */
export interface LocalObjectReference {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
}

/** A disk, partition or folder of a node. */
export interface LocalVolumeSource {
  /** Path on the node. */
  readonly path: string;
  /** File system of a block device, such as ext4; found out if not given. */
  readonly fsType?: string;
}

/** How far a change of a volume's attributes has come. */
export interface ModifyVolumeStatus {
  /** Class that the volume is being changed to. */
  readonly targetVolumeAttributesClassName?: string;
  /** Pending, InProgress or Infeasible. */
  readonly status: string;
}

export interface NFSVolumeSource {
  readonly server: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

/** A space for names: groups objects that belong together, and goes with everything in it. */
export interface Namespace {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: NamespaceSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: NamespaceStatus;
}

export interface NamespaceCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface NamespaceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Namespace[] | null;
}

export interface NamespaceSpec {
  /** What has to be done before the namespace may go. */
  readonly finalizers?: readonly string[];
}

export interface NamespaceStatus {
  /** Active or Terminating. */
  readonly phase?: string;
  /** Statements about the present state. */
  readonly conditions?: readonly NamespaceCondition[];
}

/** A machine that runs pods. */
export interface Node {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: NodeSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: NodeStatus;
}

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName: string;
  readonly containers?: readonly string[];
  readonly resources?: Readonly<Record<string, machinery.Quantity>> | null;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastHeartbeatTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource;
}

export interface NodeConfigStatus {
  readonly assigned?: NodeConfigSource;
  readonly active?: NodeConfigSource;
  readonly lastKnownGood?: NodeConfigSource;
  readonly error?: string;
}

export interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint;
}

export interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean;
}

export interface NodeList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Node[] | null;
}

export interface NodeRuntimeHandler {
  readonly name?: string;
  readonly features?: NodeRuntimeHandlerFeatures;
}

export interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] | null;
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSpec {
  /** Range of pod addresses. */
  readonly podCIDR?: string;
  readonly externalID?: string;
  /** Identity of the machine at its provider. */
  readonly providerID?: string;
  /** Whether new pods stay away. */
  readonly unschedulable?: boolean;
  /** Taints that keep pods away. */
  readonly taints?: readonly Taint[];
  readonly configSource?: NodeConfigSource;
  /** Ranges of pod addresses, one for each address family. */
  readonly podCIDRs?: readonly string[];
}

export interface NodeStatus {
  /** What the machine has. */
  readonly capacity?: Readonly<Record<string, machinery.Quantity>>;
  /** What of it pods may use. */
  readonly allocatable?: Readonly<Record<string, machinery.Quantity>>;
  readonly phase?: string;
  /** Statements about the present state. */
  readonly conditions?: readonly NodeCondition[];
  /** Addresses of the machine. */
  readonly addresses?: readonly NodeAddress[];
  readonly daemonEndpoints?: NodeDaemonEndpoints;
  /** Versions and identities. */
  readonly nodeInfo?: NodeSystemInfo;
  /** Images that are there. */
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly AttachedVolume[];
  readonly config?: NodeConfigStatus;
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly features?: NodeFeatures;
  readonly declaredFeatures?: readonly string[];
}

export interface NodeSwapStatus {
  readonly capacity?: number;
}

export interface NodeSystemInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  readonly kubeProxyVersion: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly swap?: NodeSwapStatus;
}

export interface ObjectFieldSelector {
  readonly apiVersion?: string;
  readonly fieldPath: string;
}

/** Points to an object, or to a part of it. */
export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Storage that outlives pods, in the cluster as a node is. */
export interface PersistentVolume {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: PersistentVolumeSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PersistentVolumeStatus;
}

/** Asks for a persistent volume and binds to it. */
export interface PersistentVolumeClaim {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: PersistentVolumeClaimSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimCondition {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface PersistentVolumeClaimList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PersistentVolumeClaim[] | null;
}

export interface PersistentVolumeClaimSpec {
  /** Ways to mount: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod. */
  readonly accessModes?: readonly string[];
  /** How much storage. */
  readonly resources?: VolumeResourceRequirements;
  /** Volume to bind to. */
  readonly volumeName?: string;
  readonly selector?: metaV1.LabelSelector;
  /** Kind of storage. */
  readonly storageClassName?: string;
  /** Filesystem or Block. */
  readonly volumeMode?: string;
  readonly dataSource?: TypedLocalObjectReference;
  readonly dataSourceRef?: TypedObjectReference;
  readonly volumeAttributesClassName?: string;
}

export interface PersistentVolumeClaimStatus {
  readonly phase?: string;
  readonly accessModes?: readonly string[];
  readonly capacity?: Readonly<Record<string, machinery.Quantity>>;
  /** Statements about the present state. */
  readonly conditions?: readonly PersistentVolumeClaimCondition[];
  readonly allocatedResources?: Readonly<Record<string, machinery.Quantity>>;
  readonly allocatedResourceStatuses?: Readonly<Record<string, string>>;
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: ModifyVolumeStatus;
}

export interface PersistentVolumeClaimTemplate {
  readonly metadata?: metaV1.ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimVolumeSource {
  readonly claimName: string;
  readonly readOnly?: boolean;
}

export interface PersistentVolumeList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PersistentVolume[] | null;
}

export interface PersistentVolumeSpec {
  /** How much storage. */
  readonly capacity?: Readonly<Record<string, machinery.Quantity>>;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly hostPath?: HostPathVolumeSource;
  readonly glusterfs?: GlusterfsPersistentVolumeSource;
  readonly nfs?: NFSVolumeSource;
  readonly rbd?: RBDPersistentVolumeSource;
  readonly iscsi?: ISCSIPersistentVolumeSource;
  readonly cinder?: CinderPersistentVolumeSource;
  readonly cephfs?: CephFSPersistentVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly flexVolume?: FlexPersistentVolumeSource;
  readonly azureFile?: AzureFilePersistentVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOPersistentVolumeSource;
  readonly local?: LocalVolumeSource;
  readonly storageos?: StorageOSPersistentVolumeSource;
  readonly csi?: CSIPersistentVolumeSource;
  /** Ways to mount. */
  readonly accessModes?: readonly string[];
  /** The claim that it is bound to. */
  readonly claimRef?: ObjectReference;
  /** What becomes of it after the claim: Retain, Delete or Recycle. */
  readonly persistentVolumeReclaimPolicy?: string;
  /** Kind of storage. */
  readonly storageClassName?: string;
  readonly mountOptions?: readonly string[];
  /** Filesystem or Block. */
  readonly volumeMode?: string;
  readonly nodeAffinity?: VolumeNodeAffinity;
  readonly volumeAttributesClassName?: string;
}

export interface PersistentVolumeStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly lastPhaseTransitionTime?: metaV1.Time;
}

export interface PhotonPersistentDiskVolumeSource {
  readonly pdID: string;
  readonly fsType?: string;
}

/** One or more containers that run together on a node and share network and volumes. */
export interface Pod {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: PodSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: PodStatus;
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: metaV1.LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey: string;
  /** Selects namespaces by their labels. */
  readonly namespaceSelector?: metaV1.LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface PodCertificateProjection {
  readonly signerName?: string;
  readonly keyType?: string;
  readonly maxExpirationSeconds?: number;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: Readonly<Record<string, string>>;
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
}

export interface PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly PodDNSConfigOption[];
}

export interface PodDNSConfigOption {
  readonly name?: string;
  readonly value?: string;
}

export interface PodExtendedResourceClaimStatus {
  readonly requestMappings?: readonly ContainerExtendedResourceRequest[] | null;
  readonly resourceClaimName: string;
}

export interface PodIP {
  readonly ip: string;
}

export interface PodList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Pod[] | null;
}

export interface PodOS {
  readonly name: string;
}

export interface PodReadinessGate {
  readonly conditionType: string;
}

export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodResourceClaimStatus {
  readonly name: string;
  readonly resourceClaimName?: string;
}

export interface PodSchedulingGate {
  readonly name: string;
}

export interface PodSchedulingGroup {
  readonly podGroupName?: string;
}

/** Rights and identity of the processes of all containers of a pod. */
export interface PodSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions;
  /** User to run as. */
  readonly runAsUser?: number;
  /** Refuse to run as root. */
  readonly runAsNonRoot?: boolean;
  /** Further groups of the processes. */
  readonly supplementalGroups?: readonly number[];
  /** Group that owns volumes. */
  readonly fsGroup?: number;
  /** Group to run as. */
  readonly runAsGroup?: number;
  /** Kernel parameters to set. */
  readonly sysctls?: readonly Sysctl[];
  readonly windowsOptions?: WindowsSecurityContextOptions;
  readonly fsGroupChangePolicy?: string;
  /** Filter for system calls. */
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
  readonly supplementalGroupsPolicy?: string;
  readonly seLinuxChangePolicy?: string;
}

export interface PodSpec {
  /** Volumes that containers can mount. */
  readonly volumes?: readonly Volume[];
  /** Containers of the pod; at least one. Cannot be added or removed later. */
  readonly containers?: readonly Container[] | null;
  /** Whether ended containers are started again: Always, OnFailure or Never. */
  readonly restartPolicy?: string;
  /** Seconds that containers have to end before they are killed. */
  readonly terminationGracePeriodSeconds?: number;
  /** Longest time for which the pod may run. */
  readonly activeDeadlineSeconds?: number;
  /** Where names are looked up: ClusterFirst, ClusterFirstWithHostNet, Default or None. */
  readonly dnsPolicy?: string;
  /** Labels that a node must have. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Service account whose identity the pod has. */
  readonly serviceAccountName?: string;
  /** Older name of serviceAccountName. */
  readonly serviceAccount?: string;
  /** Node on which the pod runs. Usually set by the scheduler. */
  readonly nodeName?: string;
  /** Use the network of the node. */
  readonly hostNetwork?: boolean;
  /** See the processes of the node. */
  readonly hostPID?: boolean;
  /** Share the IPC namespace of the node. */
  readonly hostIPC?: boolean;
  /** Rights and identity of the pod's processes. */
  readonly securityContext?: PodSecurityContext;
  /** Secrets for pulling images. */
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  /** Host name inside the pod; its name if not given. */
  readonly hostname?: string;
  /** Domain of the host name. */
  readonly subdomain?: string;
  /** Rules about nodes and neighbours. */
  readonly affinity?: Affinity;
  /** Scheduler that chooses the node. */
  readonly schedulerName?: string;
  /** Containers that run one after the other before the others start. */
  readonly initContainers?: readonly Container[];
  /** Whether containers get a token of the service account. */
  readonly automountServiceAccountToken?: boolean;
  /** Taints of nodes that do not matter. */
  readonly tolerations?: readonly Toleration[];
  /** Further lines of the hosts file. */
  readonly hostAliases?: readonly HostAlias[];
  /** Priority class of the pod. */
  readonly priorityClassName?: string;
  /** Importance; the higher the more important. Follows from the class. */
  readonly priority?: number;
  /** Additions to the resolver's configuration. */
  readonly dnsConfig?: PodDNSConfig;
  /** Let containers see each other's processes. */
  readonly shareProcessNamespace?: boolean;
  /** Further conditions that must hold for the pod to be ready. */
  readonly readinessGates?: readonly PodReadinessGate[];
  /** How containers are run: name of a RuntimeClass. */
  readonly runtimeClassName?: string;
  /** Whether services appear as environment variables. */
  readonly enableServiceLinks?: boolean;
  /** Whether others may be evicted for this pod. */
  readonly preemptionPolicy?: string;
  /** What running the pod itself needs. */
  readonly overhead?: Readonly<Record<string, machinery.Quantity>>;
  /** How pods are to be spread over parts of the cluster. */
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  /** Containers added to look into the running pod, by the subresource of that name. */
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  /** Use the full name as host name. */
  readonly setHostnameAsFQDN?: boolean;
  /** Operating system that the pod needs. */
  readonly os?: PodOS;
  /** Whether the pod uses the users of the node. */
  readonly hostUsers?: boolean;
  /** The pod is not scheduled while there are any. */
  readonly schedulingGates?: readonly PodSchedulingGate[];
  /** Claims of devices that containers can use. */
  readonly resourceClaims?: readonly PodResourceClaim[];
  /** What the pod gets altogether. */
  readonly resources?: ResourceRequirements;
  readonly hostnameOverride?: string;
  readonly schedulingGroup?: PodSchedulingGroup;
}

export interface PodStatus {
  /** Where in its life the pod is: Pending, Running, Succeeded, Failed or Unknown. */
  readonly phase?: string;
  /** Statements about the present state. */
  readonly conditions?: readonly PodCondition[];
  /** Why the pod is in this state, for people. */
  readonly message?: string;
  /** Why the pod is in this state, in one word. */
  readonly reason?: string;
  /** Address of the node. */
  readonly hostIP?: string;
  /** Address of the pod. */
  readonly podIP?: string;
  /** When the node took the pod on. */
  readonly startTime?: metaV1.Time;
  /** State of each container. */
  readonly containerStatuses?: readonly ContainerStatus[];
  /** Guaranteed, Burstable or BestEffort, following from the resources. */
  readonly qosClass?: string;
  /** State of each init container. */
  readonly initContainerStatuses?: readonly ContainerStatus[];
  /** Node that is being cleared for the pod. */
  readonly nominatedNodeName?: string;
  /** Addresses of the pod, one for each address family. */
  readonly podIPs?: readonly PodIP[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly resize?: string;
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[];
  readonly hostIPs?: readonly HostIP[];
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  readonly allocatedResources?: Readonly<Record<string, machinery.Quantity>>;
  readonly resources?: ResourceRequirements;
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[];
}

/** A stored description of pods to make copies of. */
export interface PodTemplate {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  readonly template?: PodTemplateSpec;
}

export interface PodTemplateList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly PodTemplate[] | null;
}

/** What a controller makes pods of: their labels and annotations, and their specification. */
export interface PodTemplateSpec {
  /** Labels and annotations of the pods. */
  readonly metadata?: metaV1.ObjectMeta;
  /** Specification of the pods. */
  readonly spec?: PodSpec;
}

export interface PortStatus {
  readonly port: number;
  readonly protocol: string;
  readonly error?: string;
}

export interface PortworxVolumeSource {
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface PreferredSchedulingTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

/** A check that is made again and again while a container runs. */
export interface Probe {
  /** Run a program; it succeeds with status 0. */
  readonly exec?: ExecAction;
  /** Ask this path; any status from 200 to 399 is a success. */
  readonly httpGet?: HTTPGetAction;
  /** Open a connection. */
  readonly tcpSocket?: TCPSocketAction;
  /** Call the health service of gRPC. */
  readonly grpc?: GRPCAction;
  /** Seconds after the start until the first check. */
  readonly initialDelaySeconds?: number;
  /** Longest time of a check. */
  readonly timeoutSeconds?: number;
  /** Seconds between checks. */
  readonly periodSeconds?: number;
  /** Successes in a row that count as a success. */
  readonly successThreshold?: number;
  /** Failures in a row that count as a failure. */
  readonly failureThreshold?: number;
  /** Seconds to end in when the probe has failed. */
  readonly terminationGracePeriodSeconds?: number;
}

export interface ProjectedVolumeSource {
  readonly sources?: readonly VolumeProjection[];
  readonly defaultMode?: number;
}

export interface QuobyteVolumeSource {
  readonly registry: string;
  readonly volume: string;
  readonly readOnly?: boolean;
  readonly user?: string;
  readonly group?: string;
  readonly tenant?: string;
}

export interface RBDPersistentVolumeSource {
  readonly monitors?: readonly string[] | null;
  readonly image: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

export interface RBDVolumeSource {
  readonly monitors?: readonly string[] | null;
  readonly image: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

/** Keeps a number of pods running. Superseded by Deployment and ReplicaSet. */
export interface ReplicationController {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ReplicationControllerSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ReplicationControllerStatus;
}

export interface ReplicationControllerCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface ReplicationControllerList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ReplicationController[] | null;
}

export interface ReplicationControllerSpec {
  readonly replicas?: number;
  readonly selector?: Readonly<Record<string, string>>;
  readonly template?: PodTemplateSpec;
  readonly minReadySeconds?: number;
}

export interface ReplicationControllerStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly ReplicationControllerCondition[];
}

export interface ResourceClaim {
  readonly name: string;
  readonly request?: string;
}

export interface ResourceFieldSelector {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: machinery.Quantity;
}

export interface ResourceHealth {
  readonly resourceID: string;
  readonly health?: string;
  readonly message?: string;
}

/** Bounds for what a namespace may use altogether. */
export interface ResourceQuota {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ResourceQuotaSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ResourceQuotaStatus;
}

export interface ResourceQuotaList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ResourceQuota[] | null;
}

export interface ResourceQuotaSpec {
  /** Bounds by resource. */
  readonly hard?: Readonly<Record<string, machinery.Quantity>>;
  /** What the bounds are about. */
  readonly scopes?: readonly string[];
  readonly scopeSelector?: ScopeSelector;
}

export interface ResourceQuotaStatus {
  readonly hard?: Readonly<Record<string, machinery.Quantity>>;
  readonly used?: Readonly<Record<string, machinery.Quantity>>;
}

/** What a container gets at least and at most. */
export interface ResourceRequirements {
  /** Most that may be used. */
  readonly limits?: Readonly<Record<string, machinery.Quantity>>;
  /** Least that is set aside. */
  readonly requests?: Readonly<Record<string, machinery.Quantity>>;
  /** Claims of devices to use. */
  readonly claims?: readonly ResourceClaim[];
}

export interface ResourceStatus {
  readonly name: string;
  readonly resources?: readonly ResourceHealth[];
}

export interface SELinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export interface ScaleIOPersistentVolumeSource {
  readonly gateway: string;
  readonly system: string;
  readonly secretRef?: SecretReference | null;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface ScaleIOVolumeSource {
  readonly gateway: string;
  readonly system: string;
  readonly secretRef?: LocalObjectReference | null;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[];
}

export interface ScopedResourceSelectorRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface SeccompProfile {
  readonly type: string;
  readonly localhostProfile?: string;
}

/** Like a ConfigMap, for small confidential data. Values are base64 in JSON. */
export interface Secret {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Keys with bytes, in base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** What the data is for; decides which keys there must be. */
  readonly type?: string;
  /** Keys with text, added to data when written. Never shown. */
  readonly stringData?: Readonly<Record<string, string>>;
  /** Refuse changes of the content from now on. */
  readonly immutable?: boolean;
}

export interface SecretEnvSource {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretKeySelector {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface SecretList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Secret[] | null;
}

export interface SecretProjection {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface SecretVolumeSource {
  readonly secretName?: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

/** Rights and identity of a container's processes; wins over that of the pod. */
export interface SecurityContext {
  /** Capabilities to add and to drop. */
  readonly capabilities?: Capabilities;
  /** Give all rights on the node. */
  readonly privileged?: boolean;
  readonly seLinuxOptions?: SELinuxOptions;
  /** User to run as. */
  readonly runAsUser?: number;
  /** Refuse to run as root. */
  readonly runAsNonRoot?: boolean;
  /** Make the image's files read-only. */
  readonly readOnlyRootFilesystem?: boolean;
  /** Whether a process may gain more rights than its parent. */
  readonly allowPrivilegeEscalation?: boolean;
  /** Group to run as. */
  readonly runAsGroup?: number;
  readonly procMount?: string;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  /** Filter for system calls. */
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
}

/** A stable address and name for a set of pods. */
export interface Service {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ServiceSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ServiceStatus;
}

/** An identity for programs that run in pods. */
export interface ServiceAccount {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** Secrets that pods may use. */
  readonly secrets?: readonly ObjectReference[];
  /** Secrets for pulling images. */
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  /** Whether pods get a token. */
  readonly automountServiceAccountToken?: boolean;
}

export interface ServiceAccountList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ServiceAccount[] | null;
}

export interface ServiceAccountTokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

export interface ServiceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Service[] | null;
}

/** A port of a service, and where its traffic goes. */
export interface ServicePort {
  /** Name of the port; needed if there are several. */
  readonly name?: string;
  /** TCP, UDP or SCTP. */
  readonly protocol?: string;
  /** Port of the service. */
  readonly port: number;
  /** Port of the pods, or its name. The same as port if not given. */
  readonly targetPort?: machinery.IntOrString;
  /** Port of the nodes, for types NodePort and LoadBalancer; chosen by the server if not given. */
  readonly nodePort?: number;
  /** Protocol on top, for those who look into the traffic. */
  readonly appProtocol?: string;
}

export interface ServiceSpec {
  /** Ports of the service. */
  readonly ports?: readonly ServicePort[];
  /** Labels of the pods behind the service. Without it, endpoints are somebody else's to set. */
  readonly selector?: Readonly<Record<string, string>>;
  /** Address inside the cluster; chosen by the server if empty. None for no address. */
  readonly clusterIP?: string;
  /** How the service is reached: ClusterIP, NodePort, LoadBalancer or ExternalName. */
  readonly type?: string;
  /** Further addresses whose traffic nodes accept. */
  readonly externalIPs?: readonly string[];
  /** ClientIP sends a client to the same pod each time; None does not. */
  readonly sessionAffinity?: string;
  /** Wanted address of the load balancer. Deprecated. */
  readonly loadBalancerIP?: string;
  /** Who may use the load balancer. */
  readonly loadBalancerSourceRanges?: readonly string[];
  /** Name that the service stands for; for type ExternalName. */
  readonly externalName?: string;
  /** Whether traffic from outside may go to other nodes: Cluster or Local. */
  readonly externalTrafficPolicy?: string;
  /** Port of the nodes on which balancers check. */
  readonly healthCheckNodePort?: number;
  /** Include pods that are not ready. */
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  /** SingleStack, PreferDualStack or RequireDualStack. */
  readonly ipFamilyPolicy?: string;
  /** Addresses, one for each address family. */
  readonly clusterIPs?: readonly string[];
  /** IPv4, IPv6, or both, in the order wanted. */
  readonly ipFamilies?: readonly string[];
  /** Whether node ports are taken for a load balancer. */
  readonly allocateLoadBalancerNodePorts?: boolean;
  /** Who makes the load balancer. */
  readonly loadBalancerClass?: string;
  /** The same for traffic from inside. */
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
}

export interface ServiceStatus {
  readonly loadBalancer?: LoadBalancerStatus;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

export interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig;
}

export interface SleepAction {
  readonly seconds: number;
}

export interface StorageOSPersistentVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: ObjectReference;
}

export interface StorageOSVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

export interface Sysctl {
  readonly name: string;
  readonly value: string;
}

export interface TCPSocketAction {
  readonly port: machinery.IntOrString;
  readonly host?: string;
}

/** Keeps pods that do not tolerate it away from a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: metaV1.Time;
}

/** Lets a pod onto nodes with a taint. */
export interface Toleration {
  /** Name of the taint; all if empty. */
  readonly key?: string;
  /** Equal or Exists. */
  readonly operator?: string;
  /** Value of the taint. */
  readonly value?: string;
  /** NoSchedule, PreferNoSchedule or NoExecute; all if empty. */
  readonly effect?: string;
  /** For NoExecute: how long the pod may stay. */
  readonly tolerationSeconds?: number;
}

export interface TopologySelectorLabelRequirement {
  readonly key: string;
  readonly values?: readonly string[] | null;
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[];
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: metaV1.LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

export interface TypedObjectReference {
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A directory, and what it comes from, that containers of the pod may mount. Exactly one source is given. */
export interface Volume {
  /** Name that mounts refer to. */
  readonly name: string;
  /** A path of the node. */
  readonly hostPath?: HostPathVolumeSource;
  /** An empty directory that goes with the pod. */
  readonly emptyDir?: EmptyDirVolumeSource;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly gitRepo?: GitRepoVolumeSource;
  /** Keys of a Secret as files. */
  readonly secret?: SecretVolumeSource;
  /** A directory of an NFS server. */
  readonly nfs?: NFSVolumeSource;
  readonly iscsi?: ISCSIVolumeSource;
  readonly glusterfs?: GlusterfsVolumeSource;
  /** The volume that a claim is bound to. */
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  readonly rbd?: RBDVolumeSource;
  readonly flexVolume?: FlexVolumeSource;
  readonly cinder?: CinderVolumeSource;
  readonly cephfs?: CephFSVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  /** Facts about the pod as files. */
  readonly downwardAPI?: DownwardAPIVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly azureFile?: AzureFileVolumeSource;
  /** Keys of a ConfigMap as files. */
  readonly configMap?: ConfigMapVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOVolumeSource;
  /** Several sources in one directory. */
  readonly projected?: ProjectedVolumeSource;
  readonly storageos?: StorageOSVolumeSource;
  /** A volume that a driver makes for the pod. */
  readonly csi?: CSIVolumeSource;
  /** A claim that is made for the pod and goes with it. */
  readonly ephemeral?: EphemeralVolumeSource;
  /** The content of an image. */
  readonly image?: ImageVolumeSource;
}

export interface VolumeDevice {
  readonly name: string;
  readonly devicePath: string;
}

/** Where a volume appears in a container. */
export interface VolumeMount {
  /** Name of the volume. */
  readonly name: string;
  /** Whether writing is refused. */
  readonly readOnly?: boolean;
  /** Path inside the container. */
  readonly mountPath: string;
  /** Path inside the volume. */
  readonly subPath?: string;
  readonly mountPropagation?: string;
  readonly subPathExpr?: string;
  readonly recursiveReadOnly?: string;
}

export interface VolumeMountStatus {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly volumeStatus?: VolumeStatus;
}

export interface VolumeNodeAffinity {
  readonly required?: NodeSelector;
}

export interface VolumeProjection {
  readonly secret?: SecretProjection;
  readonly downwardAPI?: DownwardAPIProjection;
  readonly configMap?: ConfigMapProjection;
  readonly serviceAccountToken?: ServiceAccountTokenProjection;
  readonly clusterTrustBundle?: ClusterTrustBundleProjection;
  readonly podCertificate?: PodCertificateProjection;
}

export interface VolumeResourceRequirements {
  readonly limits?: Readonly<Record<string, machinery.Quantity>>;
  readonly requests?: Readonly<Record<string, machinery.Quantity>>;
}

export interface VolumeStatus {
  readonly image?: ImageVolumeStatus;
}

export interface VsphereVirtualDiskVolumeSource {
  readonly volumePath: string;
  readonly fsType?: string;
  readonly storagePolicyName?: string;
  readonly storagePolicyID?: string;
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: boolean;
}

export const bindings: Resource<Binding> = { group: '', version: 'v1', resource: 'bindings', kind: 'Binding', namespaced: true };
export const componentStatuses: Resource<ComponentStatus> = { group: '', version: 'v1', resource: 'componentstatuses', kind: 'ComponentStatus', namespaced: false };
export const configMaps: Resource<ConfigMap> = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
export const endpoints: Resource<Endpoints> = { group: '', version: 'v1', resource: 'endpoints', kind: 'Endpoints', namespaced: true };
export const events: Resource<Event> = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true };
export const limitRanges: Resource<LimitRange> = { group: '', version: 'v1', resource: 'limitranges', kind: 'LimitRange', namespaced: true };
export const namespaces: Resource<Namespace> = { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false };
export const nodes: Resource<Node> = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false };
export const persistentVolumeClaims: Resource<PersistentVolumeClaim> = { group: '', version: 'v1', resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true };
export const persistentVolumes: Resource<PersistentVolume> = { group: '', version: 'v1', resource: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };
export const pods: Resource<Pod> = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
export const podTemplates: Resource<PodTemplate> = { group: '', version: 'v1', resource: 'podtemplates', kind: 'PodTemplate', namespaced: true };
export const replicationControllers: Resource<ReplicationController> = { group: '', version: 'v1', resource: 'replicationcontrollers', kind: 'ReplicationController', namespaced: true };
export const resourceQuotas: Resource<ResourceQuota> = { group: '', version: 'v1', resource: 'resourcequotas', kind: 'ResourceQuota', namespaced: true };
export const secrets: Resource<Secret> = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
export const serviceAccounts: Resource<ServiceAccount> = { group: '', version: 'v1', resource: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true };
export const services: Resource<Service> = { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true };
