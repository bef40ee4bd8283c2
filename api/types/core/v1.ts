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
  readonly names?: readonly string[] | null;
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

/** A folder that a server exports by NFS. */
export interface NFSVolumeSource {
  /** Host name or address of the server. */
  readonly server: string;
  /** Path that the server exports. */
  readonly path: string;
  /** Mount it without the right to write; false if not given. */
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

/** A statement about the deletion of a namespace. */
export interface NamespaceCondition {
  /** What the statement is, such as NamespaceContentRemaining. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
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

/** What is wanted of a namespace. */
export interface NamespaceSpec {
  /** What has to be done before the namespace may go. */
  readonly finalizers?: readonly string[];
}

/** Whether a namespace is in use or goes away. */
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

/** An address of a node. */
export interface NodeAddress {
  /** Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS. */
  readonly type: string;
  /** The address. */
  readonly address: string;
}

/** Which nodes a pod may or should run on. */
export interface NodeAffinity {
  /** The pod runs only on nodes that these terms select; later changes of the node do not matter. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  /** Nodes that fit these terms are preferred, by the sum of their weights. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

/** What a claim of devices takes of the resources that a node gives to pods. */
export interface NodeAllocatableResourceClaimStatus {
  /** Name of the claim. */
  readonly resourceClaimName: string;
  /** Names of the containers that use the claim. */
  readonly containers?: readonly string[];
  /** Amounts taken, by resource. */
  readonly resources?: Readonly<Record<string, machinery.Quantity>> | null;
}

/** A statement about a node. */
export interface NodeCondition {
  /** What the statement is, such as Ready or MemoryPressure. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the node last said so. */
  readonly lastHeartbeatTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
}

/** Where a node gets its configuration. No longer in use. */
export interface NodeConfigSource {
  /** A ConfigMap with the configuration. */
  readonly configMap?: ConfigMapNodeConfigSource;
}

/** Which configuration a node was given and uses. No longer in use. */
export interface NodeConfigStatus {
  /** What the node will try to use. */
  readonly assigned?: NodeConfigSource;
  /** What the node uses. */
  readonly active?: NodeConfigSource;
  /** What the node falls back to. */
  readonly lastKnownGood?: NodeConfigSource;
  /** What is wrong with the assigned configuration. */
  readonly error?: string;
}

/** Ports on which the daemons of a node listen. */
export interface NodeDaemonEndpoints {
  /** Where the kubelet listens. */
  readonly kubeletEndpoint?: DaemonEndpoint;
}

/** What the container runtime of a node can do. */
export interface NodeFeatures {
  /** Whether the policy for supplemental groups and the user of containers are supported. */
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

/** A runtime handler of a node, and what it can do. */
export interface NodeRuntimeHandler {
  /** Name of the handler; empty for the default one. */
  readonly name?: string;
  /** What it can do. */
  readonly features?: NodeRuntimeHandlerFeatures;
}

/** What a runtime handler can do. */
export interface NodeRuntimeHandlerFeatures {
  /** Whether mounts can be read-only all the way down. */
  readonly recursiveReadOnlyMounts?: boolean;
  /** Whether pods can have user namespaces, volumes included. */
  readonly userNamespaces?: boolean;
}

/** Selects nodes; one of its terms must fit. */
export interface NodeSelector {
  /** The terms, at least one. */
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] | null;
}

/** A requirement on one label or field of a node. */
export interface NodeSelectorRequirement {
  /** Name of the label or field. */
  readonly key: string;
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  readonly operator: string;
  /** Values to compare with: some for In and NotIn, one whole number for Gt and Lt, none otherwise. */
  readonly values?: readonly string[];
}

/** Requirements on a node that must all be met; a term without any fits no node. */
export interface NodeSelectorTerm {
  /** Requirements on labels. */
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  /** Requirements on fields; only metadata.name is known. */
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

/** How a node is to be used. */
export interface NodeSpec {
  /** Range of pod addresses. */
  readonly podCIDR?: string;
  /** No longer in use. */
  readonly externalID?: string;
  /** Identity of the machine at its provider. */
  readonly providerID?: string;
  /** Whether new pods stay away. */
  readonly unschedulable?: boolean;
  /** Taints that keep pods away. */
  readonly taints?: readonly Taint[];
  /** No longer in use. */
  readonly configSource?: NodeConfigSource;
  /** Ranges of pod addresses, one for each address family. */
  readonly podCIDRs?: readonly string[];
}

/** What is known of a node, told by itself. */
export interface NodeStatus {
  /** What the machine has. */
  readonly capacity?: Readonly<Record<string, machinery.Quantity>>;
  /** What of it pods may use. */
  readonly allocatable?: Readonly<Record<string, machinery.Quantity>>;
  /** No longer in use. */
  readonly phase?: string;
  /** Statements about the present state. */
  readonly conditions?: readonly NodeCondition[];
  /** Addresses of the machine. */
  readonly addresses?: readonly NodeAddress[];
  /** Ports of the daemons on the node. */
  readonly daemonEndpoints?: NodeDaemonEndpoints;
  /** Versions and identities. */
  readonly nodeInfo?: NodeSystemInfo;
  /** Images that are there. */
  readonly images?: readonly ContainerImage[];
  /** Volumes that the node has mounted. */
  readonly volumesInUse?: readonly string[];
  /** Volumes that are attached to the node. */
  readonly volumesAttached?: readonly AttachedVolume[];
  /** No longer in use. */
  readonly config?: NodeConfigStatus;
  /** Runtime handlers of the node. */
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  /** What the container runtime can do. */
  readonly features?: NodeFeatures;
  /** Features that the node says it has, for the scheduler. */
  readonly declaredFeatures?: readonly string[];
}

/** Swap of a node. */
export interface NodeSwapStatus {
  /** Size in bytes. */
  readonly capacity?: number;
}

/** What identifies a node and its software. */
export interface NodeSystemInfo {
  /** Identity that the operating system gives the machine. */
  readonly machineID: string;
  /** Identity that the hardware or hypervisor gives the machine. */
  readonly systemUUID: string;
  /** Identity of the present boot. */
  readonly bootID: string;
  /** Version of the kernel. */
  readonly kernelVersion: string;
  /** Name and version of the operating system. */
  readonly osImage: string;
  /** Container runtime and its version, as name://version. */
  readonly containerRuntimeVersion: string;
  /** Version of the kubelet. */
  readonly kubeletVersion: string;
  /** No longer in use. */
  readonly kubeProxyVersion: string;
  /** Operating system, such as linux or windows. */
  readonly operatingSystem: string;
  /** Processor architecture, such as amd64 or arm64. */
  readonly architecture: string;
  /** Swap of the node. */
  readonly swap?: NodeSwapStatus;
}

/** Picks a field of a pod. */
export interface ObjectFieldSelector {
  /** Version in which the field is named; v1 if not given. */
  readonly apiVersion?: string;
  /** The field, such as metadata.name. */
  readonly fieldPath: string;
}

/** Points to an object, or to a part of it. */
export interface ObjectReference {
  /** Kind of the object. */
  readonly kind?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
  /** Identity of the object. */
  readonly uid?: string;
  /** Group and version of the object. */
  readonly apiVersion?: string;
  /** Version of the object that is meant, if one is. */
  readonly resourceVersion?: string;
  /** Part of the object that is meant, such as spec.containers{name}. */
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

/** A statement about a claim. */
export interface PersistentVolumeClaimCondition {
  /** What the statement is, such as Resizing or FileSystemResizePending. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When it was last looked at. */
  readonly lastProbeTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
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

/** The storage that a claim asks for. */
export interface PersistentVolumeClaimSpec {
  /** Ways to mount: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod. */
  readonly accessModes?: readonly string[];
  /** How much storage. */
  readonly resources?: VolumeResourceRequirements;
  /** Volume to bind to. */
  readonly volumeName?: string;
  /** Selects volumes by their labels. */
  readonly selector?: metaV1.LabelSelector;
  /** Kind of storage. */
  readonly storageClassName?: string;
  /** Filesystem or Block. */
  readonly volumeMode?: string;
  /** What the volume starts with: a snapshot or another claim. */
  readonly dataSource?: TypedLocalObjectReference;
  /** What the volume starts with, of whatever kind. */
  readonly dataSourceRef?: TypedObjectReference;
  /** Class of attributes to apply to the volume; may be changed later. */
  readonly volumeAttributesClassName?: string;
}

/** What a claim has got. */
export interface PersistentVolumeClaimStatus {
  /** Pending, Bound or Lost. */
  readonly phase?: string;
  /** How the volume can be mounted. */
  readonly accessModes?: readonly string[];
  /** Size of the volume. */
  readonly capacity?: Readonly<Record<string, machinery.Quantity>>;
  /** Statements about the present state. */
  readonly conditions?: readonly PersistentVolumeClaimCondition[];
  /** Size that is being made available, which may be larger than the capacity. */
  readonly allocatedResources?: Readonly<Record<string, machinery.Quantity>>;
  /** How far resizing has come, by resource. */
  readonly allocatedResourceStatuses?: Readonly<Record<string, string>>;
  /** Class of attributes that is applied. */
  readonly currentVolumeAttributesClassName?: string;
  /** How far a change of the attributes has come. */
  readonly modifyVolumeStatus?: ModifyVolumeStatus;
}

/** What a claim is made of that comes and goes with a pod. */
export interface PersistentVolumeClaimTemplate {
  /** Labels and annotations of the claim; nothing else may be set. */
  readonly metadata?: metaV1.ObjectMeta;
  /** Specification of the claim. */
  readonly spec: PersistentVolumeClaimSpec;
}

/** Uses the volume of a claim in the same namespace. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim. */
  readonly claimName: string;
  /** Mount it without the right to write; false if not given. */
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

/** What a volume is, and how it may be used. */
export interface PersistentVolumeSpec {
  /** How much storage. */
  readonly capacity?: Readonly<Record<string, machinery.Quantity>>;
  /** A disk of Google's cloud. Use a claim and a CSI driver instead. */
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** A disk of Amazon's block store. Use a claim and a CSI driver instead. */
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A file or folder of the node. */
  readonly hostPath?: HostPathVolumeSource;
  /** A Gluster volume. No longer supported. */
  readonly glusterfs?: GlusterfsPersistentVolumeSource;
  /** A folder that a server exports by NFS. */
  readonly nfs?: NFSVolumeSource;
  /** An image of Ceph's block device. No longer supported. */
  readonly rbd?: RBDPersistentVolumeSource;
  /** An iSCSI disk. */
  readonly iscsi?: ISCSIPersistentVolumeSource;
  /** A disk of OpenStack's Cinder. Use a claim and a CSI driver instead. */
  readonly cinder?: CinderPersistentVolumeSource;
  /** A Ceph file system. No longer supported. */
  readonly cephfs?: CephFSPersistentVolumeSource;
  /** A Fibre Channel disk. */
  readonly fc?: FCVolumeSource;
  /** A volume of Flocker. No longer supported. */
  readonly flocker?: FlockerVolumeSource;
  /** A volume served by a program on the node. Deprecated in favour of CSI. */
  readonly flexVolume?: FlexPersistentVolumeSource;
  /** A file share of Azure. Use a claim and a CSI driver instead. */
  readonly azureFile?: AzureFilePersistentVolumeSource;
  /** A disk of vSphere. Use a claim and a CSI driver instead. */
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A volume of Quobyte. No longer supported. */
  readonly quobyte?: QuobyteVolumeSource;
  /** A data disk of Azure. Use a claim and a CSI driver instead. */
  readonly azureDisk?: AzureDiskVolumeSource;
  /** A disk of VMware's Photon platform. No longer supported. */
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A volume of Portworx. Use a claim and a CSI driver instead. */
  readonly portworxVolume?: PortworxVolumeSource;
  /** A volume of ScaleIO. No longer supported. */
  readonly scaleIO?: ScaleIOPersistentVolumeSource;
  /** A disk, partition or folder of a node. */
  readonly local?: LocalVolumeSource;
  /** A volume of StorageOS. No longer supported. */
  readonly storageos?: StorageOSPersistentVolumeSource;
  /** A volume that an external driver serves. */
  readonly csi?: CSIPersistentVolumeSource;
  /** Ways to mount. */
  readonly accessModes?: readonly string[];
  /** The claim that it is bound to. */
  readonly claimRef?: ObjectReference;
  /** What becomes of it after the claim: Retain, Delete or Recycle. */
  readonly persistentVolumeReclaimPolicy?: string;
  /** Kind of storage. */
  readonly storageClassName?: string;
  /** Options for mounting, such as ro. */
  readonly mountOptions?: readonly string[];
  /** Filesystem or Block. */
  readonly volumeMode?: string;
  /** Nodes on which the volume can be used. */
  readonly nodeAffinity?: VolumeNodeAffinity;
  /** Class of attributes of the volume. */
  readonly volumeAttributesClassName?: string;
}

/** What is known of a volume. */
export interface PersistentVolumeStatus {
  /** Pending, Available, Bound, Released or Failed. */
  readonly phase?: string;
  /** Why, for people. */
  readonly message?: string;
  /** Why, in one word. */
  readonly reason?: string;
  /** When the phase last changed. */
  readonly lastPhaseTransitionTime?: metaV1.Time;
}

/** A disk of VMware's Photon platform. No longer supported. */
export interface PhotonPersistentDiskVolumeSource {
  /** Identity of the disk. */
  readonly pdID: string;
  /** File system of the disk, such as ext4. */
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

/** Near which pods a pod must or should run. */
export interface PodAffinity {
  /** All these terms must fit a node for the pod to run there. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  /** Nodes that fit these terms are preferred, by the sum of their weights. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

/** Pods, and how near to them. */
export interface PodAffinityTerm {
  /** Selects the pods by labels. */
  readonly labelSelector?: metaV1.LabelSelector;
  /** Namespaces of the pods; that of the own pod if neither these nor a selector are given. */
  readonly namespaces?: readonly string[];
  /** Label of nodes; nodes with the same value are one place. Must not be empty. */
  readonly topologyKey: string;
  /** Selects namespaces by their labels. */
  readonly namespaceSelector?: metaV1.LabelSelector;
  /** Labels whose values the pods share with the own pod. */
  readonly matchLabelKeys?: readonly string[];
  /** Labels whose values differ from those of the own pod. */
  readonly mismatchLabelKeys?: readonly string[];
}

/** Away from which pods a pod must or should run. */
export interface PodAntiAffinity {
  /** The pod runs on no node that one of these terms fits. */
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  /** Nodes that fit these terms are avoided, by the sum of their weights. */
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

/** A private key and a certificate for it, as files. */
export interface PodCertificateProjection {
  /** Who signs the certificate. */
  readonly signerName?: string;
  /** Type of the key: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519. */
  readonly keyType?: string;
  /** Longest life of the certificate in seconds; 86400 if not given. */
  readonly maxExpirationSeconds?: number;
  /** File for key and certificates together. */
  readonly credentialBundlePath?: string;
  /** File for the key alone. */
  readonly keyPath?: string;
  /** File for the certificates alone. */
  readonly certificateChainPath?: string;
  /** Further words for the signer. */
  readonly userAnnotations?: Readonly<Record<string, string>>;
}

/** A statement about a pod. */
export interface PodCondition {
  /** What the statement is, such as Ready or PodScheduled. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When it was last looked at. */
  readonly lastProbeTime?: metaV1.Time | null;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
  readonly message?: string;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
}

/** How names are looked up in a pod, besides what its policy says. */
export interface PodDNSConfig {
  /** Addresses of name servers, at most three. */
  readonly nameservers?: readonly string[];
  /** Domains to search, at most 32. */
  readonly searches?: readonly string[];
  /** Options of the resolver. */
  readonly options?: readonly PodDNSConfigOption[];
}

/** An option of the resolver. */
export interface PodDNSConfigOption {
  /** Name of the option. */
  readonly name?: string;
  /** Its value, if it has one. */
  readonly value?: string;
}

/** The claim that was made for the extended resources of a pod. */
export interface PodExtendedResourceClaimStatus {
  /** Which request of the claim stands for what a container asked for. */
  readonly requestMappings?: readonly ContainerExtendedResourceRequest[] | null;
  /** Name of the claim. */
  readonly resourceClaimName: string;
}

/** An address of a pod. */
export interface PodIP {
  /** The address. */
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

/** Operating system of a pod. */
export interface PodOS {
  /** linux or windows. */
  readonly name: string;
}

/** A condition that must be true for a pod to be ready. */
export interface PodReadinessGate {
  /** Type of the condition. */
  readonly conditionType: string;
}

/** A claim of devices that the containers of a pod may use. */
export interface PodResourceClaim {
  /** Name by which containers refer to it. */
  readonly name: string;
  /** Name of a claim that exists. */
  readonly resourceClaimName?: string;
  /** Name of a template from which a claim is made for the pod. */
  readonly resourceClaimTemplateName?: string;
}

/** Which claim was made for an entry of a pod. */
export interface PodResourceClaimStatus {
  /** Name of the entry. */
  readonly name: string;
  /** Name of the claim; nothing if none was needed. */
  readonly resourceClaimName?: string;
}

/** Keeps a pod from being scheduled until it is removed. */
export interface PodSchedulingGate {
  /** Name of the gate. */
  readonly name: string;
}

/** The group with which a pod is scheduled. */
export interface PodSchedulingGroup {
  /** Name of the group. */
  readonly podGroupName?: string;
}

/** Rights and identity of the processes of all containers of a pod. */
export interface PodSecurityContext {
  /** SELinux context of all containers. */
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
  /** Settings for Windows. */
  readonly windowsOptions?: WindowsSecurityContextOptions;
  /** When owners of files in volumes are changed: OnRootMismatch or Always, which is the default. */
  readonly fsGroupChangePolicy?: string;
  /** Filter for system calls. */
  readonly seccompProfile?: SeccompProfile;
  /** AppArmor profile of all containers. */
  readonly appArmorProfile?: AppArmorProfile;
  /** How further groups are found: Merge, which is the default, or Strict. */
  readonly supplementalGroupsPolicy?: string;
  /** How SELinux labels come onto volumes: Recursive or MountOption. */
  readonly seLinuxChangePolicy?: string;
}

/** What a pod is made of, and how it runs. */
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
  /** Host name that the pod sees as its own. */
  readonly hostnameOverride?: string;
  /** Group with which the pod is scheduled. */
  readonly schedulingGroup?: PodSchedulingGroup;
}

/** What is known of a pod; may lag behind. */
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
  /** State of the containers that were added to look into the pod. */
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  /** How far a change of resources has come. Deprecated in favour of conditions. */
  readonly resize?: string;
  /** Claims that were made for the pod. */
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[];
  /** Addresses of the node. */
  readonly hostIPs?: readonly HostIP[];
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** The claim for extended resources. */
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  /** What the node has set aside for the pod as a whole. */
  readonly allocatedResources?: Readonly<Record<string, machinery.Quantity>>;
  /** Requests and limits of the pod as a whole that are in force. */
  readonly resources?: ResourceRequirements;
  /** What claims of devices take of the resources of the node. */
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
  /** What pods are made of. */
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

/** A port of a load balancer, and what is wrong with it. */
export interface PortStatus {
  /** Number of the port. */
  readonly port: number;
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  /** What is wrong, in one word. */
  readonly error?: string;
}

/** A volume of Portworx. A CSI driver serves it. */
export interface PortworxVolumeSource {
  /** Identity of the volume. */
  readonly volumeID: string;
  /** File system to mount, such as ext4 or xfs. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** A term that makes a node better, and how much. */
export interface PreferredSchedulingTerm {
  /** How much, from 1 to 100. */
  readonly weight: number;
  /** The term. */
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

/** A volume with files from several sources. */
export interface ProjectedVolumeSource {
  /** The sources. */
  readonly sources?: readonly VolumeProjection[] | null;
  /** Permission bits of files that name none; 0644 if not given. */
  readonly defaultMode?: number;
}

/** A volume of Quobyte. No longer supported. */
export interface QuobyteVolumeSource {
  /** Addresses of the registry as host:port, with commas between. */
  readonly registry: string;
  /** Name of the volume. */
  readonly volume: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** User to mount as. */
  readonly user?: string;
  /** Group to mount as. */
  readonly group?: string;
  /** Tenant that owns the volume. */
  readonly tenant?: string;
}

/** An image of Ceph's block device, for persistent volumes. No longer supported. */
export interface RBDPersistentVolumeSource {
  /** Addresses of the monitors. */
  readonly monitors?: readonly string[] | null;
  /** Name of the image. */
  readonly image: string;
  /** File system of the image, such as ext4. */
  readonly fsType?: string;
  /** Pool of the image; rbd if not given. */
  readonly pool?: string;
  /** User at Ceph; admin if not given. */
  readonly user?: string;
  /** File with the user's key ring; /etc/ceph/keyring if not given. */
  readonly keyring?: string;
  /** Secret with the user's key; it goes before the file. */
  readonly secretRef?: SecretReference;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** An image of Ceph's block device. No longer supported. */
export interface RBDVolumeSource {
  /** Addresses of the monitors. */
  readonly monitors?: readonly string[] | null;
  /** Name of the image. */
  readonly image: string;
  /** File system of the image, such as ext4. */
  readonly fsType?: string;
  /** Pool of the image; rbd if not given. */
  readonly pool?: string;
  /** User at Ceph; admin if not given. */
  readonly user?: string;
  /** File with the user's key ring; /etc/ceph/keyring if not given. */
  readonly keyring?: string;
  /** Secret with the user's key; it goes before the file. */
  readonly secretRef?: LocalObjectReference;
  /** Mount it without the right to write; false if not given. */
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

/** A statement about a replication controller. */
export interface ReplicationControllerCondition {
  /** What the statement is, such as ReplicaFailure. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
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

/** How many pods to keep, and what they are made of. */
export interface ReplicationControllerSpec {
  /** How many pods are wanted; 1 if not given. */
  readonly replicas?: number;
  /** Labels of the pods; those of the template if not given. */
  readonly selector?: Readonly<Record<string, string>>;
  /** What pods are made of. */
  readonly template?: PodTemplateSpec;
  /** Seconds for which a new pod must be ready to count as available; 0 if not given. */
  readonly minReadySeconds?: number;
}

/** What is known of a replication controller. */
export interface ReplicationControllerStatus {
  /** How many pods there are. */
  readonly replicas: number;
  /** How many of them have all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** The generation of the specification that this status is about. */
  readonly observedGeneration?: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many of them have been ready for long enough. */
  readonly availableReplicas?: number;
  /** Statements about the present state. */
  readonly conditions?: readonly ReplicationControllerCondition[];
}

/** A claim of the pod that a container uses. */
export interface ResourceClaim {
  /** Name of the claim among those of the pod. */
  readonly name: string;
  /** Which request of the claim; all if not given. */
  readonly request?: string;
}

/** Picks a request or limit of a container. */
export interface ResourceFieldSelector {
  /** Name of the container; needed in volumes. */
  readonly containerName?: string;
  /** The resource, such as limits.cpu. */
  readonly resource: string;
  /** Unit in which the amount is told; 1 if not given. */
  readonly divisor?: machinery.Quantity;
}

/** Health of one device. */
export interface ResourceHealth {
  /** Identity of the device on the node. */
  readonly resourceID: string;
  /** Healthy, Unhealthy or Unknown. */
  readonly health?: string;
  /** Why, for people. */
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

/** What may be used, and by what. */
export interface ResourceQuotaSpec {
  /** Bounds by resource. */
  readonly hard?: Readonly<Record<string, machinery.Quantity>>;
  /** What the bounds are about. */
  readonly scopes?: readonly string[];
  /** Selects what counts by scopes, with operators. */
  readonly scopeSelector?: ScopeSelector;
}

/** What may be used and what is. */
export interface ResourceQuotaStatus {
  /** Bounds in force, by resource. */
  readonly hard?: Readonly<Record<string, machinery.Quantity>>;
  /** What is used, by resource. */
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

/** Health of the devices of one resource of a container. */
export interface ResourceStatus {
  /** Name of the resource, or claim:NAME/REQUEST. */
  readonly name: string;
  /** Devices, each with its health. */
  readonly resources?: readonly ResourceHealth[];
}

/** An SELinux label. */
export interface SELinuxOptions {
  /** User of the label. */
  readonly user?: string;
  /** Role of the label. */
  readonly role?: string;
  /** Type of the label. */
  readonly type?: string;
  /** Level of the label. */
  readonly level?: string;
}

/** A volume of ScaleIO, for persistent volumes. No longer supported. */
export interface ScaleIOPersistentVolumeSource {
  /** Address of the gateway. */
  readonly gateway: string;
  /** Name of the storage system. */
  readonly system: string;
  /** Secret for logging in. */
  readonly secretRef?: SecretReference | null;
  /** Whether to speak TLS with the gateway; false if not given. */
  readonly sslEnabled?: boolean;
  /** Name of the protection domain. */
  readonly protectionDomain?: string;
  /** Pool of the volume. */
  readonly storagePool?: string;
  /** ThickProvisioned or ThinProvisioned, which is the default. */
  readonly storageMode?: string;
  /** Name of a volume that exists. */
  readonly volumeName?: string;
  /** File system of the volume; xfs if not given. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** A volume of ScaleIO. No longer supported. */
export interface ScaleIOVolumeSource {
  /** Address of the gateway. */
  readonly gateway: string;
  /** Name of the storage system. */
  readonly system: string;
  /** Secret for logging in. */
  readonly secretRef?: LocalObjectReference | null;
  /** Whether to speak TLS with the gateway; false if not given. */
  readonly sslEnabled?: boolean;
  /** Name of the protection domain. */
  readonly protectionDomain?: string;
  /** Pool of the volume. */
  readonly storagePool?: string;
  /** ThickProvisioned or ThinProvisioned, which is the default. */
  readonly storageMode?: string;
  /** Name of a volume that exists. */
  readonly volumeName?: string;
  /** File system of the volume; xfs if not given. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
}

/** Selects what a quota counts; all requirements must be met. */
export interface ScopeSelector {
  /** The requirements. */
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[];
}

/** A requirement on one scope. */
export interface ScopedResourceSelectorRequirement {
  /** Name of the scope, such as PriorityClass or BestEffort. */
  readonly scopeName: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values to compare with: some for In and NotIn, none otherwise. */
  readonly values?: readonly string[];
}

/** The seccomp profile that bounds the system calls of a container. */
export interface SeccompProfile {
  /** Where the profile comes from: Localhost, RuntimeDefault or Unconfined. */
  readonly type: string;
  /** File of the profile below the kubelet's folder. Wanted for Localhost and refused otherwise. */
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

/** Makes an environment variable of each key of a Secret. */
export interface SecretEnvSource {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** Whether the Secret may be missing. */
  readonly optional?: boolean;
}

/** Picks one key of a Secret. */
export interface SecretKeySelector {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** The key. */
  readonly key: string;
  /** Whether the Secret or its key may be missing. */
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

/** Files made from the keys of a Secret, in a volume of several sources. */
export interface SecretProjection {
  /** Name of the object, in the same namespace. */
  readonly name?: string;
  /** Which keys become files, and where; without it each key becomes a file of its name. */
  readonly items?: readonly KeyToPath[];
  /** Whether the Secret or a key may be missing. */
  readonly optional?: boolean;
}

/** Names a Secret in any namespace. */
export interface SecretReference {
  /** Name of the Secret. */
  readonly name?: string;
  /** Namespace of the Secret. */
  readonly namespace?: string;
}

/** A volume with a file for each key of a Secret. */
export interface SecretVolumeSource {
  /** Name of the Secret. */
  readonly secretName?: string;
  /** Which keys become files, and where; without it each key becomes a file of its name. */
  readonly items?: readonly KeyToPath[];
  /** Permission bits of files that name none; 0644 if not given. */
  readonly defaultMode?: number;
  /** Whether the Secret or a key may be missing. */
  readonly optional?: boolean;
}

/** Rights and identity of a container's processes; wins over that of the pod. */
export interface SecurityContext {
  /** Capabilities to add and to drop. */
  readonly capabilities?: Capabilities;
  /** Give all rights on the node. */
  readonly privileged?: boolean;
  /** SELinux context of the container. */
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
  /** How /proc is mounted: Default or Unmasked. */
  readonly procMount?: string;
  /** Settings for Windows. */
  readonly windowsOptions?: WindowsSecurityContextOptions;
  /** Filter for system calls. */
  readonly seccompProfile?: SeccompProfile;
  /** AppArmor profile of the container. */
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

/** A token of the pod's service account, as a file that is renewed. */
export interface ServiceAccountTokenProjection {
  /** For whom the token is; the API server if not given. */
  readonly audience?: string;
  /** Life of the token in seconds, at least 600; 3600 if not given. */
  readonly expirationSeconds?: number;
  /** Where the file lies, from the root of the volume. */
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

/** Which pods are behind a service, and how it is reached. */
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
  /** How long a client stays with its pod. */
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
  /** Where traffic should go: PreferSameZone or PreferSameNode; PreferClose is an older name. */
  readonly trafficDistribution?: string;
}

/** What is known of a service. */
export interface ServiceStatus {
  /** Where its load balancer is reached. */
  readonly loadBalancer?: LoadBalancerStatus;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

/** Settings of session affinity. */
export interface SessionAffinityConfig {
  /** Settings for affinity by the client's address. */
  readonly clientIP?: ClientIPConfig;
}

/** Waits. */
export interface SleepAction {
  /** How many seconds; no more than the grace period. */
  readonly seconds: number;
}

/** A volume of StorageOS, for persistent volumes. No longer supported. */
export interface StorageOSPersistentVolumeSource {
  /** Name of the volume. */
  readonly volumeName?: string;
  /** Namespace of the volume at StorageOS; that of the pod if not given. */
  readonly volumeNamespace?: string;
  /** File system of the volume, such as ext4. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Secret for the API of StorageOS. */
  readonly secretRef?: ObjectReference;
}

/** A volume of StorageOS. No longer supported. */
export interface StorageOSVolumeSource {
  /** Name of the volume. */
  readonly volumeName?: string;
  /** Namespace of the volume at StorageOS; that of the pod if not given. */
  readonly volumeNamespace?: string;
  /** File system of the volume, such as ext4. */
  readonly fsType?: string;
  /** Mount it without the right to write; false if not given. */
  readonly readOnly?: boolean;
  /** Secret for the API of StorageOS. */
  readonly secretRef?: LocalObjectReference;
}

/** A parameter of the kernel. */
export interface Sysctl {
  /** Name of the parameter. */
  readonly name: string;
  /** Its value. */
  readonly value: string;
}

/** Opens a connection; that it opens is success. */
export interface TCPSocketAction {
  /** Number of the port, or its name in the container. */
  readonly port: machinery.IntOrString;
  /** Host to connect to; the pod's address if not given. */
  readonly host?: string;
}

/** Keeps pods that do not tolerate it away from a node. */
export interface Taint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint. */
  readonly value?: string;
  /** What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute. */
  readonly effect: string;
  /** When it was added. */
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

/** A requirement on one label of the place where a volume may be made. */
export interface TopologySelectorLabelRequirement {
  /** Name of the label. */
  readonly key: string;
  /** Values of which one must be the label's. */
  readonly values?: readonly string[] | null;
}

/** Requirements on the place where a volume may be made; all must be met. */
export interface TopologySelectorTerm {
  /** The requirements. */
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[];
}

/** How evenly pods are spread over places. */
export interface TopologySpreadConstraint {
  /** Largest difference in the number of pods between two places; at least 1. */
  readonly maxSkew: number;
  /** Label of nodes; nodes with the same value are one place. */
  readonly topologyKey: string;
  /** What happens where it cannot be kept: DoNotSchedule or ScheduleAnyway. */
  readonly whenUnsatisfiable: string;
  /** Selects the pods that count. */
  readonly labelSelector?: metaV1.LabelSelector;
  /** Least number of places; with fewer, the least number of pods counts as 0. */
  readonly minDomains?: number;
  /** Whether nodes count that the pod may not run on: Honor, which is the default, leaves them out; Ignore counts them. */
  readonly nodeAffinityPolicy?: string;
  /** Whether taints are looked at: Honor or Ignore, which is the default. */
  readonly nodeTaintsPolicy?: string;
  /** Labels whose values the pods share with the own pod. */
  readonly matchLabelKeys?: readonly string[];
}

/** Names an object of some kind in the same namespace. */
export interface TypedLocalObjectReference {
  /** Group of the kind; the core group if not given. */
  readonly apiGroup?: string | null;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
}

/** Names an object of some kind, perhaps in another namespace. */
export interface TypedObjectReference {
  /** Group of the kind; the core group if not given. */
  readonly apiGroup?: string | null;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; the own one if not given. */
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
  /** A disk of Google's cloud. Use a claim and a CSI driver instead. */
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** A disk of Amazon's block store. Use a claim and a CSI driver instead. */
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A folder with the contents of a Git repository. Deprecated and switched off. */
  readonly gitRepo?: GitRepoVolumeSource;
  /** Keys of a Secret as files. */
  readonly secret?: SecretVolumeSource;
  /** A directory of an NFS server. */
  readonly nfs?: NFSVolumeSource;
  /** An iSCSI disk. */
  readonly iscsi?: ISCSIVolumeSource;
  /** A Gluster volume. No longer supported. */
  readonly glusterfs?: GlusterfsVolumeSource;
  /** The volume that a claim is bound to. */
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /** An image of Ceph's block device. No longer supported. */
  readonly rbd?: RBDVolumeSource;
  /** A volume served by a program on the node. Deprecated in favour of CSI. */
  readonly flexVolume?: FlexVolumeSource;
  /** A disk of OpenStack's Cinder. Use a claim and a CSI driver instead. */
  readonly cinder?: CinderVolumeSource;
  /** A Ceph file system. No longer supported. */
  readonly cephfs?: CephFSVolumeSource;
  /** A volume of Flocker. No longer supported. */
  readonly flocker?: FlockerVolumeSource;
  /** Facts about the pod as files. */
  readonly downwardAPI?: DownwardAPIVolumeSource;
  /** A Fibre Channel disk. */
  readonly fc?: FCVolumeSource;
  /** A file share of Azure. Use a claim and a CSI driver instead. */
  readonly azureFile?: AzureFileVolumeSource;
  /** Keys of a ConfigMap as files. */
  readonly configMap?: ConfigMapVolumeSource;
  /** A disk of vSphere. Use a claim and a CSI driver instead. */
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A volume of Quobyte. No longer supported. */
  readonly quobyte?: QuobyteVolumeSource;
  /** A data disk of Azure. Use a claim and a CSI driver instead. */
  readonly azureDisk?: AzureDiskVolumeSource;
  /** A disk of VMware's Photon platform. No longer supported. */
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A volume of Portworx. Use a claim and a CSI driver instead. */
  readonly portworxVolume?: PortworxVolumeSource;
  /** A volume of ScaleIO. No longer supported. */
  readonly scaleIO?: ScaleIOVolumeSource;
  /** Several sources in one directory. */
  readonly projected?: ProjectedVolumeSource;
  /** A volume of StorageOS. No longer supported. */
  readonly storageos?: StorageOSVolumeSource;
  /** A volume that a driver makes for the pod. */
  readonly csi?: CSIVolumeSource;
  /** A claim that is made for the pod and goes with it. */
  readonly ephemeral?: EphemeralVolumeSource;
  /** The content of an image. */
  readonly image?: ImageVolumeSource;
}

/** A volume that a container sees as a raw block device. */
export interface VolumeDevice {
  /** Name of the volume. */
  readonly name: string;
  /** Path of the device in the container. */
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
  /** Whether mounts made later are seen on the other side: None, which is the default, HostToContainer or Bidirectional. */
  readonly mountPropagation?: string;
  /** Part of the volume to mount; $(NAME) stands for an environment variable. */
  readonly subPathExpr?: string;
  /** Whether mounts below are read-only too: Disabled, which is the default, IfPossible or Enabled. */
  readonly recursiveReadOnly?: string;
}

/** What is known of a mounted volume. */
export interface VolumeMountStatus {
  /** Name of the mount. */
  readonly name: string;
  /** Where it is mounted. */
  readonly mountPath: string;
  /** Whether it is read-only. */
  readonly readOnly?: boolean;
  /** Whether mounts below are read-only too: Disabled or Enabled. */
  readonly recursiveReadOnly?: string;
  /** What is known of the volume itself. */
  readonly volumeStatus?: VolumeStatus;
}

/** Where a volume can be used. */
export interface VolumeNodeAffinity {
  /** Selects the nodes. */
  readonly required?: NodeSelector;
}

/** One source of files; exactly one member is set. */
export interface VolumeProjection {
  /** Keys of a Secret. */
  readonly secret?: SecretProjection;
  /** Facts about the pod. */
  readonly downwardAPI?: DownwardAPIProjection;
  /** Keys of a ConfigMap. */
  readonly configMap?: ConfigMapProjection;
  /** A token of the service account. */
  readonly serviceAccountToken?: ServiceAccountTokenProjection;
  /** Certificates of authorities. */
  readonly clusterTrustBundle?: ClusterTrustBundleProjection;
  /** A key and a certificate for it. */
  readonly podCertificate?: PodCertificateProjection;
}

/** How large a volume has to be. */
export interface VolumeResourceRequirements {
  /** Largest size, by resource. */
  readonly limits?: Readonly<Record<string, machinery.Quantity>>;
  /** Least size, by resource. */
  readonly requests?: Readonly<Record<string, machinery.Quantity>>;
}

/** What is known of a volume of a container. */
export interface VolumeStatus {
  /** What is known of the image that it was made from. */
  readonly image?: ImageVolumeStatus;
}

/** A disk of vSphere. A CSI driver serves it. */
export interface VsphereVirtualDiskVolumeSource {
  /** Path of the disk. */
  readonly volumePath: string;
  /** File system of the disk; ext4 if not given. */
  readonly fsType?: string;
  /** Name of the storage policy. */
  readonly storagePolicyName?: string;
  /** Identity of the storage policy. */
  readonly storagePolicyID?: string;
}

/** A term that makes a node better, and how much. */
export interface WeightedPodAffinityTerm {
  /** How much, from 1 to 100. */
  readonly weight: number;
  /** The term. */
  readonly podAffinityTerm: PodAffinityTerm;
}

/** Security settings for Windows. */
export interface WindowsSecurityContextOptions {
  /** Name of the credential specification for a managed service account. */
  readonly gmsaCredentialSpecName?: string;
  /** The specification itself, put in by a webhook. */
  readonly gmsaCredentialSpec?: string;
  /** User that the first process runs as; that of the image if not given. */
  readonly runAsUserName?: string;
  /** Whether the container runs as a process of the host; all containers of a pod must agree. */
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
