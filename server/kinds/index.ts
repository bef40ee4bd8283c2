import type { ApiObject } from '../../api/object.js';
import { apiVersionOf, qualifiedName, type GroupResource } from '../../api/resource.js';
import { binaryMinor } from '../../program/features/gates.js';
import { removedIn } from '../../program/features/introduced.js';
import { builtInCatalogue, type Catalogue, type ServedResource, type Serves } from '../registry/resources.js';
import { mutatingAdmissionPolicyBindings, validatingAdmissionPolicyBindings } from './admissionregistration.k8s.io/bindings.js';
import { mutatingAdmissionPolicies, validatingAdmissionPolicies } from './admissionregistration.k8s.io/policies.js';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './admissionregistration.k8s.io/webhookConfigurations.js';
import { customResourceDefinitions } from './apiextensions.k8s.io/definitions.js';
import { apiServices } from './apiregistration.k8s.io/apiServices.js';
import { controllerRevisions } from './apps/controllerRevisions.js';
import { daemonSets } from './apps/daemonSets.js';
import { deployments } from './apps/deployments.js';
import { replicaSets } from './apps/replicaSets.js';
import { statefulSets } from './apps/statefulSets.js';
import { horizontalPodAutoscalers } from './autoscaling/horizontalPodAutoscalers.js';
import { cronJobs } from './batch/cronJobs.js';
import { jobs } from './batch/jobs.js';
import { builtInBehaviour, convertBetween } from './builtIn.js';
import { clusterTrustBundles } from './certificates.k8s.io/clusterTrustBundles.js';
import { podCertificateRequests } from './certificates.k8s.io/podCertificateRequests.js';
import { certificateSigningRequests } from './certificates.k8s.io/requests.js';
import { leaseCandidates } from './coordination.k8s.io/leaseCandidates.js';
import { leases } from './coordination.k8s.io/leases.js';
import { componentStatuses } from './core/componentStatuses.js';
import { configMaps } from './core/configMaps.js';
import { endpoints } from './core/endpoints.js';
import { events } from './core/events.js';
import { limitRanges } from './core/limitRanges.js';
import { namespaces } from './core/namespaces.js';
import { nodes } from './core/nodes.js';
import { persistentVolumeClaims } from './core/persistentVolumeClaims.js';
import { persistentVolumes } from './core/persistentVolumes.js';
import { podTemplates } from './core/podTemplates.js';
import { pods } from './core/pods.js';
import { replicationControllers } from './core/replicationControllers.js';
import { resourceQuotas } from './core/resourceQuotas.js';
import { secrets } from './core/secrets.js';
import { serviceAccounts } from './core/serviceAccounts.js';
import { services } from './core/services.js';
import { endpointSlices } from './discovery.k8s.io/endpointSlices.js';
import { fieldsOf } from './fields.js';
import { flowSchemas } from './flowcontrol.apiserver.k8s.io/flowSchemas.js';
import { priorityLevels } from './flowcontrol.apiserver.k8s.io/priorityLevels.js';
import { storageVersions } from './internal.apiserver.k8s.io/storageVersions.js';
import type { Kind } from './kind.js';
import { ingressClasses } from './networking.k8s.io/ingressClasses.js';
import { ingresses } from './networking.k8s.io/ingresses.js';
import { ipAddresses } from './networking.k8s.io/ipAddresses.js';
import { networkPolicies } from './networking.k8s.io/networkPolicies.js';
import { serviceCidrs } from './networking.k8s.io/serviceCidrs.js';
import { runtimeClasses } from './node.k8s.io/runtimeClasses.js';
import { podDisruptionBudgets } from './policy/podDisruptionBudgets.js';
import { clusterRoleBindings, roleBindings } from './rbac.authorization.k8s.io/bindings.js';
import { clusterRoles, roles } from './rbac.authorization.k8s.io/roles.js';
import { resourceClaimTemplates } from './resource.k8s.io/claimTemplates.js';
import { resourceClaims } from './resource.k8s.io/claims.js';
import { deviceClasses } from './resource.k8s.io/deviceClasses.js';
import { deviceTaintRules } from './resource.k8s.io/deviceTaintRules.js';
import { resourcePoolStatusRequests } from './resource.k8s.io/poolStatusRequests.js';
import { resourceSlices } from './resource.k8s.io/resourceSlices.js';
import { podGroups } from './scheduling.k8s.io/podGroups.js';
import { priorityClasses } from './scheduling.k8s.io/priorityClasses.js';
import { workloads } from './scheduling.k8s.io/workloads.js';
import { csiDrivers } from './storage.k8s.io/csiDrivers.js';
import { csiNodes } from './storage.k8s.io/csiNodes.js';
import { csiStorageCapacities } from './storage.k8s.io/csiStorageCapacities.js';
import { storageClasses } from './storage.k8s.io/storageClasses.js';
import { volumeAttachments } from './storage.k8s.io/volumeAttachments.js';
import { volumeAttributesClasses } from './storage.k8s.io/volumeAttributesClasses.js';
import { writtenVersion } from './writtenVersions.js';
import { storageVersionMigrations } from './storagemigration.k8s.io/storageVersionMigrations.js';
import type { Completion } from '../storage/encoding.js';
import { inOneGo } from '../../api/steps.js';
import { outcomeOf } from '../registry/stepwise.js';

