import type { Step } from '../../golden/recordings.js';
import type { Area } from '../area.js';
import type { Random } from '../random.js';
import { pathOf, servedResources } from '../samples.js';

/** Accepted and sent media types at all paths with all methods. */
export const negotiation: Area = {
  name: 'negotiation',
  about: 'accepted and sent media types, methods and unknown paths, of objects, lists, tables, metadata and discovery',
  generate: (random) => ({
    steps: [{ do: 'POST /api/v1/namespaces/${ns}/configmaps', body: configMap }, ...random.upTo(6, () => asked(random))],
  }),
};

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
const collection = '/api/v1/namespaces/${ns}/configmaps';

const forms = [
  'application/json',
  'application/yaml',
  '*/*',
  'application/*',
  'text/html',
  'text/plain',
  'application/xml',
  '',
  'json',
  'application/json;q=0.5',
];
const as = [
  '',
  ';as=Table;v=v1;g=meta.k8s.io',
  ';as=Table;v=v1beta1;g=meta.k8s.io',
  ';as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  ';as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  ';as=Table',
  ';as=x;v=v1;g=meta.k8s.io',
  ';stream=watch',
  ';charset=utf-8',
  ';pretty=1',
  ';v=v1',
];
const accepts = (random: Random): string =>
  random.upTo(3, () => `${random.pick(forms)}${random.chance(0.4) ? random.pick(as) : ''}`).join(random.pick([',', ', ']));

const types = [
  'application/json',
  'application/yaml',
  'application/json; charset=utf-8',
  'text/plain',
  '',
  'application/xml',
  'json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/x-www-form-urlencoded',
];

/** Shared collections give only their first object. */
const paths = (random: Random): string =>
  random.pick([
    collection,
    `${collection}/a`,
    `${collection}/absent`,
    `${collection}/a/status`,
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/absent',
    '/apis/apps/v9',
    '/version',
    '/absent',
    '/healthz',
    '/api/v1/namespaces/${ns}/absent',
    '/api/v1/namespaces/${ns}',
    `${pathOf(random.pick(servedResources().filter(({ namespaced, verbs }) => namespaced && verbs.has('list'))))}`,
  ]);

/** Methods by frequency. */
const methods = ['GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'X'] as const;
const ignore = [
  '/metadata/resourceVersion',
  '/gitCommit',
  '/buildDate',
  '/goVersion',
  '/gitVersion',
  '/platform',
  '/gitTreeState',
  '/compiler',
  '/serverAddressByClientCIDRs',
];

function asked(random: Random): Step {
  const method = random.pick(methods);
  const path = paths(random);
  const accept = accepts(random);
  const query = random.pick([
    '',
    '',
    '',
    '?pretty=true',
    '?pretty=1',
    '?watch=x',
    '?limit=x',
    '?unknown=1',
    '?dryRun=All',
    '?timeoutSeconds=x',
  ]);
  const step = { do: `${method} ${path}${query}`, accept, ignore };
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return step;
  const target = path.startsWith(collection) ? path : collection;
  const body = random.pick([
    JSON.stringify(configMap),
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    '',
    '[]',
    'null',
    '{',
    '"x"',
    '{"kind":"Pod"}',
    '{"apiVersion":"v2","kind":"ConfigMap"}',
  ]);
  return { ...step, do: `${method} ${target}${query}`, type: random.pick(types), raw: body };
}
