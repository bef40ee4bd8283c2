import type { GroupResource } from '../../api/resource.js';
import type { ServerGate } from './gates.js';

/** Resources (`group/resource`) that need a feature gate, whatever `--runtime-config` enables. */
const gatedResources: Readonly<Record<string, ServerGate>> = {
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
};

export const gateOf = ({ group, resource }: GroupResource): ServerGate | null => gatedResources[`${group}/${resource}`] ?? null;
