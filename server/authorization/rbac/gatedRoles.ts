import type { ServerGate } from '../../../program/features/gates.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';

/** Roles and rules of optional features, absent in a default cluster, as in the reference. */
interface Gated {
  /** Adds the rules to an existing role. */
  readonly role: string;
  /** The role exists where this resource is served. */
  readonly group: string;
  readonly resource: string;
  /** A feature that has to be on as well. */
  readonly feature?: ServerGate;
  readonly rules: readonly JsonObject[];
  /** Absent for roles that are bound already. */
  readonly subject?: JsonObject;
}

const rule = (group: string, resources: readonly string[], verbs: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
  ...more,
});
const read = ['get', 'list', 'watch'];
const change = ['update', 'patch'];
const apiVersion = 'rbac.authorization.k8s.io/v1';
const certificates = 'certificates.k8s.io';
const extensions = 'apiextensions.k8s.io';
const internal = 'internal.apiserver.k8s.io';
const migration = 'storagemigration.k8s.io';
const resource = 'resource.k8s.io';
const scheduling = 'scheduling.k8s.io';

/** Returns the role of a controller's account in `kube-system`. */
const controller = (account: string, { group, resource: served, feature, rules }: Omit<Gated, 'role' | 'subject'>): Gated => ({
  role: `system:controller:${account}`,
  group,
  resource: served,
  ...(feature === undefined ? {} : { feature }),
  rules,
  subject: { kind: 'ServiceAccount', name: account, namespace: 'kube-system' },
});

const trustBundles = { group: certificates, resource: 'clustertrustbundles', feature: 'ClusterTrustBundle' } as const;
const podGroups = { group: scheduling, resource: 'podgroups', feature: 'GenericWorkload' } as const;
const taintRules = { group: resource, resource: 'devicetaintrules', feature: 'DRADeviceTaintRules' } as const;

/** `controller_policy.go` and `policy.go` of the reference, as far as they depend on gates that are off by default. */
const gated: readonly Gated[] = [
  controller('kube-apiserver-serving-clustertrustbundle-publisher', {
    group: certificates,
    resource: 'clustertrustbundles',
    rules: [
      rule(certificates, ['signers'], ['attest'], { resourceNames: ['kubernetes.io/kube-apiserver-serving'] }),
      rule(certificates, ['clustertrustbundles'], [...read, 'create', 'update', 'delete']),
    ],
  }),
  controller('job-controller', {
    group: scheduling,
    resource: 'podgroups',
    feature: 'WorkloadWithJob',
    rules: [rule(scheduling, ['workloads', 'podgroups'], [...read, 'create'])],
  }),
  controller('podcertificaterequestcleaner', {
    group: certificates,
    resource: 'podcertificaterequests',
    rules: [rule(certificates, ['podcertificaterequests'], [...read, 'delete'])],
  }),
  controller('podgroup-protection-controller', {
    group: scheduling,
    resource: 'podgroups',
    rules: [rule(scheduling, ['podgroups'], [...read, 'update']), rule('', ['pods'], read)],
  }),
  controller('resource-claim-controller', {
    ...podGroups,
    feature: 'DRAWorkloadResourceClaims',
    rules: [rule(scheduling, ['podgroups'], read), rule(scheduling, ['podgroups/status'], change)],
  }),
  controller('device-taint-eviction-controller', {
    ...taintRules,
    rules: [rule(resource, ['devicetaintrules'], read), rule(resource, ['devicetaintrules/status'], change)],
  }),
  controller('resourcepoolstatusrequest-controller', {
    group: resource,
    resource: 'resourcepoolstatusrequests',
    feature: 'DRAResourcePoolStatus',
    rules: [
      rule(resource, ['resourcepoolstatusrequests'], [...read, 'delete']),
      rule(resource, ['resourceslices', 'resourceclaims'], read),
      rule(resource, ['resourcepoolstatusrequests/status'], change),
    ],
  }),
  controller('storage-version-migrator-controller', {
    group: migration,
    resource: 'storageversionmigrations',
    rules: [
      // An operator may migrate any resource. Applying a deleted object counts as a creation, refused for its UID.
      rule('*', ['*'], ['list', 'create', 'patch']),
      rule(extensions, ['customresourcedefinitions'], ['get']),
      rule(extensions, ['customresourcedefinitions/status'], ['patch']),
      rule(migration, ['storageversionmigrations'], read),
      rule(migration, ['storageversionmigrations/status'], ['update']),
    ],
  }),
  controller('storage-version-garbage-collector', {
    group: internal,
    resource: 'storageversions',
    rules: [
      rule('coordination.k8s.io', ['leases'], read),
      rule(internal, ['storageversions'], [...read, ...change, 'delete']),
      rule(internal, ['storageversions/status'], ['get', ...change]),
    ],
  }),
  {
    role: 'system:node',
    group: certificates,
    resource: 'podcertificaterequests',
    feature: 'PodCertificateRequest',
    rules: [rule(certificates, ['podcertificaterequests'], [...read, 'create'])],
  },
  { role: 'system:node', ...trustBundles, rules: [rule(certificates, ['clustertrustbundles'], read)] },
  {
    role: 'system:cluster-trust-bundle-discovery',
    ...trustBundles,
    rules: [rule(certificates, ['clustertrustbundles'], read)],
    subject: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' },
  },
  { role: 'system:kube-scheduler', ...taintRules, rules: [rule(resource, ['devicetaintrules'], read)] },
  {
    role: 'system:kube-scheduler',
    ...podGroups,
    rules: [rule(scheduling, ['podgroups'], read), rule(scheduling, ['podgroups/status'], change)],
  },
  { role: 'system:aggregate-to-view', ...podGroups, rules: [rule(scheduling, ['workloads', 'podgroups', 'podgroups/status'], read)] },
  {
    role: 'system:aggregate-to-edit',
    ...podGroups,
    rules: [rule(scheduling, ['workloads', 'podgroups'], [...change, 'create', 'delete', 'deletecollection'])],
  },
];

/** Returns further roles and bindings, for served types and enabled features. Pure. */
export function gatedRoles(
  isServed: (group: string, resource: string) => boolean,
  isOn: (feature: ServerGate) => boolean,
): Readonly<Record<string, readonly ApiObject[]>> {
  const there = gated.filter(({ group, resource: served, feature }) => isServed(group, served) && (feature === undefined || isOn(feature)));
  const metadata = (name: string): ApiObject['metadata'] => ({
    name,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  });
  return {
    clusterroles: [...new Set(there.map(({ role }) => role))].map((name) => ({
      apiVersion,
      kind: 'ClusterRole',
      metadata: metadata(name),
      rules: there.filter(({ role }) => role === name).flatMap(({ rules }) => rules),
    })),
    clusterrolebindings: there.flatMap(({ role, subject }) =>
      subject === undefined
        ? []
        : [
            {
              apiVersion,
              kind: 'ClusterRoleBinding',
              metadata: metadata(role),
              roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
              subjects: [subject],
            },
          ],
    ),
  };
}