/** All declared kinds. Other types follow the generic life cycle alone. */
const kinds: readonly Kind[] = [
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
  mutatingAdmissionPolicies,
  validatingAdmissionPolicies,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  customResourceDefinitions,
  apiServices,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  horizontalPodAutoscalers,
  cronJobs,
  jobs,
  clusterTrustBundles,
  certificateSigningRequests,
  podCertificateRequests,
  leases,
  leaseCandidates,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podTemplates,
  pods,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
  endpointSlices,
  flowSchemas,
  priorityLevels,
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
  runtimeClasses,
  podDisruptionBudgets,
  clusterRoleBindings,
  roleBindings,
  clusterRoles,
  roles,
  resourceClaimTemplates,
  resourceClaims,
  deviceClasses,
  deviceTaintRules,
  resourcePoolStatusRequests,
  resourceSlices,
  podGroups,
  priorityClasses,
  workloads,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
  storageVersions,
  storageVersionMigrations,
];

const byName: ReadonlyMap<string, Kind> = new Map(kinds.flatMap((kind) => [kind.name, ...(kind.views ?? [])].map((name) => [name, kind])));

export const kindOf = (resource: GroupResource): Kind => byName.get(qualifiedName(resource)) ?? { name: qualifiedName(resource) };

export interface CatalogueOptions {
  /** Default: the release's. */
  readonly serves?: Serves;
  /** The emulated minor version: the release before it can read what is written. Default: this release. */
  readonly emulatedMinor?: number;
}

export const createCatalogue = ({ serves = (_, byDefault) => byDefault, emulatedMinor = binaryMinor }: CatalogueOptions = {}): Catalogue =>
  builtInCatalogue({
    serves: (resource, byDefault) => removedIn(resource) > emulatedMinor && serves(resource, byDefault),
    viewOf,
    behaviour: (names) => builtInBehaviour(names, kindOf(names), emulatedMinor),
    writtenVersion: (storage, versions) => writtenVersion(storage, { versions, emulatedMinor }),
  });

const viewOf = (name: string): string => byName.get(name)?.name ?? name;

const everyResource = (emulatedMinor = binaryMinor): readonly ServedResource[] =>
  createCatalogue({ serves: () => true, emulatedMinor }).groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));

/** Reports whether a resource is compiled in, served or not. */
export const builtInResources = (): ((resource: GroupResource) => boolean) => {
  const kindOf = storedKinds();
  return (resource) => kindOf(resource) !== null;
};

/**
 * Entries of kube-apiserver outside its API, under the names of its options and its encryption: taken node ports (`ranges/servicenodeports`), and servers
 * (`masterleases/<address>`).
 */
