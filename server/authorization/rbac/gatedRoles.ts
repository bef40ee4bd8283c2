import type { ApiObject, JsonObject } from '../../../api/object.js';

/** Roles for optional features: in a default cluster they do not exist, as in the reference. */
interface Gated {
  readonly group: string;
  readonly resource: string;
  /** A feature that has to be on as well. */
  readonly feature?: string;
  /** All rules of the role, or the additional ones of a common role. */
  readonly rules: readonly JsonObject[];
}

interface GatedRole extends Gated {
  readonly account: string;
}

const rule = (group: string, resources: readonly string[], verbs: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
  ...more,
});
const read = ['get', 'list', 'watch'];
const certificates = 'certificates.k8s.io';
const internal = 'internal.apiserver.k8s.io';
const migration = 'storagemigration.k8s.io';
const resource = 'resource.k8s.io';
const scheduling = 'scheduling.k8s.io';

const gated: readonly GatedRole[] = [
  {
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    group: certificates,
    resource: 'clustertrustbundles',
    rules: [
      rule(certificates, ['signers'], ['attest'], { resourceNames: ['kubernetes.io/kube-apiserver-serving'] }),
      rule(certificates, ['clustertrustbundles'], [...read, 'create', 'update', 'delete']),
    ],
  },
  {
    account: 'job-controller',
    group: scheduling,
    resource: 'podgroups',
    feature: 'WorkloadWithJob',
    rules: [rule(scheduling, ['workloads', 'podgroups'], [...read, 'create'])],
  },
  {
    account: 'podcertificaterequestcleaner',
    group: certificates,
    resource: 'podcertificaterequests',
    rules: [rule(certificates, ['podcertificaterequests'], [...read, 'delete'])],
  },
  {
    account: 'podgroup-protection-controller',
    group: scheduling,
    resource: 'podgroups',
    rules: [rule(scheduling, ['podgroups'], [...read, 'update']), rule('', ['pods'], read)],
  },
  {
    account: 'resourcepoolstatusrequest-controller',
    group: resource,
    resource: 'resourcepoolstatusrequests',
    rules: [
      rule(resource, ['resourcepoolstatusrequests', 'resourceslices', 'resourceclaims'], read),
      rule(resource, ['resourcepoolstatusrequests/status'], ['update']),
    ],
  },
  {
    account: 'storage-version-migrator-controller',
    group: migration,
    resource: 'storageversionmigrations',
    rules: [
      // An operator may migrate any resource.
      rule('*', ['*'], ['list', 'patch']),
      rule(migration, ['storageversionmigrations'], read),
      rule(migration, ['storageversionmigrations/status'], ['update']),
    ],
  },
  {
    account: 'storage-version-garbage-collector',
    group: internal,
    resource: 'storageversions',
    rules: [
      rule('coordination.k8s.io', ['leases'], read),
      rule(internal, ['storageversions'], [...read, 'delete']),
      rule(internal, ['storageversions/status'], ['update']),
    ],
  },
];

/** The additional rights of nodes. */
const nodes: Gated = {
  group: certificates,
  resource: 'podcertificaterequests',
  feature: 'PodCertificateRequest',
  rules: [rule(certificates, ['podcertificaterequests'], [...read, 'create'])],
};

/** Roles and bindings of nodes, and of controllers whose types are served and features are on. */
export function gatedRoles(
  isServed: (group: string, resource: string) => boolean,
  isOn: (feature: string) => boolean,
): Readonly<Record<string, readonly ApiObject[]>> {
  const isThere = ({ group, resource, feature }: Gated): boolean => isServed(group, resource) && (feature === undefined || isOn(feature));
  const served = gated.filter(isThere);
  const named = (name: string): ApiObject['metadata'] => ({
    name,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  });
  const metadata = (account: string): ApiObject['metadata'] => named(`system:controller:${account}`);
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roleOf = (metadata: ApiObject['metadata'], { rules }: Gated): ApiObject => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata,
    rules: [...rules],
  });
  return {
    clusterroles: [
      ...(isThere(nodes) ? [roleOf(named('system:node'), nodes)] : []),
      ...served.map((role) => roleOf(metadata(role.account), role)),
    ],
    clusterrolebindings: served.map(({ account }) => ({
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata(account),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `system:controller:${account}` },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }],
    })),
  };
}
