import { readCatalogueData } from './data.js';

/**
 * Which members of a type exist in every object of it, even when nobody sets them. Clients see them in every answer (`status: {}`, `rules: null`),
 * and field ownership must know that nobody brought them into being.
 *
 * - A struct that the reference holds by value is present, empty (`data/valuestructs.json`).
 * - A scalar whose declared default is the zero value of its type has no "absent" form.
 * - A required list or map is null until it is set, and so are the times and lists below, which the reference holds by value.
 */
export interface PresentMember { readonly name: string; readonly zero: null | boolean | number | string | 'struct' }

interface Member { readonly required?: boolean; readonly default?: unknown; readonly items?: unknown; readonly values?: unknown; readonly ref?: string }

/** Members that the rules would count in and the reference leaves out when they are empty. */
const omittedWhenEmpty: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.api.autoscaling.v1.ScaleSpec': ['replicas'],
  'io.k8s.api.core.v1.ReplicationControllerSpec': ['minReadySeconds'],
  'io.k8s.api.core.v1.FileKeySelector': ['optional'],
  'io.k8s.api.core.v1.GRPCAction': ['service'],
  'io.k8s.api.core.v1.LocalObjectReference': ['name'],
  'io.k8s.api.core.v1.ConfigMapEnvSource': ['name'],
  'io.k8s.api.core.v1.ConfigMapKeySelector': ['name'],
  'io.k8s.api.core.v1.ConfigMapProjection': ['name'],
  'io.k8s.api.core.v1.ConfigMapVolumeSource': ['name'],
  'io.k8s.api.core.v1.SecretEnvSource': ['name'],
  'io.k8s.api.core.v1.SecretKeySelector': ['name'],
  'io.k8s.api.core.v1.SecretProjection': ['name'],
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': ['validationActions'],
};

/** Times with one of these names are null, not absent, while nobody has set them. */
const nullTimes: readonly string[] = [
  'deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime', 'expirationTimestamp', 'finishedAt', 'firstTimestamp', 'lastHeartbeatTime',
  'lastObservedTime', 'lastProbeTime', 'lastTimestamp', 'lastTransitionTime', 'lastUpdateTime', 'startedAt',
];

const nullMembers: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.api.authentication.v1.TokenRequestSpec': ['boundObjectRef'],
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus': ['currentMetrics'],
  'io.k8s.api.core.v1.TypedLocalObjectReference': ['apiGroup'],
  'io.k8s.api.core.v1.TypedObjectReference': ['apiGroup'],
  'io.k8s.api.discovery.v1.EndpointSlice': ['endpoints', 'ports'],
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus': ['conditions', 'storedVersions'],
};

const isTime = (member: Member): boolean => member.ref !== undefined && /\.(Micro)?Time$/.test(member.ref);

const zeroValues: readonly unknown[] = ['', 0, false];

/** `membersOf` gives the declared members of a type, undefined when it has none. */
export function createPresence(membersOf: (typeName: string) => Readonly<Record<string, Member>> | undefined): (typeName: string) => readonly PresentMember[] {
  const structs = readCatalogueData<Record<string, string[]>>('valuestructs');
  const known = new Map<string, readonly PresentMember[]>();
  return (typeName) => {
    let members = known.get(typeName);
    if (members === undefined) known.set(typeName, members = [...(structs[typeName] ?? []).map(struct), ...plainMembers(typeName, membersOf(typeName) ?? {})]);
    return members;
  };
}

const struct = (name: string): PresentMember => ({ name, zero: 'struct' });

function plainMembers(typeName: string, members: Readonly<Record<string, Member>>): PresentMember[] {
  return Object.entries(members).flatMap(([name, member]): PresentMember[] => {
    if (omittedWhenEmpty[typeName]?.includes(name) === true) return [];
    if (zeroValues.includes(member.default)) return [{ name, zero: member.default as string | number | boolean }];
    if (nullMembers[typeName]?.includes(name) === true || (isTime(member) && nullTimes.includes(name))) return [{ name, zero: null }];
    return member.required === true && (member.items !== undefined || member.values !== undefined) ? [{ name, zero: null }] : [];
  });
}
