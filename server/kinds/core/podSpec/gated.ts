import type { FieldGate, GatedFields } from '../../../features/fieldGates.js';

const inContainers = (path: string): readonly string[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].map((list) => `${list}[].${path}`);

/** Fields of pod specifications that belong to features, from the specification on. */
const fields: GatedFields = {
  ClusterTrustBundleProjection: ['volumes[].projected.sources[].clusterTrustBundle'],
  ContainerRestartRules: ['containers[].restartPolicy', 'containers[].restartPolicyRules', 'initContainers[].restartPolicyRules'],
  ContainerStopSignals: inContainers('lifecycle?.stopSignal'),
  EnvFiles: inContainers('env[].valueFrom.fileKeyRef'),
  GenericWorkload: ['schedulingGroup'],
  DynamicResourceAllocation: ['resourceClaims', ...inContainers('resources.claims')],
  HostnameOverride: ['hostnameOverride'],
  MatchLabelKeysInPodTopologySpread: ['topologySpreadConstraints[].matchLabelKeys'],
  PodLifecycleSleepAction: ['preStop', 'postStart'].flatMap((hook) => inContainers(`lifecycle?.${hook}?.sleep`)),
  SELinuxChangePolicy: ['securityContext.seLinuxChangePolicy'],
  SupplementalGroupsPolicy: ['securityContext.supplementalGroupsPolicy'],
  UserNamespacesSupport: ['hostUsers'],
  ImageVolume: ['volumes[].image'],
  PodCertificateRequest: ['volumes[].projected.sources[].podCertificate'],
  PodLevelResources: ['resources'],
};

/** The same in an object that holds a pod's specification at a place such as `spec.template.spec`. */
export const gatedPodFields = (place: string): GatedFields =>
  Object.fromEntries(
    Object.entries(fields).map(([feature, paths]): [FieldGate, readonly string[]] => [
      feature as FieldGate,
      paths.map((path) => `${place}.${path}`),
    ]),
  );
