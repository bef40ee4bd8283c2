/**
 * Where an empty list tells something else than none, as long as an object is in memory.
 *
 * To the reference, what a client sends is a structure in which an empty list (or map) and none are two values. Stored as Protobuf, which knows no empty ones, they are
 * one again. Nearly everything that looks at an object in between takes both for the same: defaults ask for the length, most comparisons are semantic. Two things do
 * not: comparisons by `reflect.DeepEqual`, and checks that a member of a structure is its zero value. What they look at stands here; everywhere else an empty list or
 * map of a body is dropped at once, unless it is printed as null (presence `nullable`).
 */
export type Telling = 'lists' | 'lists and maps';

const places: Readonly<Record<string, Telling>> = {
  // Compared to count generations.
  'MutatingWebhookConfiguration.webhooks': 'lists and maps',
  'NetworkPolicy.spec': 'lists and maps',
  'ValidatingWebhookConfiguration.webhooks': 'lists and maps',
  // Members that must not be set.
  'PersistentVolumeClaimTemplate.metadata': 'lists',
  'PodSpec.ephemeralContainers': 'lists',
  'ResourceClaimTemplateSpec.metadata': 'lists',
};

/** Below which member of which type (by its name without the package) emptiness tells something; null for all others. */
export const tellingBelow = (owner: string, { member }: { readonly member: string }): Telling | null =>
  places[`${owner}.${member}`] ?? null;
