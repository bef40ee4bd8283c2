// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** Sends requests for a path to a backend. */
export interface HTTPIngressPath {
  /** Path to compare with that of the request. Starts with / for the types Exact and Prefix. */
  readonly path?: string;
  /** Where requests for the path go. */
  readonly backend: IngressBackend;
  /** How paths are compared: Exact, Prefix by whole elements, or ImplementationSpecific as the controller likes. */
  readonly pathType?: string | null;
}

/** The paths of a host, and where their requests go. */
export interface HTTPIngressRuleValue {
  /** Paths with their backends. Must not be empty. */
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

/** Who uses an address of a service range. */
export interface IPAddressSpec {
  /** The object that the address belongs to. Cannot be changed. */
  readonly parentRef?: ParentReference;
}

/** A range of addresses, less some parts of it. */
export interface IPBlock {
  /** The range in CIDR notation, such as 192.168.1.0/24 or 2001:db8::/64. */
  readonly cidr: string;
  /** Ranges within it that are left out, in CIDR notation. */
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

/** Where requests go: to a service or to another resource. */
export interface IngressBackend {
  /** An object in the same namespace that serves the requests. Not together with a service. */
  readonly resource?: coreV1.TypedLocalObjectReference;
  /** The service that receives the requests. Not together with a resource. */
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

/** Points to an object with settings for the controller of an ingress class. */
export interface IngressClassParametersReference {
  /** Group of the object; the core group if not given. */
  readonly apiGroup?: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Name of the object. */
  readonly name: string;
  /** Cluster or Namespace, by where the object lives; Cluster if not given. */
  readonly scope?: string;
  /** Namespace of the object. Required with the scope Namespace, forbidden with Cluster. */
  readonly namespace?: string;
}

/** Who carries out the ingresses of a class, and with which settings. */
export interface IngressClassSpec {
  /** Name of the controller, a path behind a domain such as example.com/ingress. Cannot be changed. */
  readonly controller?: string;
  /** Object with further settings for the controller. */
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

/** A point at which a load balancer takes in traffic. */
export interface IngressLoadBalancerIngress {
  /** Address of the point, if it has one. */
  readonly ip?: string;
  /** DNS name of the point, if it has one. */
  readonly hostname?: string;
  /** Ports that are open there. */
  readonly ports?: readonly IngressPortStatus[];
}

/** State of the load balancer of an ingress. */
export interface IngressLoadBalancerStatus {
  /** Points at which traffic is taken in. */
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

/** State of a port of a load balancer. */
export interface IngressPortStatus {
  /** Number of the port. */
  readonly port: number;
  /** Protocol of the port: TCP, UDP or SCTP. */
  readonly protocol: string;
  /** What is wrong with the port, as a name in camel case or with a domain in front. */
  readonly error?: string;
}

/** Where the requests for a host go. */
export interface IngressRule {
  /** Host name of the requests, perhaps with *. as its first label; all hosts if not given. */
  readonly host?: string;
  /** Paths of HTTP requests and where they go. */
  readonly http?: HTTPIngressRuleValue;
}

/** A service and the port at which it receives requests. */
export interface IngressServiceBackend {
  /** Name of the service, in the namespace of the ingress. */
  readonly name: string;
  /** Port of the service, by name or by number. */
  readonly port?: ServiceBackendPort;
}

/** Which requests an ingress takes in, and where they go. */
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

/** What is known of the present state of an ingress. */
export interface IngressStatus {
  /** Where the load balancer can be reached. */
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

/** A certificate and the hosts that it is used for. */
export interface IngressTLS {
  /** Host names in the certificate. What an empty list means is up to the controller. */
  readonly hosts?: readonly string[];
  /** Secret with the certificate and its key, in the same namespace. */
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

/** Traffic that the selected pods may send, by port and destination. */
export interface NetworkPolicyEgressRule {
  /** Ports that may be reached; all if empty. */
  readonly ports?: readonly NetworkPolicyPort[];
  /** Peers that may be reached; all if empty. */
  readonly to?: readonly NetworkPolicyPeer[];
}

/** Traffic that the selected pods may receive, by port and source. */
export interface NetworkPolicyIngressRule {
  /** Ports at which the pods may be reached; all if empty. */
  readonly ports?: readonly NetworkPolicyPort[];
  /** Peers that may reach the pods; all if empty. */
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

/** Pods or addresses at the other end of traffic. */
export interface NetworkPolicyPeer {
  /** Selects pods, in the selected namespaces or else in that of the policy; all if empty. */
  readonly podSelector?: metaV1.LabelSelector;
  /** Selects namespaces by their labels. */
  readonly namespaceSelector?: metaV1.LabelSelector;
  /** A range of addresses. Not together with selectors. */
  readonly ipBlock?: IPBlock;
}

/** A port or a range of ports for which traffic is permitted. */
export interface NetworkPolicyPort {
  /** TCP, UDP or SCTP; TCP if not given. */
  readonly protocol?: string;
  /** Number of the port, or its name in the pods; all ports if not given. */
  readonly port?: machinery.IntOrString;
  /** Last port of a range that starts with port, which must then be a number. */
  readonly endPort?: number;
}

/** Which pods a network policy is about, and what traffic it permits. */
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

/** Points to the object that an address belongs to. */
export interface ParentReference {
  /** Group of the object; the core group if empty. */
  readonly group?: string;
  /** Resource of the object, such as services. */
  readonly resource?: string;
  /** Namespace of the object, if it has one. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
}

/** A port of a service, given by either name or number. */
export interface ServiceBackendPort {
  /** Name of the port in the service. Not together with a number. */
  readonly name?: string;
  /** Number of the port in the service, such as 80. Not together with a name. */
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

/** The ranges from which services get their addresses. */
export interface ServiceCIDRSpec {
  /** One range in CIDR notation, or two of different IP families. */
  readonly cidrs?: readonly string[];
}

/** What is known of the present state of a service range. */
export interface ServiceCIDRStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

export const ingressClasses: Resource<IngressClass> = { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses', kind: 'IngressClass', namespaced: false };
export const ingresses: Resource<Ingress> = { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses', kind: 'Ingress', namespaced: true };
export const ipAddresses: Resource<IPAddress> = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses', kind: 'IPAddress', namespaced: false };
export const networkPolicies: Resource<NetworkPolicy> = { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true };
export const serviceCIDRs: Resource<ServiceCIDR> = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false };
