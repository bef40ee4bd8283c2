// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as machinery from '../machinery.js';
import type * as metaV1 from '../meta/v1.js';

/** What a driver reports about an allocated device. */
export interface AllocatedDeviceStatus {
  /** Driver of the device, a DNS name. */
  readonly driver: string;
  /** Pool that the device belongs to. */
  readonly pool: string;
  /** Name of the device in the pool. */
  readonly device: string;
  /** Statements about the present state. */
  readonly conditions?: readonly metaV1.Condition[] | null;
  /** Further details, in a form that the driver decides. */
  readonly data?: machinery.RawExtension;
  /** Addresses and interface of a network device. */
  readonly networkData?: NetworkDeviceData;
  /** Tells shares apart if the device is allocated several times. */
  readonly shareID?: string;
}

/** What was allocated for a claim, and where it can be used. */
export interface AllocationResult {
  /** The devices that were allocated. */
  readonly devices?: DeviceAllocationResult;
  /** Nodes from which the devices can be used; all if not given. */
  readonly nodeSelector?: coreV1.NodeSelector;
  /** When the devices were allocated. */
  readonly allocationTimestamp?: metaV1.Time;
}

/** Properties of a device in older versions. */
export interface BasicDevice {
  /** Properties by name, for selectors to use. */
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  /** Amounts that the device offers, by name. */
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>;
  /** What the device uses up of shared counters. */
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  /** Node from which the device can be used. Only if the slice leaves it to the devices. */
  readonly nodeName?: string;
  /** Nodes from which the device can be used. Only if the slice leaves it to the devices. */
  readonly nodeSelector?: coreV1.NodeSelector;
  /** Whether all nodes can use the device. Only if the slice leaves it to the devices. */
  readonly allNodes?: boolean;
  /** Taints that keep claims off the device unless they tolerate them. */
  readonly taints?: readonly DeviceTaint[];
  /** Whether an allocation holds only for the node that was chosen for it. */
  readonly bindsToNode?: boolean;
  /** Conditions that must be true for the device before pods are bound to the node. */
  readonly bindingConditions?: readonly string[];
  /** Conditions that show, when one is true, that the device cannot be made ready. */
  readonly bindingFailureConditions?: readonly string[];
  /** Whether several claims may share the device; false if not given. */
  readonly allowMultipleAllocations?: boolean;
  /** What the device takes of resources of the node, by their names such as cpu or memory. */
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>;
}

/** Selects devices by an expression in CEL. */
export interface CELDeviceSelector {
  /** CEL expression over the variable device that is true for devices that fit. */
  readonly expression: string;
}

/** How much of a capacity a request may take. Other amounts are rounded up. */
export interface CapacityRequestPolicy {
  /** Amount that a request takes if it names none. */
  readonly default?: machinery.Quantity | null;
  /** Amounts that can be taken, in ascending order. Not together with a range. */
  readonly validValues?: readonly machinery.Quantity[];
  /** Range of amounts that can be taken. Not together with single values. */
  readonly validRange?: CapacityRequestPolicyRange;
}

/** A range of amounts of a capacity, perhaps in steps. */
export interface CapacityRequestPolicyRange {
  /** Smallest amount that can be taken. */
  readonly min?: machinery.Quantity;
  /** Largest amount that can be taken. */
  readonly max?: machinery.Quantity;
  /** Amounts exceed the smallest by multiples of this. */
  readonly step?: machinery.Quantity;
}

/** How much capacity a device must offer to a request. */
export interface CapacityRequirements {
  /** Least amount of each capacity, by name. */
  readonly requests?: Readonly<Record<string, machinery.Quantity>>;
}

/** An amount of something that devices share. */
export interface Counter {
  /** How much of it there is, or is used. */
  readonly value: machinery.Quantity;
}

