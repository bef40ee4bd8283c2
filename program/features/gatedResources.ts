import type { GroupResource } from '../../api/resource.js';

/** Resources (`group/resource`) that need a feature gate, whatever `--runtime-config` enables. */
const gatedResources: Readonly<Record<string, string>> = {
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
};

export const gateOf = ({ group, resource }: GroupResource): string | null => gatedResources[`${group}/${resource}`] ?? null;
