// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

export interface AllocatedDeviceStatus {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[];
  readonly data?: machinery.RawExtension;
  readonly networkData?: NetworkDeviceData;
  readonly shareID?: string;
}

export interface AllocationResult {
  readonly devices?: DeviceAllocationResult;
  readonly nodeSelector?: coreV1.NodeSelector;
  readonly allocationTimestamp?: metaV1.Time;
}

export interface CELDeviceSelector {
  readonly expression: string;
}

export interface CapacityRequestPolicy {
  readonly default?: machinery.Quantity;
  readonly validValues?: readonly machinery.Quantity[];
  readonly validRange?: CapacityRequestPolicyRange;
}

export interface CapacityRequestPolicyRange {
  readonly min?: machinery.Quantity | null;
  readonly max?: machinery.Quantity;
  readonly step?: machinery.Quantity;
}

export interface CapacityRequirements {
  readonly requests?: Readonly<Record<string, machinery.Quantity>>;
}

export interface Counter {
  readonly value: machinery.Quantity;
}

export interface CounterSet {
  readonly name: string;
  readonly counters?: Readonly<Record<string, Counter>> | null;
}

export interface Device {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>;
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  readonly nodeName?: string;
  readonly nodeSelector?: coreV1.NodeSelector;
  readonly allNodes?: boolean;
  readonly taints?: readonly DeviceTaint[];
  readonly bindsToNode?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: boolean;
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>;
}

export interface DeviceAllocationConfiguration {
  readonly source: string;
  readonly requests?: readonly string[];
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[];
  readonly config?: readonly DeviceAllocationConfiguration[];
}

export interface DeviceAttribute {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly number[];
  readonly bools?: readonly boolean[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

export interface DeviceCapacity {
  readonly value: machinery.Quantity;
  readonly requestPolicy?: CapacityRequestPolicy;
}

export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[] | null;
  readonly constraints?: readonly DeviceConstraint[];
  readonly config?: readonly DeviceClaimConfiguration[];
}

export interface DeviceClaimConfiguration {
  readonly requests?: readonly string[];
  readonly opaque?: OpaqueDeviceConfiguration;
}

/** A class of devices that claims can ask for. */
export interface DeviceClass {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: DeviceClassSpec;
}

export interface DeviceClassConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClassList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly DeviceClass[] | null;
}

export interface DeviceClassSpec {
  readonly selectors?: readonly DeviceSelector[];
  readonly config?: readonly DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
}

export interface DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

export interface DeviceCounterConsumption {
  readonly counterSet: string;
  readonly counters?: Readonly<Record<string, Counter>> | null;
}

export interface DeviceRequest {
  readonly name: string;
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly DeviceSubRequest[];
}

export interface DeviceRequestAllocationResult {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: Readonly<Record<string, machinery.Quantity>>;
}

export interface DeviceSelector {
  readonly cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  readonly name: string;
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: CapacityRequirements;
}

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

export interface DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface ExactDeviceRequest {
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly adminAccess?: boolean;
  readonly tolerations?: readonly DeviceToleration[];
  readonly capacity?: CapacityRequirements;
}

export interface NetworkDeviceData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

export interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string;
  readonly allocationMultiplier?: machinery.Quantity;
}

export interface OpaqueDeviceConfiguration {
  readonly driver: string;
  readonly parameters: machinery.RawExtension;
}

/** Asks for devices and tells which were allocated. */
export interface ResourceClaim {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: ResourceClaimSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export interface ResourceClaimList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ResourceClaim[] | null;
}

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  readonly devices?: readonly AllocatedDeviceStatus[];
}

/** A description of the claims that are made for each pod that names it. */
export interface ResourceClaimTemplate {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ResourceClaimTemplate[] | null;
}

export interface ResourceClaimTemplateSpec {
  readonly metadata?: metaV1.ObjectMeta;
  readonly spec: ResourceClaimSpec;
}

export interface ResourcePool {
  readonly name: string;
  readonly generation: number;
  readonly resourceSliceCount: number;
}

/** Devices that a driver offers on a node. */
export interface ResourceSlice {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec: ResourceSliceSpec;
}

export interface ResourceSliceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly ResourceSlice[] | null;
}

export interface ResourceSliceSpec {
  readonly driver: string;
  readonly pool: ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: coreV1.NodeSelector;
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
  readonly perDeviceNodeSelection?: boolean;
  readonly sharedCounters?: readonly CounterSet[];
}

export const deviceClasses: Resource<DeviceClass> = { group: 'resource.k8s.io', version: 'v1beta2', resource: 'deviceclasses', kind: 'DeviceClass', namespaced: false };
export const deviceTaintRules: Resource<DeviceTaintRule> = { group: 'resource.k8s.io', version: 'v1beta2', resource: 'devicetaintrules', kind: 'DeviceTaintRule', namespaced: false };
export const resourceClaims: Resource<ResourceClaim> = { group: 'resource.k8s.io', version: 'v1beta2', resource: 'resourceclaims', kind: 'ResourceClaim', namespaced: true };
export const resourceClaimTemplates: Resource<ResourceClaimTemplate> = { group: 'resource.k8s.io', version: 'v1beta2', resource: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', namespaced: true };
export const resourceSlices: Resource<ResourceSlice> = { group: 'resource.k8s.io', version: 'v1beta2', resource: 'resourceslices', kind: 'ResourceSlice', namespaced: false };