/** Counters of a whole from which several devices draw, such as partitions of one card. */
export interface CounterSet {
  /** Name of the set, unique in the pool. */
  readonly name: string;
  /** The counters by name, with what is there altogether. */
  readonly counters?: Readonly<Record<string, Counter>>;
}

/** A device that a driver offers, and its properties. */
export interface Device {
  /** Name of the device, unique in the pool. */
  readonly name: string;
  /** Properties of the device in older versions, where they stand apart from its name. */
  readonly basic?: BasicDevice;
}

/** Settings that apply to allocated devices, and where they come from. */
export interface DeviceAllocationConfiguration {
  /** Origin of the settings: FromClass or FromClaim. */
  readonly source: string;
  /** Requests, or request/subrequest, that the settings are for; all if empty. */
  readonly requests?: readonly string[];
  /** Settings for one driver, in its own form. */
  readonly opaque?: OpaqueDeviceConfiguration;
}

/** Devices that were allocated for a claim, with their settings. */
export interface DeviceAllocationResult {
  /** The devices, with the requests that they are for. */
  readonly results?: readonly DeviceRequestAllocationResult[];
  /** Settings from the claim and its classes, for the drivers. */
  readonly config?: readonly DeviceAllocationConfiguration[];
}

/** Value of a property of a device; exactly one of the members is given. */
export interface DeviceAttribute {
  /** A whole number of 64 bits. */
  readonly int?: number;
  /** Truth value, true or false. */
  readonly bool?: boolean;
  /** Text of up to 64 characters. */
  readonly string?: string;
  /** A version by the rules of semver.org, of up to 64 characters. */
  readonly version?: string;
  /** A list of whole numbers. */
  readonly ints?: readonly number[];
  /** A list of truth values. */
  readonly bools?: readonly boolean[];
  /** A list of texts. */
  readonly strings?: readonly string[];
  /** A list of versions by the rules of semver.org. */
  readonly versions?: readonly string[];
}

/** An amount that a device offers, and how it may be shared. */
export interface DeviceCapacity {
  /** How much the device offers altogether. */
  readonly value: machinery.Quantity;
  /** How much a single request may take. Only for devices that can be shared. */
  readonly requestPolicy?: CapacityRequestPolicy;
}

/** Which devices a claim asks for. */
export interface DeviceClaim {
  /** Requests for devices, all of which must be met. */
  readonly requests?: readonly DeviceRequest[] | null;
  /** Rules that the devices of several requests must meet together. */
  readonly constraints?: readonly DeviceConstraint[];
  /** Settings for the drivers of the devices. */
  readonly config?: readonly DeviceClaimConfiguration[];
}

