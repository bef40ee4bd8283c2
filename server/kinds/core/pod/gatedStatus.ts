import type { GatedFields } from '../../../features/fieldGates.js';

const inStatuses = (path: string): readonly string[] =>
  ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].map((list) => `status.${list}[].${path}`);

/** Fields of the status of pods that belong to features, beyond those of features that have fields in the specification as well. */
export const gatedPodStatus: GatedFields = {
  DRAExtendedResource: ['status.extendedResourceClaimStatus'],
  InPlacePodLevelResourcesVerticalScaling: ['status.resources', 'status.allocatedResources'],
  PodObservedGenerationTracking: ['status.observedGeneration', 'status.conditions[].observedGeneration'],
  ResourceHealthStatus: inStatuses('allocatedResourcesStatus'),
  ResourceHealthStatusMessage: inStatuses('allocatedResourcesStatus[].resources[].message'),
};
