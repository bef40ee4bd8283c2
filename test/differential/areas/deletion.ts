import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area } from '../area.js';
import type { Random } from '../random.js';

/** Objects with and without finalizers, and deletions with all options. */
export const deletion: Area = {
  name: 'deletion',
  about: 'deletion of objects and collections: options in body and query, finalizers, grace, preconditions, dry runs',
  generate(random) {
    const kind = random.pick(kinds);
    const name = `a${kind.suffix}`;
    const at = `${kind.path}/${name}`;
    const created: Step = {
      do: `POST ${kind.path}`,
      body: {
        ...kind.object,
        metadata: { name, labels: { a: '${r}' }, ...(random.chance(0.5) ? { finalizers: random.pick(finalizers) } : {}) },
      },
      save: { version: '/metadata/resourceVersion', uid: '/metadata/uid' },
    };
    const after = (): Step =>
      random.pick<Step>([
        deleted(at, random),
        deleted(at, random),
        deleted(`${kind.path}?labelSelector=a=\${r}`, random),
        { do: `GET ${at}` },
        {
          do: `PATCH ${at}`,
          type: 'application/merge-patch+json',
          body: { metadata: { finalizers: random.pick<JsonValue>([null, ...finalizers]) } },
        },
        { do: `PUT ${at}`, body: { ...kind.object, metadata: { name } } },
        { do: `POST ${kind.path}`, body: { ...kind.object, metadata: { name } } },
      ]);
    return { steps: [created, deleted(at, random), ...random.upTo(4, after)] };
  },
};

const container = { name: 'c', image: 'i' };
const kinds: readonly { readonly path: string; readonly suffix: string; readonly object: JsonObject }[] = [
  { path: '/api/v1/namespaces/${ns}/configmaps', suffix: '', object: { apiVersion: 'v1', kind: 'ConfigMap' } },
  { path: '/api/v1/namespaces/${ns}/services', suffix: '', object: { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 80 }] } } },
  { path: '/api/v1/namespaces/${ns}/pods', suffix: '', object: { apiVersion: 'v1', kind: 'Pod', spec: { containers: [container] } } },
  {
    path: '/api/v1/namespaces/${ns}/pods',
    suffix: '',
    object: { apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'absent', terminationGracePeriodSeconds: 5, containers: [container] } },
  },
  {
    path: '/apis/batch/v1/namespaces/${ns}/jobs',
    suffix: '',
    object: { apiVersion: 'batch/v1', kind: 'Job', spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
  },
  {
    path: '/api/v1/namespaces/${ns}/persistentvolumeclaims',
    suffix: '',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  },
  {
    path: '/api/v1/namespaces/${ns}/events',
    suffix: '',
    object: { apiVersion: 'v1', kind: 'Event', involvedObject: { namespace: '${ns}' } },
  },
  {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    suffix: '-${r}',
    object: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'p' },
  },
  {
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    suffix: '-${r}',
    object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 1 },
  },
];

const finalizers: readonly JsonValue[] = [
  [],
  ['example.com/a'],
  ['example.com/a', 'example.com/b'],
  ['foregroundDeletion'],
  ['orphan'],
  ['orphan', 'foregroundDeletion'],
];

const uid = '11111111-2222-3333-4444-555555555555';

/** Options with valid and invalid values. */
const options: Readonly<Record<string, readonly JsonValue[]>> = {
  gracePeriodSeconds: [0, 1, 30, -1, null, 'x', 1.5],
  propagationPolicy: ['Orphan', 'Foreground', 'Background', 'x', '', null],
  orphanDependents: [true, false, null],
  dryRun: [['All'], ['All', 'All'], ['x'], []],
  preconditions: [
    { uid },
    { uid: '${uid}' },
    { resourceVersion: '${version}' },
    { resourceVersion: '1' },
    { uid: '${uid}', resourceVersion: '1' },
    {},
  ],
  ignoreStoreReadErrorWithClusterBreakingPotential: [true, false],
  unknown: ['x'],
};

const inQuery: readonly string[] = [
  'gracePeriodSeconds=0',
  'gracePeriodSeconds=x',
  'gracePeriodSeconds=-1',
  'gracePeriodSeconds=10',
  'propagationPolicy=Orphan',
  'propagationPolicy=Foreground',
  'propagationPolicy=Background',
  'propagationPolicy=x',
  'orphanDependents=true',
  'orphanDependents=x',
  'dryRun=All',
  'dryRun=x',
  `uid=${uid}`,
  'resourceVersion=1',
  'fieldManager=x',
];

function deleted(path: string, random: Random): Step {
  // Old versions depend on the time of compaction.
  const known = inQuery.filter((option) => !path.includes('?') || !option.startsWith('resourceVersion'));
  const query = random.times(random.below(3), () => random.pick(known)).join('&');
  const target = `DELETE ${path}${query === '' ? '' : `${path.includes('?') ? '&' : '?'}${query}`}`;
  if (random.chance(0.5)) return { do: target };
  const names = Object.keys(options);
  const chosen = random
    .times(random.below(3), () => random.pick(names))
    .map((name) => [name, random.pick(options[name] ?? [null])] as const);
  const form = random.pick<JsonObject>([
    {},
    { kind: 'DeleteOptions', apiVersion: 'v1' },
    { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
    { kind: 'Pod', apiVersion: 'v1' },
  ]);
  return { do: target, body: { ...form, ...Object.fromEntries(chosen) } };
}
