import type { Device, ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate, ResourceSlice } from '../../../api/types/resource/v1.js';
import type { Gated } from '../../registry/gatedFields.js';
import { below, gate, type Draft, type Writable } from '../language.js';

const ofClaims: readonly Gated<Writable<ResourceClaimSpec>>[] = [
  gate('DRAAdminAccess', 'devices.requests[].exactly.adminAccess'),
  gate(
    'DRAConsumableCapacity',
    'devices.requests[].exactly.capacity',
    'devices.requests[].firstAvailable[].capacity',
    'devices.constraints[].distinctAttribute',
  ),
  gate('DRADeviceTaints', 'devices.requests[].exactly.tolerations', 'devices.requests[].firstAvailable[].tolerations'),
  gate('DRAPrioritizedList', 'devices.requests[].firstAvailable'),
];

const result = 'status.allocation.devices.results[]';

export const claimGates: readonly Gated<Draft<ResourceClaim>>[] = [
  below('spec', ofClaims),
  gate('DRAAdminAccess', `${result}.adminAccess`),
  gate('DRAConsumableCapacity', `${result}.shareID`, `${result}.consumedCapacity`, 'status.devices[].shareID'),
  gate(
    'DRADeviceBindingConditions',
    `${result}.bindingConditions`,
    `${result}.bindingFailureConditions`,
    'status.allocation.allocationTimestamp',
  ),
  gate('DRADeviceTaints', `${result}.tolerations`),
  gate('DRAResourceClaimDeviceStatus', 'status.devices'),
];

export const claimTemplateGates: readonly Gated<Draft<ResourceClaimTemplate>>[] = [below('spec.spec', ofClaims)];

const ofDevices: readonly Gated<Writable<Device>>[] = [
  gate('DRAConsumableCapacity', 'allowMultipleAllocations', 'capacity{}.requestPolicy'),
  gate('DRADeviceBindingConditions', 'bindsToNode', 'bindingConditions', 'bindingFailureConditions'),
  gate('DRADeviceTaints', 'taints'),
  gate('DRAListTypeAttributes', 'attributes{}.bools', 'attributes{}.ints', 'attributes{}.strings', 'attributes{}.versions'),
  gate('DRANodeAllocatableResources', 'nodeAllocatableResourceMappings'),
  gate('DRAPartitionableDevices', 'consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'),
];

export const sliceGates: readonly Gated<Draft<ResourceSlice>>[] = [
  below('spec.devices[]', ofDevices),
  gate('DRAPartitionableDevices', 'spec.sharedCounters', 'spec.perDeviceNodeSelection'),
];
