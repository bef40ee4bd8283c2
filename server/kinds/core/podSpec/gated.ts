import type { FieldGate, GatedFields } from '../../../features/fieldGates.js';

/** Fields of pod specifications that belong to features, from the specification on. */
const fields: GatedFields = {
  ClusterTrustBundleProjection: ['volumes[].projected.sources[].clusterTrustBundle'],
  ContainerRestartRules: ['containers[].restartPolicy', 'containers[].restartPolicyRules', 'initContainers[].restartPolicyRules'],
  ContainerStopSignals: ['initContainers', 'containers', 'ephemeralContainers'].map((list) => `${list}[].lifecycle?.stopSignal`),
  EnvFiles: ['initContainers', 'containers', 'ephemeralContainers'].map((list) => `${list}[].env[].valueFrom.fileKeyRef`),
  GenericWorkload: ['schedulingGroup'],
  HostnameOverride: ['hostnameOverride'],
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
