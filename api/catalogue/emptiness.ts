/**
 * Lists the members whose empty value differs from an absent one while the object is in memory.
 *
 * The reference tells an empty list or map from nil only where it compares (`reflect.DeepEqual`) or prints structures: on the members listed here. Every
 * other one in a body is dropped at once, unless it is printed as null (presence `nullable`).
 */
export type Telling = 'lists' | 'lists and maps';

const places: Readonly<Record<string, Telling>> = {
  // These are compared to count generations.
  'MutatingWebhookConfiguration.webhooks': 'lists and maps',
  'NetworkPolicy.spec': 'lists and maps',
  'ValidatingWebhookConfiguration.webhooks': 'lists and maps',
  // A refusal quotes these.
  'CustomResourceDefinitionVersion.schema': 'lists and maps',
  'CSINode.spec': 'lists',
  'FlowSchema.spec': 'lists',
  'Ingress.spec': 'lists',
  'JobSpec.podFailurePolicy': 'lists',
  'JobSpec.successPolicy': 'lists',
  'PersistentVolume.spec': 'lists and maps',
  'PersistentVolumeClaim.spec': 'lists and maps',
  'ResourceClaim.spec': 'lists and maps',
  'ResourceClaimStatus.allocation': 'lists',
  'ResourceClaimTemplate.spec': 'lists and maps',
  'ResourceQuota.spec': 'lists',
  'SecurityContext.capabilities': 'lists',
  'ServiceCIDR.spec': 'lists',
  'StorageClass.parameters': 'lists and maps',
  'VolumeAttachment.spec': 'lists and maps',
  // These members must not be set.
  'PersistentVolumeClaimTemplate.metadata': 'lists',
  'PodSpec.ephemeralContainers': 'lists',
  'PodSpec.resources': 'lists',
  'ResourceClaimTemplateSpec.metadata': 'lists',
  // An empty list is set, too.
  'ResourceSlice.spec': 'lists',
};

/** Returns null for members whose emptiness is insignificant; `owner` lacks its package. */
export const tellingAt = (owner: string, member: string): Telling | null => places[`${owner}.${member}`] ?? null;
