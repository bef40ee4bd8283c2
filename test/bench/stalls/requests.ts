/** One request that may keep a server busy; each entry of the table is a line of the report. */
export interface StallingRequest {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly type?: string;
  readonly body: () => unknown;
  /** Prerequisites: paths and objects. */
  readonly before?: () => readonly (readonly [path: string, object: object])[];
}

const strategic = 'application/strategic-merge-patch+json';
const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const json = 'application/json-patch+json';

const namespace = '/api/v1/namespaces/default';
const configMaps = `${namespace}/configmaps`;
const dry = '?dryRun=All';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const many = <T>(count: number, each: (index: number) => T): T[] => Array.from({ length: count }, (_item, index) => each(index));
const members = (count: number, each: (index: number) => readonly [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(many(count, each));

const manager = (index: number, operation: 'Apply' | 'Update'): object => ({
  manager: `m${index}`,
  operation,
  apiVersion: 'v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { [`f:k${index}`]: {} } },
});

/** A definition of a type in its own group, and the path of its objects. */
function custom(name: string, properties: object): { readonly path: string; readonly definition: object } {
  const plural = `${name}s`;
  const kind = name[0]!.toUpperCase() + name.slice(1);
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  return {
    path: `/apis/stalls.example.com/v1/namespaces/default/${plural}`,
    definition: {
      metadata: { name: `${plural}.stalls.example.com` },
      spec: {
        group: 'stalls.example.com',
        scope: 'Namespaced',
        names: { plural, singular: name, kind, listKind: `${kind}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    },
  };
}
const customObject = (kind: string, spec: object): object => ({
  apiVersion: 'stalls.example.com/v1',
  kind,
  metadata: { generateName: 'a-' },
  spec,
});

const padded = custom('padded', {
  l: {
    type: 'array',
    items: { type: 'object', properties: members(100, (i) => [`p${i}`, { type: 'string', default: 'x'.repeat(1_000) }]) },
  },
});
const keyed = custom('keyed', {
  l: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } },
  },
});
const found = custom('found', {
  t: { type: 'string', maxLength: 1_100_000, 'x-kubernetes-validations': [{ rule: "self.findAll('a').size() >= 0" }] },
});

export const stallingRequests: readonly StallingRequest[] = [
  {
    name: 'JSON patch, 9,900 moves in 220,000 items',
    method: 'PATCH',
    path: `${configMaps}/a`,
    type: json,
    body: () => [
      { op: 'add', path: '/metadata/x', value: many(220_000, (i) => `v${i}`) },
      ...many(9_900, () => ({ op: 'move', from: '/metadata/x/0', path: '/metadata/x/219999' })),
      { op: 'remove', path: '/metadata/x' },
    ],
  },
  {
    name: 'JSON patch, 9,900 keys replaced of 80,000',
    method: 'PATCH',
    path: `${configMaps}/wide${dry}`,
    type: json,
    body: () => many(9_900, (i) => ({ op: 'replace', path: `/data/k${i}`, value: 'w' })),
  },
  {
    name: 'strategic patch, $deleteFromPrimitiveList of 100,000',
    method: 'PATCH',
    path: `${configMaps}/a${dry}`,
    type: strategic,
    body: () => ({
      metadata: { '$deleteFromPrimitiveList/finalizers': many(100_000, (i) => `f${i}`), finalizers: many(30_000, (i) => `a.b/f${i}`) },
    }),
  },
  {
    name: 'strategic patch, 30,000 $patch: delete',
    method: 'PATCH',
    path: `${configMaps}/a${dry}`,
    type: strategic,
    body: () => ({ metadata: { ownerReferences: many(30_000, (i) => ({ $patch: 'delete', uid: `u${i}` })) } }),
  },
  {
    name: 'merge patch, 100,000 nulls',
    method: 'PATCH',
    path: `${configMaps}/a${dry}`,
    type: merge,
    body: () => ({ metadata: { annotations: members(100_000, (i) => [`k${i}`, null]) } }),
  },
  {
    name: 'merge patch, 100,000 keys',
    method: 'PATCH',
    path: `${configMaps}/a${dry}`,
    type: merge,
    body: () => ({ data: members(100_000, (i) => [`k${i}`, 'w']) }),
  },
  {
    name: 'PUT, 5,000 managers that update',
    method: 'PUT',
    path: `${configMaps}/a${dry}`,
    body: () => ({ metadata: { name: 'a', managedFields: many(5_000, (i) => manager(i, 'Update')) }, data: { a: 'b' } }),
  },
  {
    name: 'PUT, 15,000 managers that apply',
    method: 'PUT',
    path: `${configMaps}/a${dry}`,
    body: () => ({ metadata: { name: 'a', managedFields: many(15_000, (i) => manager(i, 'Apply')) }, data: { a: 'b' } }),
  },
  {
    name: 'PUT, 15,000 managers of as many versions',
    method: 'PUT',
    path: `${configMaps}/a${dry}`,
    body: () => ({
      metadata: { name: 'a', managedFields: many(15_000, (i) => ({ ...manager(i, 'Update'), apiVersion: `v${i}` })) },
      data: { a: 'b' },
    }),
  },
  {
    name: 'apply, 18,000 keys in conflict',
    method: 'PATCH',
    path: `${configMaps}/b?fieldManager=other`,
    type: apply,
    body: () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: members(18_000, (i) => [`k${i}`, 'w']) }),
  },
  {
    name: 'apply, 100,000 new keys',
    method: 'PATCH',
    path: `${configMaps}/a${dry}&fieldManager=other`,
    type: apply,
    body: () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: members(100_000, (i) => [`k${i}`, 'w']) }),
  },
  {
    name: 'PUT, 80,000 keys changed',
    method: 'PUT',
    path: `${configMaps}/wide${dry}`,
    body: () => ({ metadata: { name: 'wide' }, data: members(80_000, (i) => [`k${i}`, 'w']) }),
  },
  {
    name: 'network policy, 5,000 x 5 exceptions',
    method: 'POST',
    path: `/apis/networking.k8s.io/v1/namespaces/default/networkpolicies${dry}`,
    body: () => ({
      metadata: { name: 'q' },
      spec: {
        podSelector: {},
        ingress: many(5_000, (i) => ({ from: [{ ipBlock: { cidr: '0.0.0.0/0', except: many(5, (k) => `${k}.${i % 250}.0.0/16`) } }] })),
      },
    }),
  },
  {
    name: 'pod, 20,000 containers of one name',
    method: 'POST',
    path: `${namespace}/pods${dry}`,
    body: () => ({ metadata: { name: 'q' }, spec: { containers: many(20_000, () => ({ name: 'c', image: 'i' })) } }),
  },
  {
    name: 'pod, 8,000 volumes',
    method: 'POST',
    path: `${namespace}/pods${dry}`,
    body: () => ({
      metadata: { name: 'q' },
      spec: {
        volumes: many(8_000, (i) => ({ name: `v${i}`, emptyDir: {} })),
        containers: [{ name: 'c', image: 'i', volumeMounts: many(8_000, (i) => ({ name: `v${i}`, mountPath: `/m${i}` })) }],
      },
    }),
  },
  {
    name: 'create, 40,000 wrong labels',
    method: 'POST',
    path: configMaps + dry,
    body: () => ({ metadata: { name: 'q', labels: members(40_000, (i) => [`//${i}`, '!']) } }),
  },
  {
    name: 'create, 100,000 keys of data',
    method: 'POST',
    path: configMaps + dry,
    body: () => ({ metadata: { name: 'q' }, data: members(100_000, (i) => [`k${i}`, 'w']) }),
  },
  {
    name: 'create, 25,000 owners',
    method: 'POST',
    path: configMaps + dry,
    body: () => ({
      metadata: { name: 'q', ownerReferences: many(25_000, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` })) },
    }),
  },
  {
    name: 'create, 150,000 finalizers',
    method: 'POST',
    path: configMaps + dry,
    body: () => ({ metadata: { name: 'q', finalizers: many(150_000, (i) => `a.b/f${i}`) } }),
  },
  {
    name: 'deployment, selector of 2,000 x 100',
    method: 'POST',
    path: `/apis/apps/v1/namespaces/default/deployments${dry}`,
    body: () => ({
      metadata: { name: 'd' },
      spec: {
        selector: { matchExpressions: many(2_000, () => ({ key: 'a', operator: 'In', values: many(100, (k) => `b${k}`) })) },
        template: { metadata: { labels: { a: 'b0' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    }),
  },
  {
    name: 'custom resource, list map of 60,000',
    method: 'POST',
    path: keyed.path + dry,
    before: () => [[definitions, keyed.definition]],
    body: () => customObject('Keyed', { l: many(60_000, (i) => ({ k: `k${i}`, v: i })) }),
  },
  {
    name: "custom resource, findAll('a') on 1 MB",
    method: 'POST',
    path: found.path + dry,
    before: () => [[definitions, found.definition]],
    body: () => customObject('Found', { t: 'a'.repeat(1_000_000) }),
  },
  ...[2_000, 20_000].map((items): StallingRequest => ({
    name: `custom resource, ${items.toLocaleString('en-US')} items with 100 KB of defaults each`,
    method: 'POST',
    path: padded.path + dry,
    before: () => [[definitions, padded.definition]],
    body: () => customObject('Padded', { l: many(items, () => ({})) }),
  })),
  {
    name: 'definition, 20,000 properties with defaults',
    method: 'POST',
    path: definitions + dry,
    body: () =>
      custom(
        'wide',
        members(20_000, (i) => [`p${i}`, { type: 'string', default: 'x' }]),
      ).definition,
  },
  {
    name: 'definition, enum of 100,000',
    method: 'POST',
    path: definitions + dry,
    body: () => custom('choice', { c: { type: 'string', enum: many(100_000, (i) => `v${i}`) } }).definition,
  },
];

/** Prerequisites of several requests. */
export const present: readonly (readonly [path: string, object: object])[] = [
  [`${namespace}/serviceaccounts`, { metadata: { name: 'default' } }],
  [configMaps, { metadata: { name: 'a' }, data: { a: 'b' } }],
  [configMaps, { metadata: { name: 'b' }, data: members(18_000, (i) => [`k${i}`, 'v']) }],
  [configMaps, { metadata: { name: 'wide' }, data: members(80_000, (i) => [`k${i}`, 'v']) }],
];
