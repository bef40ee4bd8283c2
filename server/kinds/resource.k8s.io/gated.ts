import type { FieldGate, GatedFields } from '../../features/fieldGates.js';

/** Fields of claims and of devices that belong to features. */

const request = 'devices.requests[].exactly';
const alternative = 'devices.requests[].firstAvailable[]';
const result = 'status.allocation.devices.results[]';

/** Of the specification of a claim, from there on. */
const ofClaims: GatedFields = {
  DRAAdminAccess: [`${request}.adminAccess`],
  DRAConsumableCapacity: [`${request}.capacity`, `${alternative}.capacity`, 'devices.constraints[].distinctAttribute'],
  DRADeviceTaints: [`${request}.tolerations`, `${alternative}.tolerations`],
  DRAPrioritizedList: ['devices.requests[].firstAvailable'],
};

const ofStatus: GatedFields = {
  DRAAdminAccess: [`${result}.adminAccess`],
  DRAConsumableCapacity: [`${result}.shareID`, `${result}.consumedCapacity`, 'status.devices[].shareID'],
  DRADeviceBindingConditions: [
    `${result}.bindingConditions`,
    `${result}.bindingFailureConditions`,
    'status.allocation.allocationTimestamp',
  ],
  DRADeviceTaints: [`${result}.tolerations`],
  DRAResourceClaimDeviceStatus: ['status.devices'],
};

const below = (place: string, fields: GatedFields): GatedFields =>
  Object.fromEntries(Object.entries(fields).map(([feature, paths]) => [feature, paths.map((path) => `${place}.${path}`)]));
const both = (one: GatedFields, other: GatedFields): GatedFields =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => {
      const feature = name as FieldGate;
      return [feature, [...(one[feature] ?? []), ...(other[feature] ?? [])]];
    }),
  );

export const gatedClaimFields: GatedFields = both(below('spec', ofClaims), ofStatus);
export const gatedClaimTemplateFields: GatedFields = below('spec.spec', ofClaims);

export const gatedSliceFields: GatedFields = {
  DRAConsumableCapacity: ['allowMultipleAllocations', 'capacity{}.requestPolicy'].map((path) => `spec.devices[].${path}`),
  DRADeviceBindingConditions: ['bindsToNode', 'bindingConditions', 'bindingFailureConditions'].map((path) => `spec.devices[].${path}`),
  DRADeviceTaints: ['spec.devices[].taints'],
  DRAListTypeAttributes: ['bools', 'ints', 'strings', 'versions'].map((list) => `spec.devices[].attributes{}.${list}`),
  DRANodeAllocatableResources: ['spec.devices[].nodeAllocatableResourceMappings'],
  DRAPartitionableDevices: [
    'spec.sharedCounters',
    'spec.perDeviceNodeSelection',
    ...['consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'].map((path) => `spec.devices[].${path}`),
  ],
};
