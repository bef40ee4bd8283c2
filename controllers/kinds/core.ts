import type { Condition, KubeObject } from '../client/object.js';
import { resource } from '../client/resource.js';
import type { LabelSelector } from '../client/selectors.js';

/** Built-in kinds of the core group: the members that controllers read. */

export type IntOrString = number | string;

export interface ContainerPort { readonly name?: string; readonly containerPort: number; readonly protocol?: string }
export interface EnvVar { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }
export interface Resources { readonly requests?: Readonly<Record<string, string>>; readonly limits?: Readonly<Record<string, string>> }
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: Resources;
  readonly restartPolicy?: string;
}
export interface Toleration { readonly key?: string; readonly operator?: string; readonly value?: string; readonly effect?: string; readonly tolerationSeconds?: number }
export interface Taint { readonly key: string; readonly value?: string; readonly effect: string }
export interface NodeSelectorRequirement { readonly key: string; readonly operator: string; readonly values?: readonly string[] }
export interface NodeSelectorTerm { readonly matchExpressions?: readonly NodeSelectorRequirement[]; readonly matchFields?: readonly NodeSelectorRequirement[] }
export interface Affinity {
  readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] }; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}
export interface Volume { readonly name: string; readonly persistentVolumeClaim?: { readonly claimName: string }; readonly [source: string]: unknown }

export interface PodSpec {
  readonly nodeName?: string;
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: string;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly affinity?: Affinity;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly activeDeadlineSeconds?: number;
  readonly priorityClassName?: string;
  readonly overhead?: Readonly<Record<string, string>>;
  readonly resources?: Resources;
  readonly schedulingGates?: readonly unknown[];
  readonly ephemeralContainers?: readonly Container[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly terminated?: { readonly exitCode: number; readonly finishedAt?: string }; readonly [state: string]: unknown };
}
export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly Condition[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
  readonly startTime?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly observedGeneration?: number;
}
export interface Pod extends KubeObject { readonly spec?: PodSpec; readonly status?: PodStatus }
export interface PodTemplate { readonly metadata?: KubeObject['metadata']; readonly spec?: PodSpec }

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}
export interface ServiceAccount extends KubeObject { readonly secrets?: readonly { readonly name?: string }[] }
export interface Secret extends KubeObject { readonly type?: string; readonly data?: Readonly<Record<string, string>> }
export interface ConfigMap extends KubeObject { readonly data?: Readonly<Record<string, string>> }
export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly port: number;
  readonly targetPort?: IntOrString;
  readonly nodePort?: number;
}
export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ipFamilies?: readonly string[];
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
    readonly trafficDistribution?: string;
  };
}
export interface EndpointPort { readonly name?: string; readonly port: number; readonly protocol?: string; readonly appProtocol?: string }
export interface EndpointAddress { readonly ip: string; readonly hostname?: string; readonly nodeName?: string; readonly targetRef?: ObjectRef }
export interface ObjectRef { readonly kind?: string; readonly namespace?: string; readonly name?: string; readonly uid?: string; readonly apiVersion?: string }
export interface EndpointSubset { readonly addresses?: readonly EndpointAddress[]; readonly notReadyAddresses?: readonly EndpointAddress[]; readonly ports?: readonly EndpointPort[] }
export interface Endpoints extends KubeObject { readonly subsets?: readonly EndpointSubset[] }

export interface ReplicationController extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly minReadySeconds?: number; readonly selector?: Readonly<Record<string, string>>; readonly template?: PodTemplate };
  readonly status?: ReplicaStatus;
}
export interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}
export interface PersistentVolumeClaim extends KubeObject {
  readonly spec?: { readonly storageClassName?: string; readonly resources?: Resources; readonly volumeAttributesClassName?: string };
}
export interface ScopeRequirement { readonly scopeName: string; readonly operator: string; readonly values?: readonly string[] }
export interface ResourceQuota extends KubeObject {
  readonly spec?: { readonly hard?: Readonly<Record<string, string>>; readonly scopes?: readonly string[]; readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] } };
  readonly status?: { readonly hard?: Readonly<Record<string, string>>; readonly used?: Readonly<Record<string, string>> };
}

export const pods = resource<Pod>('v1', 'pods', 'Pod');
export const namespaces = resource<Namespace>('v1', 'namespaces', 'Namespace', 'cluster');
export const serviceAccounts = resource<ServiceAccount>('v1', 'serviceaccounts', 'ServiceAccount');
export const secrets = resource<Secret>('v1', 'secrets', 'Secret');
export const configMaps = resource<ConfigMap>('v1', 'configmaps', 'ConfigMap');
export const nodes = resource<Node>('v1', 'nodes', 'Node', 'cluster');
export const services = resource<Service>('v1', 'services', 'Service');
export const endpoints = resource<Endpoints>('v1', 'endpoints', 'Endpoints');
export const replicationControllers = resource<ReplicationController>('v1', 'replicationcontrollers', 'ReplicationController');
export const persistentVolumeClaims = resource<PersistentVolumeClaim>('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim');
export const resourceQuotas = resource<ResourceQuota>('v1', 'resourcequotas', 'ResourceQuota');
export type { LabelSelector };
