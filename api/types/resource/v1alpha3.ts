// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** A mark on a device that keeps claims off unless they tolerate it. */
export interface DeviceTaint {
  /** Name of the taint, like that of a label. */
  readonly key: string;
  /** Value that goes with the key, like that of a label. */
  readonly value?: string;
  /** What the taint does: None, NoSchedule, or NoExecute, which also evicts pods. */
  readonly effect: string;
  /** When the taint was added; filled in if not given. */
  readonly timeAdded?: metaV1.Time;
}

/** Taints the devices that it selects. */
export interface DeviceTaintRule {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: DeviceTaintRuleSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: DeviceTaintRuleStatus;
}

export interface DeviceTaintRuleList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly DeviceTaintRule[] | null;
}

/** Which devices get a taint, and which taint it is. */
export interface DeviceTaintRuleSpec {
  /** Selects the devices; none if not given, all if empty. */
  readonly deviceSelector?: DeviceTaintSelector;
  /** The taint that the devices get. */
  readonly taint: DeviceTaint;
}

/** What is known of the effect of a taint rule. */
export interface DeviceTaintRuleStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

/** Selects devices by name; all members that are given must fit. */
export interface DeviceTaintSelector {
  /** Driver of the devices; any if not given. */
  readonly driver?: string;
  /** Pool of the devices; any if not given. */
  readonly pool?: string;
  /** Name of the devices in their pool; any if not given. */
  readonly device?: string;
}

/** State of a pool of devices at the time of the request. */
export interface PoolStatus {
  /** Driver that offers the pool, a DNS name. */
  readonly driver?: string;
  /** Name of the pool. */
  readonly poolName?: string;
  /** Node that the pool belongs to, if it is just one. */
  readonly nodeName?: string;
  /** How many devices the pool has. */
  readonly totalDevices?: number;
  /** How many of them are allocated to claims. */
  readonly allocatedDevices?: number;
  /** How many of them can still be allocated. */
  readonly availableDevices?: number;
  /** How many cannot be allocated for other reasons, such as taints. */
  readonly unavailableDevices?: number;
  /** How many slices make up the pool. */
  readonly resourceSliceCount?: number;
  /** Generation of the pool that the numbers are about. */
  readonly generation: number;
  /** Why the state of the pool could not be found out, such as missing slices. */
  readonly validationError?: string;
}

/** Asks for the present state of a pool of devices. */
export interface ResourcePoolStatusRequest {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: ResourcePoolStatusRequestSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ResourcePoolStatusRequestStatus;
}

export interface ResourcePoolStatusRequestList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ResourcePoolStatusRequest[] | null;
}

/** Which pools a request asks about. Cannot be changed. */
export interface ResourcePoolStatusRequestSpec {
  /** Driver that offers the pools, a DNS name. */
  readonly driver: string;
  /** Name of the pool; all pools of the driver if not given. */
  readonly poolName?: string;
  /** Most pools that are reported; 100 if not given. */
  readonly limit?: number;
}

/** The answer to a request, which is written only once. */
export interface ResourcePoolStatusRequestStatus {
  /** State of each pool that fits, up to the limit. */
  readonly pools?: readonly PoolStatus[];
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  /** How many pools fit, whether or not they are reported. */
  readonly poolCount?: number;
}

export const deviceTaintRules: Resource<DeviceTaintRule> = { group: 'resource.k8s.io', version: 'v1alpha3', resource: 'devicetaintrules', kind: 'DeviceTaintRule', namespaced: false };
export const resourcePoolStatusRequests: Resource<ResourcePoolStatusRequest> = { group: 'resource.k8s.io', version: 'v1alpha3', resource: 'resourcepoolstatusrequests', kind: 'ResourcePoolStatusRequest', namespaced: false };
