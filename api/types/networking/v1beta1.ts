// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

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

export const ipAddresses: Resource<IPAddress> = { group: 'networking.k8s.io', version: 'v1beta1', resource: 'ipaddresses', kind: 'IPAddress', namespaced: false };
export const serviceCIDRs: Resource<ServiceCIDR> = { group: 'networking.k8s.io', version: 'v1beta1', resource: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false };
