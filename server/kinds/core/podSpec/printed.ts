import type { JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../registry/defaulting.js';
import { differenceOf } from '../../../registry/validation/difference.js';
import {
  flags,
  listOf,
  maps,
  numbers,
  optionals,
  optionalStructure,
  printedStructure,
  selectors,
  structure,
  texts,
  type StructureForm,
} from '../../../registry/validation/internalform.js';
import { printedMetadata } from '../../../registry/validation/printed.js';
import { NODE_TERM_FORM } from '../persistentVolume/printed.js';
import { CONTAINER, EPHEMERAL, PROFILES, RESOURCES, SE_LINUX, WINDOWS } from './printedContainers.js';
import { VOLUME } from './printedVolumes.js';

/** Pods as the reference prints them when it shows what an update would have changed. */

const POD_SECURITY: StructureForm = [
  ...flags('hostNetwork', 'hostPID', 'hostIPC'),
  ...optionals('shareProcessNamespace', 'hostUsers'),
  ...SE_LINUX,
  ...WINDOWS,
  ...optionals('runAsUser', 'runAsGroup', 'runAsNonRoot', 'supplementalGroups', 'supplementalGroupsPolicy'),
  ...optionals('fsGroup=FSGroup', 'fsGroupChangePolicy=FSGroupChangePolicy'),
  ...listOf('sysctls', texts('name', 'value')),
  ...PROFILES,
  ...optionals('seLinuxChangePolicy=SELinuxChangePolicy'),
];

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const POD_TERM: StructureForm = [
  ...selectors('labelSelector'),
  ...optionals('namespaces'),
  ...texts('topologyKey'),
  ...selectors('namespaceSelector'),
  ...optionals('matchLabelKeys', 'mismatchLabelKeys'),
];
const POD_AFFINITY: StructureForm = [
  ...listOf(REQUIRED, POD_TERM),
  ...listOf(PREFERRED, [...numbers('weight'), ...structure('podAffinityTerm', POD_TERM)]),
];
const AFFINITY: StructureForm = [
  ...optionalStructure('nodeAffinity', [
    ...optionalStructure(REQUIRED, listOf('nodeSelectorTerms', NODE_TERM_FORM)),
    ...listOf(PREFERRED, [...numbers('weight'), ...structure('preference', NODE_TERM_FORM)]),
  ]),
  ...optionalStructure('podAffinity', POD_AFFINITY),
  ...optionalStructure('podAntiAffinity', POD_AFFINITY),
];
const SPREAD: StructureForm = [
  ...numbers('maxSkew'),
  ...texts('topologyKey', 'whenUnsatisfiable'),
  ...selectors('labelSelector'),
  ...optionals('minDomains', 'nodeAffinityPolicy', 'nodeTaintsPolicy', 'matchLabelKeys'),
];

const POD: StructureForm = [
  ...listOf('volumes', VOLUME),
  ...listOf('initContainers', CONTAINER),
  ...listOf('containers', CONTAINER),
  ...listOf('ephemeralContainers', EPHEMERAL),
  ...texts('restartPolicy'),
  ...optionals('terminationGracePeriodSeconds', 'activeDeadlineSeconds'),
  ...texts('dnsPolicy=DNSPolicy'),
  ...maps('nodeSelector'),
  ...texts('serviceAccountName'),
  ...optionals('automountServiceAccountToken'),
  ...texts('nodeName'),
  ...optionalStructure('securityContext', POD_SECURITY),
  ...listOf('imagePullSecrets', texts('name')),
  ...texts('hostname', 'subdomain'),
  ...optionals('setHostnameAsFQDN'),
  ...optionalStructure('affinity', AFFINITY),
  ...texts('schedulerName'),
  ...listOf('tolerations', [...texts('key', 'operator', 'value', 'effect'), ...optionals('tolerationSeconds')]),
  ...listOf('hostAliases', [...texts('ip=IP'), ...optionals('hostnames')]),
  ...texts('priorityClassName'),
  ...optionals('priority', 'preemptionPolicy'),
  ...optionalStructure('dnsConfig=DNSConfig', [
    ...optionals('nameservers', 'searches'),
    ...listOf('options', [...texts('name'), ...optionals('value')]),
  ]),
  ...listOf('readinessGates', texts('conditionType')),
  ...optionals('runtimeClassName'),
  ...maps('overhead'),
  ...optionals('enableServiceLinks'),
  ...listOf('topologySpreadConstraints', SPREAD),
  ...optionalStructure('os=OS', texts('name')),
  ...listOf('schedulingGates', texts('name')),
  ...listOf('resourceClaims', [...texts('name'), ...optionals('resourceClaimName', 'resourceClaimTemplateName')]),
  ...optionalStructure('resources', RESOURCES),
  ...optionals('hostnameOverride'),
  ...optionalStructure('schedulingGroup', optionals('podGroupName')),
];

/** In the reference's own structures the host's namespaces belong to the security context. */
function printedSpec(spec: JsonObject): JsonObject {
  const { hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } = spec;
  return printedStructure(
    { ...spec, securityContext: { ...objectAt(spec, 'securityContext'), hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } },
    POD,
  );
}

/** A template of pods: its metadata is not held by a member of its own. */
export const printedPodTemplate = (template: JsonObject): JsonObject => ({
  ...printedMetadata(objectAt(template, 'metadata') ?? {}),
  Spec: printedSpec(objectAt(template, 'spec') ?? {}),
});

/** What changed between two specifications of a pod. */
export const specDifference = (old: JsonObject, now: JsonObject): string => differenceOf(printedSpec(old), printedSpec(now));
/** What changed between two ephemeral containers. */
export const ephemeralDifference = (old: JsonObject, now: JsonObject): string =>
  differenceOf(printedStructure(old, EPHEMERAL), printedStructure(now, EPHEMERAL));
