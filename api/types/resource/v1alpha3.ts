// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
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

export interface DeviceTaintRuleSpec {
  readonly deviceSelector?: DeviceTaintSelector;
  readonly taint: DeviceTaint;
}

export interface DeviceTaintRuleStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
}

export interface DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface PoolStatus {
  readonly driver?: string;
  readonly poolName?: string;
  readonly nodeName?: string;
  readonly totalDevices?: number;
  readonly allocatedDevices?: number;
  readonly availableDevices?: number;
  readonly unavailableDevices?: number;
  readonly resourceSliceCount?: number;
  readonly generation: number;
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

export interface ResourcePoolStatusRequestSpec {
  readonly driver: string;
  readonly poolName?: string;
  readonly limit?: number;
}

export interface ResourcePoolStatusRequestStatus {
  readonly pools?: readonly PoolStatus[];
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  readonly poolCount?: number | null;
}

export const deviceTaintRules: Resource<DeviceTaintRule> = { group: 'resource.k8s.io', version: 'v1alpha3', resource: 'devicetaintrules', kind: 'DeviceTaintRule', namespaced: false };
export const resourcePoolStatusRequests: Resource<ResourcePoolStatusRequest> = { group: 'resource.k8s.io', version: 'v1alpha3', resource: 'resourcepoolstatusrequests', kind: 'ResourcePoolStatusRequest', namespaced: false };
