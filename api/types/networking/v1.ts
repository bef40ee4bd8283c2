// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

export interface HTTPIngressPath {
  readonly path?: string;
  readonly backend: IngressBackend;
  readonly pathType?: string | null;
}

export interface HTTPIngressRuleValue {
  readonly paths?: readonly HTTPIngressPath[] | null;
}

/** Shows that an address of a service range is taken, and by whom. */
export interface IPAddress {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: IPAddressSpec;
}

export interface IPAddressList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly IPAddress[] | null;
}

export interface IPAddressSpec {
  readonly parentRef?: ParentReference | null;
}

export interface IPBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

/** Rules by which HTTP requests from outside reach services. */
export interface Ingress {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: IngressSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: IngressStatus;
}

export interface IngressBackend {
  readonly resource?: coreV1.TypedLocalObjectReference;
  readonly service?: IngressServiceBackend;
}

/** Names the controller that carries out Ingresses of a class. */
export interface IngressClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: IngressClassSpec;
}

export interface IngressClassList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly IngressClass[] | null;
}

export interface IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly scope?: string;
  readonly namespace?: string;
}

export interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
}

export interface IngressList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Ingress[] | null;
}

export interface IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  readonly port: number;
  readonly protocol: string;
  readonly error?: string;
}

export interface IngressRule {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  readonly name: string;
  readonly port?: ServiceBackendPort;
}

export interface IngressSpec {
  /** Where requests go that no rule fits. */
  readonly defaultBackend?: IngressBackend;
  /** Certificates by host name. */
  readonly tls?: readonly IngressTLS[];
  /** Which requests go where. */
  readonly rules?: readonly IngressRule[];
  /** Class of the controller that carries this out. */
  readonly ingressClassName?: string;
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

/** Which traffic selected pods may receive and send. */
export interface NetworkPolicy {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly from?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly NetworkPolicy[] | null;
}

export interface NetworkPolicyPeer {
  readonly podSelector?: metaV1.LabelSelector;
  /** Selects namespaces by their labels. */
  readonly namespaceSelector?: metaV1.LabelSelector;
  readonly ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  readonly protocol?: string;
  readonly port?: machinery.IntOrString;
  readonly endPort?: number;
}

export interface NetworkPolicySpec {
  /** Pods that the policy is about; all of the namespace if empty. */
  readonly podSelector?: metaV1.LabelSelector;
  /** What may come in. */
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  /** What may go out. */
  readonly egress?: readonly NetworkPolicyEgressRule[];
  /** Ingress, Egress or both. */
  readonly policyTypes?: readonly string[];
}

export interface ParentReference {
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}

/** A range from which services get their addresses. */
export interface ServiceCIDR {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: ServiceCIDRSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ServiceCIDRStatus;
}

export interface ServiceCIDRList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ServiceCIDR[] | null;
}

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

export const ingressClasses: Resource<IngressClass> = { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses', kind: 'IngressClass', namespaced: false };
export const ingresses: Resource<Ingress> = { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses', kind: 'Ingress', namespaced: true };
export const ipAddresses: Resource<IPAddress> = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses', kind: 'IPAddress', namespaced: false };
export const networkPolicies: Resource<NetworkPolicy> = { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true };
export const serviceCIDRs: Resource<ServiceCIDR> = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false };
