import type { PodSpec } from '../../../../api/types/core/v1.js';
import type { Gated } from '../../../registry/gatedFields.js';
import { gate, type Writable } from '../../language.js';

const inContainers = <const P extends string>(path: P) =>
  [`initContainers[].${path}`, `containers[].${path}`, `ephemeralContainers[].${path}`] as const;

export const podSpecGates: readonly Gated<Writable<PodSpec>>[] = [
  gate('ClusterTrustBundleProjection', 'volumes[].projected.sources[].clusterTrustBundle'),
  gate('ContainerRestartRules', 'containers[].restartPolicy', 'containers[].restartPolicyRules', 'initContainers[].restartPolicyRules'),
  gate('ContainerStopSignals', ...inContainers('lifecycle?.stopSignal')),
  gate('EnvFiles', ...inContainers('env[].valueFrom.fileKeyRef')),
  gate('GenericWorkload', 'schedulingGroup'),
  gate('DynamicResourceAllocation', 'resourceClaims', ...inContainers('resources.claims')),
  gate('HostnameOverride', 'hostnameOverride'),
  gate('MatchLabelKeysInPodTopologySpread', 'topologySpreadConstraints[].matchLabelKeys'),
  gate('PodLifecycleSleepAction', ...inContainers('lifecycle?.preStop?.sleep'), ...inContainers('lifecycle?.postStart?.sleep')),
  gate('SELinuxChangePolicy', 'securityContext.seLinuxChangePolicy'),
  gate('SupplementalGroupsPolicy', 'securityContext.supplementalGroupsPolicy'),
  gate('UserNamespacesSupport', 'hostUsers'),
  gate('ImageVolume', 'volumes[].image'),
  gate('PodCertificateRequest', 'volumes[].projected.sources[].podCertificate'),
  gate('PodLevelResources', 'resources'),
];
