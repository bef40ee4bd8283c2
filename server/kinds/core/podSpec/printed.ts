import {
  flags,
  listOf,
  maps,
  numbers,
  optionals,
  optionalStructure,
  printedMetadata,
  printedStructure,
  selectors,
  specOf,
  structureOf,
  texts,
  type JsonObject,
  type StructureForm,
  type Writable,
} from '../../language.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { differenceOf } from '../../../registry/validation/difference.js';
import { nodeTermForm } from '../persistentVolume/printed.js';
import { container, ephemeral, profiles, resources, seLinux, windows } from './printedContainers.js';
import { volume } from './printedVolumes.js';

type PodSpec = Writable<v1.PodSpec>;
type Ephemeral = Writable<v1.EphemeralContainer>;

/** The reference's format of pods, for the difference of an update. */

const podSecurity: StructureForm = [
  ...flags('hostNetwork', 'hostPID', 'hostIPC'),
  ...optionals('shareProcessNamespace', 'hostUsers'),
  ...seLinux,
  ...windows,
  ...optionals('runAsUser', 'runAsGroup', 'runAsNonRoot', 'supplementalGroups', 'supplementalGroupsPolicy'),
  ...optionals('fsGroup=FSGroup', 'fsGroupChangePolicy=FSGroupChangePolicy'),
  ...listOf('sysctls', texts('name', 'value')),
  ...profiles,
  ...optionals('seLinuxChangePolicy=SELinuxChangePolicy'),
];

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const podTerm: StructureForm = [
  ...selectors('labelSelector'),
  ...optionals('namespaces'),
  ...texts('topologyKey'),
  ...selectors('namespaceSelector'),
  ...optionals('matchLabelKeys', 'mismatchLabelKeys'),
];
const podAffinity: StructureForm = [
  ...listOf(required, podTerm),
  ...listOf(preferred, [...numbers('weight'), ...structureOf('podAffinityTerm', podTerm)]),
];
const affinity: StructureForm = [
  ...optionalStructure('nodeAffinity', [
    ...optionalStructure(required, listOf('nodeSelectorTerms', nodeTermForm)),
    ...listOf(preferred, [...numbers('weight'), ...structureOf('preference', nodeTermForm)]),
  ]),
  ...optionalStructure('podAffinity', podAffinity),
  ...optionalStructure('podAntiAffinity', podAffinity),
];
const spread: StructureForm = [
  ...numbers('maxSkew'),
  ...texts('topologyKey', 'whenUnsatisfiable'),
  ...selectors('labelSelector'),
  ...optionals('minDomains', 'nodeAffinityPolicy', 'nodeTaintsPolicy', 'matchLabelKeys'),
];

const pod: StructureForm = [
  ...listOf('volumes', volume),
  ...listOf('initContainers', container),
  ...listOf('containers', container),
  ...listOf('ephemeralContainers', ephemeral),
  ...texts('restartPolicy'),
  ...optionals('terminationGracePeriodSeconds', 'activeDeadlineSeconds'),
  ...texts('dnsPolicy=DNSPolicy'),
  ...maps('nodeSelector'),
  ...texts('serviceAccountName'),
  ...optionals('automountServiceAccountToken'),
  ...texts('nodeName'),
  ...optionalStructure('securityContext', podSecurity),
  ...listOf('imagePullSecrets', texts('name')),
  ...texts('hostname', 'subdomain'),
  ...optionals('setHostnameAsFQDN'),
  ...optionalStructure('affinity', affinity),
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
  ...listOf('topologySpreadConstraints', spread),
  ...optionalStructure('os=OS', texts('name')),
  ...listOf('schedulingGates', texts('name')),
  ...listOf('resourceClaims', [...texts('name'), ...optionals('resourceClaimName', 'resourceClaimTemplateName')]),
  ...optionalStructure('resources', resources),
  ...optionals('hostnameOverride'),
  ...optionalStructure('schedulingGroup', optionals('podGroupName')),
];

/** Host namespaces are internally part of the security context. */
function printedSpec(spec: PodSpec): JsonObject {
  const { securityContext, hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } = spec;
  return printedStructure(
    { ...spec, securityContext: { ...securityContext, hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } },
    pod,
  );
}

/** Metadata is not a member of its own here. */
export const printedPodTemplate = (template: Writable<v1.PodTemplateSpec>): JsonObject => ({
  ...printedMetadata(template.metadata ?? {}),
  Spec: printedSpec(specOf(template)),
});

export const specDifference = (old: PodSpec, now: PodSpec): string => differenceOf(printedSpec(old), printedSpec(now));
export const ephemeralDifference = (old: Ephemeral, now: Ephemeral): string =>
  differenceOf(printedStructure(old, ephemeral), printedStructure(now, ephemeral));
