import type { ApiObject, JsonObject } from '../../api/object.js';

/** Roles of controllers whose API is off unless an operator switches it on: in an empty cluster nobody has them, as in the reference. */
interface GatedRole {
  /** The account in `kube-system`. */
  readonly account: string;
  /** What has to be served for the role to be there. */
  readonly group: string;
  readonly resource: string;
  readonly rules: readonly JsonObject[];
}

const rule = (group: string, resources: readonly string[], verbs: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
  ...more,
});
const read = ['get', 'list', 'watch'];
const CERTIFICATES = 'certificates.k8s.io';
const INTERNAL = 'internal.apiserver.k8s.io';
const MIGRATION = 'storagemigration.k8s.io';
const RESOURCE = 'resource.k8s.io';
const SCHEDULING = 'scheduling.k8s.io';

const GATED: readonly GatedRole[] = [
  {
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    group: CERTIFICATES,
    resource: 'clustertrustbundles',
    rules: [
      rule(CERTIFICATES, ['signers'], ['attest'], { resourceNames: ['kubernetes.io/kube-apiserver-serving'] }),
      rule(CERTIFICATES, ['clustertrustbundles'], [...read, 'create', 'update', 'delete']),
    ],
  },
  {
    account: 'podcertificaterequestcleaner',
    group: CERTIFICATES,
    resource: 'podcertificaterequests',
    rules: [rule(CERTIFICATES, ['podcertificaterequests'], [...read, 'delete'])],
  },
  {
    account: 'podgroup-protection-controller',
    group: SCHEDULING,
    resource: 'podgroups',
    rules: [rule(SCHEDULING, ['podgroups'], [...read, 'update']), rule('', ['pods'], read)],
  },
  {
    account: 'resourcepoolstatusrequest-controller',
    group: RESOURCE,
    resource: 'resourcepoolstatusrequests',
    rules: [
      rule(RESOURCE, ['resourcepoolstatusrequests', 'resourceslices', 'resourceclaims'], read),
      rule(RESOURCE, ['resourcepoolstatusrequests/status'], ['update']),
    ],
  },
  {
    account: 'storage-version-migrator-controller',
    group: MIGRATION,
    resource: 'storageversionmigrations',
    rules: [
      // Whatever an operator wants to have stored anew.
      rule('*', ['*'], ['list', 'patch']),
      rule(MIGRATION, ['storageversionmigrations'], read),
      rule(MIGRATION, ['storageversionmigrations/status'], ['update']),
    ],
  },
  {
    account: 'storage-version-garbage-collector',
    group: INTERNAL,
    resource: 'storageversions',
    rules: [
      rule('coordination.k8s.io', ['leases'], read),
      rule(INTERNAL, ['storageversions'], [...read, 'delete']),
      rule(INTERNAL, ['storageversions/status'], ['update']),
    ],
  },
];

/** Roles and bindings of the controllers whose types are served. */
export function gatedRoles(isServed: (group: string, resource: string) => boolean): Readonly<Record<string, readonly ApiObject[]>> {
  const served = GATED.filter(({ group, resource }) => isServed(group, resource));
  const metadata = (account: string): ApiObject['metadata'] => ({
    name: `system:controller:${account}`,
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  });
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return {
    clusterroles: served.map(({ account, rules }) => ({ apiVersion, kind: 'ClusterRole', metadata: metadata(account), rules: [...rules] })),
    clusterrolebindings: served.map(({ account }) => ({
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata(account),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `system:controller:${account}` },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }],
    })),
  };
}
