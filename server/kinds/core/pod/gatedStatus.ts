import type { Pod } from '../../../../api/types/core/v1.js';
import type { Gated } from '../../../registry/gatedFields.js';
import { gate, type Draft } from '../../language.js';

const inStatuses = <const P extends string>(path: P) =>
  [`status.initContainerStatuses[].${path}`, `status.containerStatuses[].${path}`, `status.ephemeralContainerStatuses[].${path}`] as const;

/** Gated fields of pod statuses, except those of features with fields in the specification. */
export const podStatusGates: readonly Gated<Draft<Pod>>[] = [
  gate('DRAExtendedResource', 'status.extendedResourceClaimStatus'),
  gate('DRANodeAllocatableResources', 'status.nodeAllocatableResourceClaimStatuses'),
  gate('ImageVolumeWithDigest', ...inStatuses('volumeMounts[].volumeStatus')),
  gate('InPlacePodLevelResourcesVerticalScaling', 'status.resources', 'status.allocatedResources'),
  gate('PodObservedGenerationTracking', 'status.observedGeneration', 'status.conditions[].observedGeneration'),
  gate('ResourceHealthStatus', ...inStatuses('allocatedResourcesStatus')),
  gate('ResourceHealthStatusMessage', ...inStatuses('allocatedResourcesStatus[].resources[].message')),
];
