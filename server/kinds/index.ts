import type { ApiObject } from '../api/object.js';
import { qualifiedName, type GroupResource } from '../api/resource.js';
import { controllerRevisions } from './apps/controllerRevisions.js';
import { daemonSets } from './apps/daemonSets.js';
import { deployments } from './apps/deployments.js';
import { replicaSets } from './apps/replicaSets.js';
import { statefulSets } from './apps/statefulSets.js';
import { horizontalPodAutoscalers } from './autoscaling/horizontalPodAutoscalers.js';
import { cronJobs } from './batch/cronJobs.js';
import { jobs } from './batch/jobs.js';
import { configurationStrategies } from '../registry/configurationStrategies.js';
import { configMaps } from './core/configMaps.js';
import { endpoints } from './core/endpoints.js';
import { events } from './core/events.js';
import { limitRanges } from './core/limitRanges.js';
import { namespaces } from './core/namespaces.js';
import { nodes } from './core/nodes.js';
import { persistentVolumeClaims } from './core/persistentVolumeClaims.js';
import { persistentVolumes } from './core/persistentVolumes.js';
import { pods } from './core/pods.js';
import { podTemplates } from './core/podTemplates.js';
import { replicationControllers } from './core/replicationControllers.js';
import { resourceQuotas } from './core/resourceQuotas.js';
import { secrets } from './core/secrets.js';
import { serviceAccounts } from './core/serviceAccounts.js';
import { services } from './core/services.js';
import { endpointSlices } from './discovery.k8s.io/endpointSlices.js';
import { podDisruptionBudgets } from './policy/podDisruptionBudgets.js';
import type { Strategy } from '../registry/strategy.js';

/** Kinds of which only this is known: whoever updates one has to have seen the latest version of it. */
const SEEN_BEFORE: Strategy = { unconditionalUpdate: false };

/**
 * Rules by `resource` or `resource.group` of the stored type. A kind with more than a line of rules has a file in its group's folder.
 * Types that are missing follow the generic life cycle alone.
 */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  ...configurationStrategies,
  configmaps: configMaps,
  endpoints,
  events,
  limitranges: limitRanges,
  namespaces,
  nodes,
  persistentvolumeclaims: persistentVolumeClaims,
  persistentvolumes: persistentVolumes,
  pods,
  podtemplates: podTemplates,
  replicationcontrollers: replicationControllers,
  resourcequotas: resourceQuotas,
  secrets,
  serviceaccounts: serviceAccounts,
  services,
  'controllerrevisions.apps': controllerRevisions,
  'daemonsets.apps': daemonSets,
  'deployments.apps': deployments,
  'replicasets.apps': replicaSets,
  'statefulsets.apps': statefulSets,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalers,
  'cronjobs.batch': cronJobs,
  'jobs.batch': jobs,
  'endpointslices.discovery.k8s.io': endpointSlices,
  'poddisruptionbudgets.policy': podDisruptionBudgets,
  'leasecandidates.coordination.k8s.io': { ...SEEN_BEFORE, createsOnUpdate: true },
  'podcertificaterequests.certificates.k8s.io': SEEN_BEFORE,
  'storageversionmigrations.storagemigration.k8s.io': SEEN_BEFORE,
  'storageversions.internal.apiserver.k8s.io': SEEN_BEFORE,
};

const NO_RULES: Strategy = {};

export const strategyOf = (resource: GroupResource): Strategy => STRATEGIES[qualifiedName(resource)] ?? NO_RULES;

/** How storage extracts what field selectors compare; null for types that select on their metadata only. */
export const selectableFieldsOf = (resource: GroupResource): ((object: ApiObject) => Record<string, string>) | null =>
  strategyOf(resource).selectableFields ?? null;