const bookkeeping = [
  { group: '', resource: 'servicenodeportallocations', kind: 'RangeAllocation' },
  { group: '', resource: 'apiServerIPInfo', kind: 'Endpoints' },
] as const;

/** Storage groups and names of built-in types, served or not. */
export const storedResourceTypes = (): readonly GroupResource[] => [
  ...new Map(
    [...everyResource().map(({ storage }) => storage), ...bookkeeping].map(({ group, resource }) => [
      `${group}/${resource}`,
      { group, resource },
    ]),
  ).values(),
];

/** Stored kinds of built-in types by group and resource, served or not. */
export const storedKinds = (): ((resource: GroupResource) => string | null) => {
  const kinds = new Map<string, string>(
    [...everyResource().map(({ storage }) => storage), ...bookkeeping].map(({ group, resource, kind }) => [`${group}/${resource}`, kind]),
  );
  return ({ group, resource }) => kinds.get(`${group}/${resource}`) ?? null;
};

/**
 * The facts that kube-apiserver's stored form needs for a built-in or custom (`definedKind`) resource, under an emulated minor version: objects are converted
 * where that stores another version.
 */
export function referenceKinds(
  emulatedMinor: number,
  definedKind: (resource: GroupResource) => string | null,
): (resource: GroupResource) => { readonly kind: string; readonly builtIn: boolean; readonly written: WrittenForm | null } | null {
  const builtIn = storedKinds();
  const written = new Map(
    everyResource(emulatedMinor).flatMap((resource) =>
      resource.writtenVersion === undefined ? [] : [[qualifiedName(resource.storage), writtenForm(resource)]],
    ),
  );
  return (resource) => {
    const own = builtIn(resource);
    const kind = own ?? definedKind(resource);
    return kind === null ? null : { kind, builtIn: own !== null, written: written.get(qualifiedName(resource)) ?? null };
  };
}

type WrittenForm = (object: ApiObject) => ApiObject;

function writtenForm({ storage, writtenVersion = storage.version }: ServedResource): WrittenForm {
  const kind = kindOf(storage);
  const [from, apiVersion] = [apiVersionOf(storage), apiVersionOf({ group: storage.group, version: writtenVersion })];
  const converts = kind.versions?.[apiVersion]?.conversion !== undefined;
  return (object) => ({ ...(converts ? convertBetween(kind, from, apiVersion, object) : object), apiVersion });
}

const fields: ReadonlyMap<string, ReturnType<typeof fieldsOf>> = new Map(
  kinds.flatMap(({ name, fields }) => (fields === undefined ? [] : [[name, fieldsOf(fields.values)]])),
);

let formVersions: ReadonlyMap<string, string> | null = null;
const storageVersionOf = (name: string): string | undefined =>
  (formVersions ??= new Map(everyResource().map(({ storage }) => [qualifiedName(storage), apiVersionOf(storage)]))).get(name);

/** Completes objects of a built-in type that another or older program stored; null for other types. */
export function completionOf(resource: GroupResource): Completion | null {
  const name = qualifiedName(resource);
  const apiVersion = storageVersionOf(name);
  if (apiVersion === undefined) return null;
  const kind = kindOf(resource);
  const steps = [kind.defaults, kind.fromOld, kind.canonicalize].filter((step) => step !== undefined);
  const convert = (object: ApiObject): ApiObject =>
    object.apiVersion === apiVersion ? object : { ...convertBetween(kind, object.apiVersion ?? '', apiVersion, object), apiVersion };
  const complete = (object: ApiObject): ApiObject => {
    const converted = convert(object);
    for (const step of steps) inOneGo(outcomeOf(step(converted)));
    return converted;
  };
  return { apiVersion, convert, complete };
}

/** Reads fields for selectors; null for types with metadata selectors only. */
export const selectableFieldsOf = (resource: GroupResource): ReturnType<typeof fieldsOf> | null =>
  fields.get(qualifiedName(resource)) ?? null;
