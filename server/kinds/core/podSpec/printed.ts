import type { JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../registry/defaulting.js';
import { differenceOf } from '../../../registry/validation/difference.js';
import { printedStructure, type StructureForm } from '../../../registry/validation/internalform.js';

/** Pods as the reference prints them when it shows what an update would have changed. Parts that hardly ever occur there are printed as they are written. */

const RESOURCES: StructureForm = [
  ['limits', 'Limits', 'optional'],
  ['requests', 'Requests', 'optional'],
  [
    'claims',
    'Claims',
    {
      list: [
        ['name', 'Name', 'text'],
        ['request', 'Request', 'text'],
      ],
    },
  ],
];
const PORT: StructureForm = [
  ['name', 'Name', 'text'],
  ['hostPort', 'HostPort', 'number'],
  ['containerPort', 'ContainerPort', 'number'],
  ['protocol', 'Protocol', 'text'],
  ['hostIP', 'HostIP', 'text'],
];
const ENV: StructureForm = [
  ['name', 'Name', 'text'],
  ['value', 'Value', 'text'],
  ['valueFrom', 'ValueFrom', 'optional'],
];
const MOUNT: StructureForm = [
  ['name', 'Name', 'text'],
  ['readOnly', 'ReadOnly', 'flag'],
  ['recursiveReadOnly', 'RecursiveReadOnly', 'optional'],
  ['mountPath', 'MountPath', 'text'],
  ['subPath', 'SubPath', 'text'],
  ['mountPropagation', 'MountPropagation', 'optional'],
  ['subPathExpr', 'SubPathExpr', 'text'],
];
const SECURITY: StructureForm = [
  [
    'capabilities',
    'Capabilities',
    {
      optional: [
        ['add', 'Add', 'optional'],
        ['drop', 'Drop', 'optional'],
      ],
    },
  ],
  ['privileged', 'Privileged', 'optional'],
  ['seLinuxOptions', 'SELinuxOptions', 'optional'],
  ['windowsOptions', 'WindowsOptions', 'optional'],
  ['runAsUser', 'RunAsUser', 'optional'],
  ['runAsGroup', 'RunAsGroup', 'optional'],
  ['runAsNonRoot', 'RunAsNonRoot', 'optional'],
  ['readOnlyRootFilesystem', 'ReadOnlyRootFilesystem', 'optional'],
  ['allowPrivilegeEscalation', 'AllowPrivilegeEscalation', 'optional'],
  ['procMount', 'ProcMount', 'optional'],
  ['seccompProfile', 'SeccompProfile', 'optional'],
  ['appArmorProfile', 'AppArmorProfile', 'optional'],
];

/** Also how a container's security context is quoted. */
export const printedSecurityContext = (context: JsonObject): JsonObject => printedStructure(context, SECURITY);

const CONTAINER: StructureForm = [
  ['name', 'Name', 'text'],
  ['image', 'Image', 'text'],
  ['command', 'Command', 'optional'],
  ['args', 'Args', 'optional'],
  ['workingDir', 'WorkingDir', 'text'],
  ['ports', 'Ports', { list: PORT }],
  ['envFrom', 'EnvFrom', 'optional'],
  ['env', 'Env', { list: ENV }],
  ['resources', 'Resources', { of: RESOURCES }],
  ['resizePolicy', 'ResizePolicy', 'optional'],
  ['restartPolicy', 'RestartPolicy', 'optional'],
  ['restartPolicyRules', 'RestartPolicyRules', 'optional'],
  ['volumeMounts', 'VolumeMounts', { list: MOUNT }],
  ['volumeDevices', 'VolumeDevices', 'optional'],
  ['livenessProbe', 'LivenessProbe', 'optional'],
  ['readinessProbe', 'ReadinessProbe', 'optional'],
  ['startupProbe', 'StartupProbe', 'optional'],
  ['lifecycle', 'Lifecycle', 'optional'],
  ['terminationMessagePath', 'TerminationMessagePath', 'text'],
  ['terminationMessagePolicy', 'TerminationMessagePolicy', 'text'],
  ['imagePullPolicy', 'ImagePullPolicy', 'text'],
  ['securityContext', 'SecurityContext', { optional: SECURITY }],
  ['stdin', 'Stdin', 'flag'],
  ['stdinOnce', 'StdinOnce', 'flag'],
  ['tty', 'TTY', 'flag'],
];
const EPHEMERAL: StructureForm = [...CONTAINER, ['targetContainerName', 'TargetContainerName', 'text']];

const POD_SECURITY: StructureForm = [
  ['hostNetwork', 'HostNetwork', 'flag'],
  ['hostPID', 'HostPID', 'flag'],
  ['hostIPC', 'HostIPC', 'flag'],
  ['shareProcessNamespace', 'ShareProcessNamespace', 'optional'],
  ['hostUsers', 'HostUsers', 'optional'],
  ['seLinuxOptions', 'SELinuxOptions', 'optional'],
  ['windowsOptions', 'WindowsOptions', 'optional'],
  ['runAsUser', 'RunAsUser', 'optional'],
  ['runAsGroup', 'RunAsGroup', 'optional'],
  ['runAsNonRoot', 'RunAsNonRoot', 'optional'],
  ['supplementalGroups', 'SupplementalGroups', 'optional'],
  ['supplementalGroupsPolicy', 'SupplementalGroupsPolicy', 'optional'],
  ['fsGroup', 'FSGroup', 'optional'],
  ['fsGroupChangePolicy', 'FSGroupChangePolicy', 'optional'],
  ['sysctls', 'Sysctls', 'optional'],
  ['seccompProfile', 'SeccompProfile', 'optional'],
  ['appArmorProfile', 'AppArmorProfile', 'optional'],
  ['seLinuxChangePolicy', 'SELinuxChangePolicy', 'optional'],
];
const TOLERATION: StructureForm = [
  ['key', 'Key', 'text'],
  ['operator', 'Operator', 'text'],
  ['value', 'Value', 'text'],
  ['effect', 'Effect', 'text'],
  ['tolerationSeconds', 'TolerationSeconds', 'optional'],
];
const NAME: StructureForm = [['name', 'Name', 'text']];

const POD: StructureForm = [
  ['volumes', 'Volumes', 'optional'],
  ['initContainers', 'InitContainers', { list: CONTAINER }],
  ['containers', 'Containers', { list: CONTAINER }],
  ['ephemeralContainers', 'EphemeralContainers', { list: EPHEMERAL }],
  ['restartPolicy', 'RestartPolicy', 'text'],
  ['terminationGracePeriodSeconds', 'TerminationGracePeriodSeconds', 'optional'],
  ['activeDeadlineSeconds', 'ActiveDeadlineSeconds', 'optional'],
  ['dnsPolicy', 'DNSPolicy', 'text'],
  ['nodeSelector', 'NodeSelector', 'optional'],
  ['serviceAccountName', 'ServiceAccountName', 'text'],
  ['automountServiceAccountToken', 'AutomountServiceAccountToken', 'optional'],
  ['nodeName', 'NodeName', 'text'],
  ['securityContext', 'SecurityContext', { optional: POD_SECURITY }],
  ['imagePullSecrets', 'ImagePullSecrets', { list: NAME }],
  ['hostname', 'Hostname', 'text'],
  ['subdomain', 'Subdomain', 'text'],
  ['setHostnameAsFQDN', 'SetHostnameAsFQDN', 'optional'],
  ['affinity', 'Affinity', 'optional'],
  ['schedulerName', 'SchedulerName', 'text'],
  ['tolerations', 'Tolerations', { list: TOLERATION }],
  ['hostAliases', 'HostAliases', 'optional'],
  ['priorityClassName', 'PriorityClassName', 'text'],
  ['priority', 'Priority', 'optional'],
  ['preemptionPolicy', 'PreemptionPolicy', 'optional'],
  ['dnsConfig', 'DNSConfig', 'optional'],
  ['readinessGates', 'ReadinessGates', 'optional'],
  ['runtimeClassName', 'RuntimeClassName', 'optional'],
  ['overhead', 'Overhead', 'optional'],
  ['enableServiceLinks', 'EnableServiceLinks', 'optional'],
  ['topologySpreadConstraints', 'TopologySpreadConstraints', 'optional'],
  ['os', 'OS', { optional: NAME }],
  ['schedulingGates', 'SchedulingGates', { list: NAME }],
  ['resourceClaims', 'ResourceClaims', 'optional'],
  ['resources', 'Resources', { optional: RESOURCES }],
  ['hostnameOverride', 'HostnameOverride', 'optional'],
];

/** In the reference's own structures the host's namespaces belong to the security context. */
const printedSpec = (spec: JsonObject): JsonObject => {
  const { hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } = spec;
  return printedStructure(
    { ...spec, securityContext: { ...objectAt(spec, 'securityContext'), hostNetwork, hostPID, hostIPC, hostUsers, shareProcessNamespace } },
    POD,
  );
};

/** What changed between two specifications of a pod. */
export const specDifference = (old: JsonObject, now: JsonObject): string => differenceOf(printedSpec(old), printedSpec(now));
/** What changed between two ephemeral containers. */
export const ephemeralDifference = (old: JsonObject, now: JsonObject): string =>
  differenceOf(printedStructure(old, EPHEMERAL), printedStructure(now, EPHEMERAL));