/** Settings that a claim gives for its devices. */
export interface DeviceClaimConfiguration {
  /** Requests, or request/subrequest, that the settings are for; all if empty. */
  readonly requests?: readonly string[];
  /** Settings for one driver, in its own form. */
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

/** Settings that a class gives for its devices. */
export interface DeviceClassConfiguration {
  /** Settings for one driver, in its own form. */
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

/** Which devices belong to a class, and how they are set up. */
export interface DeviceClassSpec {
  /** What devices must meet to be in the class; all must fit. */
  readonly selectors?: readonly DeviceSelector[];
  /** Settings for the drivers, added to those of the claim. */
  readonly config?: readonly DeviceClassConfiguration[];
  /** Name of an extended resource by which containers can ask for devices of the class. */
  readonly extendedResourceName?: string;
}

/** A rule that several devices of a claim must meet together. */
export interface DeviceConstraint {
  /** Requests, or request/subrequest, whose devices the rule is for; all if empty. */
  readonly requests?: readonly string[];
  /** Attribute, with its domain, that must be the same for all the devices; lists must share a value. */
  readonly matchAttribute?: string;
  /** Attribute, with its domain, that must differ between all the devices; lists must share no value. */
  readonly distinctAttribute?: string;
}

/** What a device uses up of a set of counters. */
export interface DeviceCounterConsumption {
  /** Name of the set of counters. */
  readonly counterSet: string;
  /** Amounts used up, by the name of the counter. */
  readonly counters?: Readonly<Record<string, Counter>>;
}

/** Asks for devices, either of one sort or of the first of several that is available. */
export interface DeviceRequest {
  /** Name of the request, unique in the claim. */
  readonly name: string;
  /** Class of the devices. In v1beta1 only; later versions have it in exactly. */
  readonly deviceClassName?: string;
  /** What devices must meet besides their class; all must fit. */
  readonly selectors?: readonly DeviceSelector[];
  /** ExactCount for a number of devices, All for all that fit; ExactCount if not given. */
  readonly allocationMode?: string;
  /** How many devices, with the mode ExactCount; 1 if not given. */
  readonly count?: number;
  /** Whether devices are asked for to manage them, even if in use. Needs a permitted namespace. */
  readonly adminAccess?: boolean;
  /** Alternatives, the best first; the first that can be met is taken. */
  readonly firstAvailable?: readonly DeviceSubRequest[];
  /** Taints of devices that the request puts up with. */
  readonly tolerations?: readonly DeviceToleration[];
  /** How much of its capacity each device must offer. */
  readonly capacity?: CapacityRequirements;
}

/** A device that was allocated for a request. */
export interface DeviceRequestAllocationResult {
  /** Name of the request, or request/subrequest. */
  readonly request: string;
  /** Driver of the device, a DNS name. */
  readonly driver: string;
  /** Pool that the device belongs to. */
  readonly pool: string;
  /** Name of the device in the pool. */
  readonly device: string;
  /** Whether the device was allocated only to manage it. */
  readonly adminAccess?: boolean;
  /** Tolerations of the request, as they were at the allocation. */
  readonly tolerations?: readonly DeviceToleration[];
  /** Binding conditions of the device, as they were at the allocation. */
  readonly bindingConditions?: readonly string[];
  /** Failure conditions of the device, as they were at the allocation. */
  readonly bindingFailureConditions?: readonly string[];
  /** Tells shares apart if the device is allocated several times. */
  readonly shareID?: string;
  /** How much of each capacity the claim takes of a shared device. */
  readonly consumedCapacity?: Readonly<Record<string, machinery.Quantity>>;
}

/** Selects devices; exactly one member must be given. */
export interface DeviceSelector {
  /** Selects devices by an expression in CEL. */
  readonly cel?: CELDeviceSelector;
}

/** One of several alternatives for a request. */
export interface DeviceSubRequest {
  /** Name of the alternative, unique in the request. */
  readonly name: string;
  /** Class that the devices must be of. */
  readonly deviceClassName: string;
  /** What devices must meet besides their class; all must fit. */
  readonly selectors?: readonly DeviceSelector[];
  /** ExactCount for a number of devices, All for all that fit; ExactCount if not given. */
  readonly allocationMode?: string;
  /** How many devices, with the mode ExactCount; 1 if not given. */
  readonly count?: number;
  /** Taints of devices that the request puts up with. */
  readonly tolerations?: readonly DeviceToleration[];
  /** How much of its capacity each device must offer. */
  readonly capacity?: CapacityRequirements;
}

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

/** Lets a request use devices in spite of their taints. */
export interface DeviceToleration {
  /** Name of the taint; all taints if empty, with the operator Exists. */
  readonly key?: string;
  /** Exists for any value, Equal for the value that is given; Equal if not given. */
  readonly operator?: string;
  /** Value of the taint, with the operator Equal. */
  readonly value?: string;
  /** NoSchedule or NoExecute; all effects if empty. */
  readonly effect?: string;
  /** Seconds for which NoExecute is tolerated before the pod is evicted; forever if not given. */
  readonly tolerationSeconds?: number;
}

/** How a network device appears in the pod. */
export interface NetworkDeviceData {
  /** Name of the network interface in the pod. */
  readonly interfaceName?: string;
  /** Addresses of the interface in CIDR notation, such as 192.0.2.5/24. */
  readonly ips?: readonly string[];
  /** Hardware address of the interface, such as its MAC address. */
  readonly hardwareAddress?: string;
}

/** How much of a resource of the node an allocated device takes. */
export interface NodeAllocatableResourceMapping {
  /** Capacity of the device whose consumed amount counts; the number of devices if not given. */
  readonly capacityKey?: string;
  /** Factor by which the amount is multiplied; 1 if not given. */
  readonly allocationMultiplier?: machinery.Quantity;
}

/** Settings in a form that only the driver understands. */
export interface OpaqueDeviceConfiguration {
  /** Driver that the settings are for, a DNS name. */
  readonly driver: string;
  /** The settings, an object of any kind. */
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

/** Points to an object that uses a claim, usually a pod. */
export interface ResourceClaimConsumerReference {
  /** Group of the object; the core group if empty. */
  readonly apiGroup?: string;
  /** Resource of the object, such as pods. */
  readonly resource: string;
  /** Name of the object. */
  readonly name: string;
  /** UID of the object, so that a namesake is not taken for it. */
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

/** What a claim asks for. Cannot be changed. */
export interface ResourceClaimSpec {
  /** Devices that are asked for. */
  readonly devices?: DeviceClaim;
}

/** What was allocated for a claim, and who uses it. */
export interface ResourceClaimStatus {
  /** What was allocated; not given before that. */
  readonly allocation?: AllocationResult;
  /** Who may use the claim at present, up to 256 objects. */
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  /** What drivers report about the allocated devices. */
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

/** What claims are made of. Cannot be changed. */
export interface ResourceClaimTemplateSpec {
  /** Labels and annotations of the claims. */
  readonly metadata?: metaV1.ObjectMeta;
  /** Specification of the claims. */
  readonly spec: ResourceClaimSpec;
}

/** The pool of devices that a slice describes a part of. */
export interface ResourcePool {
  /** Name of the pool, unique for the driver; often that of the node. */
  readonly name: string;
  /** Number that grows with each change of the pool; slices with lower numbers no longer count. */
  readonly generation: number;
  /** How many slices make up the pool in this generation. */
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

/** Devices of a pool, and from where they can be used. */
export interface ResourceSliceSpec {
  /** Driver that offers the devices, a DNS name. Cannot be changed. */
  readonly driver: string;
  /** The pool that the devices belong to. */
  readonly pool: ResourcePool;
  /** Node from which the devices can be used, if it is just one. Cannot be changed. */
  readonly nodeName?: string;
  /** Nodes from which the devices can be used, if there may be several. */
  readonly nodeSelector?: coreV1.NodeSelector;
  /** Whether all nodes can use the devices. */
  readonly allNodes?: boolean;
  /** The devices of this slice. Not together with shared counters. */
  readonly devices?: readonly Device[];
  /** Whether each device says for itself which nodes can use it. */
  readonly perDeviceNodeSelection?: boolean;
  /** Sets of counters that devices of the pool draw from. Not together with devices. */
  readonly sharedCounters?: readonly CounterSet[];
}

export const deviceClasses: Resource<DeviceClass> = { group: 'resource.k8s.io', version: 'v1beta1', resource: 'deviceclasses', kind: 'DeviceClass', namespaced: false };
export const resourceClaims: Resource<ResourceClaim> = { group: 'resource.k8s.io', version: 'v1beta1', resource: 'resourceclaims', kind: 'ResourceClaim', namespaced: true };
export const resourceClaimTemplates: Resource<ResourceClaimTemplate> = { group: 'resource.k8s.io', version: 'v1beta1', resource: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', namespaced: true };
export const resourceSlices: Resource<ResourceSlice> = { group: 'resource.k8s.io', version: 'v1beta1', resource: 'resourceslices', kind: 'ResourceSlice', namespaced: false };
