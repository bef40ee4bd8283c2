import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import type { Random } from '../random.js';
import { pathOf, servedResources } from '../samples.js';

/** List options: selectors, chunks and versions. */
export const lists: Area = {
  name: 'lists',
  about: 'label and field selectors, chunks, resource versions and their match',
  generate: (random) => random.pick([listed, listed, chunked, unknownFields])(random),
};

export const names = ['a', 'b', 'c'] as const;

interface Kind {
  readonly path: string;
  object(name: string, labels: JsonObject, random: Random): JsonObject;
  /** Selectable fields with existing values. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

export const kinds: readonly Kind[] = [
  { path: '/api/v1/namespaces/${ns}/configmaps', object: (name, labels) => ({ metadata: { name, labels } }), fields: {} },
  {
    path: '/api/v1/namespaces/${ns}/secrets',
    object: (name, labels, random) => ({ metadata: { name, labels }, type: random.pick(['Opaque', 'example.com/x']) }),
    fields: { type: ['Opaque', 'example.com/x'] },
  },
  {
    path: '/api/v1/namespaces/${ns}/pods',
    object: (name, labels, random) => ({
      metadata: { name, labels },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        restartPolicy: random.pick(['Always', 'Never']),
        hostNetwork: random.chance(0.3),
        schedulerName: random.pick(['none', 'other']),
        ...(random.chance(0.5) ? { nodeName: 'n-${r}' } : {}),
      },
    }),
    fields: {
      'spec.nodeName': ['n-${r}', ''],
      'spec.restartPolicy': ['Always', 'Never'],
      'spec.schedulerName': ['none', 'other'],
      'spec.serviceAccountName': ['default', 'x'],
      'spec.hostNetwork': ['true', 'false', 'x'],
      'status.phase': ['Pending', 'Running'],
      'status.podIP': [''],
      'status.podIPs': [''],
      'status.nominatedNodeName': [''],
    },
  },
  {
    path: '/api/v1/namespaces/${ns}/services',
    object: (name, labels, random) => ({
      metadata: { name, labels },
      spec: random.chance(0.5) ? { type: 'ExternalName', externalName: 'x.example.com' } : { clusterIP: 'None' },
    }),
    fields: { 'spec.type': ['ClusterIP', 'ExternalName'], 'spec.clusterIP': ['None', ''] },
  },
  {
    path: '/apis/batch/v1/namespaces/${ns}/jobs',
    object: (name, labels) => ({
      metadata: { name, labels },
      spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    }),
    fields: { 'status.successful': ['0', '1', 'x'] },
  },
  {
    path: '/api/v1/namespaces/${ns}/replicationcontrollers',
    object: (name, labels) => ({ metadata: { name, labels }, spec: { replicas: 0, selector: { a: 'b' } } }),
    fields: { 'status.replicas': ['0', '1'] },
  },
];

export const keys = ['app', 'tier', 'example.com/x', 'absent'] as const;
export const values = ['a', 'b', '', '1', '10'] as const;
export const labelsOf = (random: Random): JsonObject =>
  Object.fromEntries(keys.slice(0, 3).flatMap((key) => (random.chance(0.6) ? [[key, random.pick(values)]] : [])));

export const created = ({ path, object }: Kind, random: Random): Step[] =>
  names
    .slice(0, 1 + random.below(3))
    .map((name) => ({ do: `POST ${path}`, body: object(name, labelsOf(random), random), save: { version: '/metadata/resourceVersion' } }));

export const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll('%24%7Br%7D', '${r}').replaceAll('%24%7Bns%7D', '${ns}');

export const requirement = (random: Random): string => {
  const key = random.pick(keys);
  const value = (): string => random.pick(values);
  return random.pick([
    `${key}=${value()}`,
    `${key}==${value()}`,
    `${key}!=${value()}`,
    key,
    `!${key}`,
    `${key} in (${random.upTo(3, value).join(random.pick([',', ', ', ' , ']))})`,
    `${key} notin (${random.upTo(3, value).join(',')})`,
    `${key}>${random.pick(['1', '5', 'a', ''])}`,
    `${key}<${random.pick(['5', '-1', ''])}`,
    ` ${key} = ${value()} `,
  ]);
};
const oddRequirement = (random: Random): string =>
  random.pick([
    'a b',
    '=a',
    '!',
    ',',
    'a,',
    ',a',
    'a in',
    'a in ()',
    'a in (,)',
    'a in (b',
    'a in b',
    'a notin ()',
    '(a)',
    'a=b=c',
    'a===b',
    '!a=b',
    'a!b',
    '-a',
    'a/b/c=d',
    '/a',
    'a/',
    `a=${'v'.repeat(64)}`,
    `${'k'.repeat(64)}=v`,
    'a=-b',
    'a=b c',
    'a>>1',
    'in',
    'in in (in)',
    'notin=in',
    'ä=b',
    'a="b"',
    'a\\=b',
    'A.B/c=d',
    'a in (b,b)',
    'a>1,a>2',
    'x=y, ,z',
  ]);
const labelSelector = (random: Random): string =>
  random.upTo(3, () => (random.chance(0.2) ? oddRequirement(random) : requirement(random))).join(random.pick([',', ', ']));

export const fieldSelector = ({ fields }: Pick<Kind, 'fields'>, random: Random): string => {
  const known: Readonly<Record<string, readonly string[]>> = {
    ...fields,
    'metadata.name': ['a', 'b', 'x'],
    'metadata.namespace': ['${ns}', 'x'],
  };
  const one = (): string => {
    if (random.chance(0.15))
      return random.pick([
        'metadata.uid=x',
        'spec.x=y',
        'a',
        '=',
        'metadata.name',
        'metadata.name=a=b',
        'metadata.name\\=a',
        'metadata.name=a\\,b',
        'metadata.name=a\\',
        'metadata.name in (a)',
        '!metadata.name',
        ',',
        'metadata.labels.app=a',
        'status=x',
        'name=a',
      ]);
    const field = random.pick(Object.keys(known));
    return `${field}${random.pick(['=', '==', '!='])}${random.pick(known[field] ?? [''])}`;
  };
  return random.upTo(2, one).join(',');
};

// The first version depends on the time of compaction.
const versions = ['', '0', '${version}', 'x', '-1', '1.5', '00', '18446744073709551616'] as const;

function option(kind: Kind, random: Random): string {
  return random.pick([
    () => `labelSelector=${encoded(labelSelector(random))}`,
    () => `labelSelector=${encoded(labelSelector(random))}`,
    () => `fieldSelector=${encoded(fieldSelector(kind, random))}`,
    () => `limit=${random.pick(['0', '1', '2', '500', '-1', 'x', ''])}`,
    () => `resourceVersion=${random.pick(versions)}`,
    () => `resourceVersion=${random.pick(versions)}&resourceVersionMatch=${random.pick(['Exact', 'NotOlderThan', 'x', ''])}`,
    () => `resourceVersionMatch=${random.pick(['Exact', 'NotOlderThan'])}`,
    () => `continue=${random.pick(['x', ''])}`,
    () => `timeoutSeconds=${random.pick(['1', '0', '-1', 'x'])}`,
    () => `sendInitialEvents=${random.pick(['true', 'false', 'x'])}`,
    () => `allowWatchBookmarks=${random.pick(['true', 'false', 'x'])}`,
    () => `watch=${random.pick(['false', '0'])}`,
    () => 'pretty=false',
  ])();
}

/** Lists of past versions or all namespaces would include other cases. */
const ownOnly = ['/metadata/resourceVersion', '/items/*/metadata/managedFields'] as const;

function listed(random: Random): Sequence {
  const kind = random.pick(kinds);
  const ask = (): Step => {
    const options = random.upTo(3, () => option(kind, random)).join('&');
    const table = random.chance(0.15) ? { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } : {};
    const method = random.chance(0.15) ? 'DELETE' : 'GET';
    const name = method === 'GET' && random.chance(0.15) ? `/${random.pick(names)}` : '';
    return { do: `${method} ${kind.path}${name}?${method === 'DELETE' ? 'dryRun=All&' : ''}${options}`, ignore: ownOnly, ...table };
  };
  return { steps: [...created(kind, random), ...random.upTo(5, ask)] };
}

/** Chunks of a list with changes in between, and tokens with other options. */
function chunked(random: Random): Sequence {
  const kind = random.pick(kinds);
  const selector = random.chance(0.4) ? `&labelSelector=${encoded(requirement(random))}` : '';
  const first: Step = { do: `GET ${kind.path}?limit=1${selector}`, save: { next: '/metadata/continue' }, ignore: ownOnly };
  const change = random.pick<Step>([
    { do: `DELETE ${kind.path}/b` },
    { do: `PATCH ${kind.path}/c`, type: 'application/merge-patch+json', body: { metadata: { labels: labelsOf(random) } } },
    { do: `POST ${kind.path}`, body: kind.object('d', labelsOf(random), random) },
  ]);
  const more = (): Step => ({
    do: `GET ${kind.path}?${random.pick(['limit=1&', 'limit=2&', '', 'limit=0&'])}continue=\${next}${random.pick([selector, '', '&resourceVersion=0', '&resourceVersion=${version}', '&resourceVersionMatch=Exact', '&labelSelector=x'])}`,
    save: { next: '/metadata/continue' },
    ignore: ownOnly,
  });
  return { steps: [...created(kind, random), first, ...(random.chance(0.5) ? [change] : []), ...random.upTo(3, more)] };
}

/** Selectable fields of each kind. */
function unknownFields(random: Random): Sequence {
  const resource = random.pick(servedResources().filter(({ verbs }) => verbs.has('list')));
  const ask = (): Step => ({
    do: `${random.pick(['GET', 'GET', 'DELETE'])} ${pathOf(resource)}?dryRun=All&labelSelector=none=${'${r}'}&fieldSelector=${encoded(fieldSelector({ fields: someFields }, random))}`,
    ignore: ['/metadata/resourceVersion'],
  });
  return { steps: random.upTo(4, ask) };
}

const someFields = {
  type: ['x'],
  'spec.nodeName': ['x'],
  'spec.unschedulable': ['true'],
  'status.phase': ['x'],
  'status.replicas': ['1'],
  'status.successful': ['1'],
  'spec.signerName': ['x'],
  'spec.driver': ['x'],
  'involvedObject.name': ['x'],
  'regarding.name': ['x'],
  reason: ['x'],
  source: ['x'],
  reportingController: ['x'],
  'spec.podName': ['x'],
  'spec.group': ['x'],
};
