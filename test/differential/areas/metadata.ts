import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area } from '../area.js';
import { texts } from '../faults.js';
import type { Random } from '../random.js';

/** Metadata of small objects: client-set and server-set members. */
export const metadata: Area = {
  name: 'metadata',
  about: 'names, generated names, owner references, finalizers, versions and the rest of metadata in creates, updates and patches',
  generate(random) {
    const kind = random.pick(kinds);
    const at = `${kind.path}/a${kind.suffix}`;
    const body = (metadata: JsonObject): JsonObject => ({ ...kind.object, metadata });
    const named = { name: `a${kind.suffix}` };
    const created: Step = {
      do: `POST ${kind.path}`,
      body: body(random.chance(0.5) ? named : { ...named, ...oddMetadata(random, kind.suffix) }),
      save: { version: '/metadata/resourceVersion', uid: '/metadata/uid' },
    };
    const written = (): Step => {
      const odd = oddMetadata(random, kind.suffix);
      const dry = random.chance(0.2) ? '?dryRun=All' : '';
      return random.pick<Step>([
        { do: `POST ${kind.path}${dry}`, body: body({ ...(random.chance(0.5) ? { name: `b${kind.suffix}` } : {}), ...odd }) },
        { do: `PUT ${at}${dry}`, body: body({ ...named, ...odd }) },
        { do: `PUT ${at}${dry}`, body: body({ ...named, resourceVersion: '${version}', ...odd }) },
        { do: `PATCH ${at}${dry}`, type: 'application/merge-patch+json', body: { metadata: odd } },
        { do: `PATCH ${at}${dry}`, type: 'application/strategic-merge-patch+json', body: { metadata: odd } },
        { do: `PATCH ${at}?fieldManager=applier`, type: 'application/apply-patch+yaml', body: body({ ...named, ...odd }) },
        { do: `GET ${at}` },
      ]);
    };
    return { steps: [created, ...random.upTo(5, written)] };
  },
};

const kinds: readonly { readonly path: string; readonly suffix: string; readonly object: JsonObject }[] = [
  { path: '/api/v1/namespaces/${ns}/configmaps', suffix: '', object: { apiVersion: 'v1', kind: 'ConfigMap' } },
  { path: '/api/v1/namespaces/${ns}/serviceaccounts', suffix: '', object: { apiVersion: 'v1', kind: 'ServiceAccount' } },
  {
    path: '/apis/coordination.k8s.io/v1/namespaces/${ns}/leases',
    suffix: '',
    object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    suffix: '-${r}',
    object: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
  },
  {
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    suffix: '-${r}',
    object: { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', handler: 'h' },
  },
];

const uid = '11111111-2222-3333-4444-555555555555';
const time = '2020-01-01T00:00:00Z';

const pairs = (random: Random): JsonObject =>
  Object.fromEntries(random.times(random.below(3), () => [random.pick(texts), random.pick<JsonValue>([...texts, null, 1])]));

const owner = (random: Random): JsonObject => ({
  apiVersion: random.pick(['v1', 'apps/v1', '', 'a/b/c']),
  kind: random.pick(['ConfigMap', 'Deployment', 'Event', '']),
  name: random.pick(['a', '', 'x']),
  uid: random.pick([uid, '${uid}', '', 'x']),
  ...(random.chance(0.5) ? { controller: random.chance(0.7) } : {}),
  ...(random.chance(0.3) ? { blockOwnerDeletion: random.chance(0.5) } : {}),
});

/** Members with valid and invalid values. */
const members: Readonly<Record<string, (random: Random, suffix: string) => JsonValue>> = {
  name: (random, suffix) => random.pick([`b${suffix}`, ...texts]),
  generateName: (random, suffix) => random.pick([`g${suffix}-`, 'x'.repeat(250), ...texts]),
  namespace: (random) => random.pick(['${ns}', 'default', '', 'x']),
  labels: pairs,
  annotations: pairs,
  finalizers: (random) =>
    random.pick<JsonValue>([
      [],
      null,
      ['a'],
      ['example.com/a'],
      ['example.com/a', 'example.com/a'],
      ['foregroundDeletion', 'orphan'],
      ['kubernetes'],
      [''],
    ]),
  ownerReferences: (random) => random.times(random.below(3), () => owner(random)),
  resourceVersion: (random) => random.pick<JsonValue>(['0', '', '1', 'x', '${version}', 1, '99999999999']),
  uid: (random) => random.pick(['${uid}', uid, '', 'x']),
  generation: (random) => random.pick<JsonValue>([0, 1, 7, -1, null, 'x']),
  creationTimestamp: (random) => random.pick<JsonValue>([time, null, 'x']),
  deletionTimestamp: (random) => random.pick<JsonValue>([time, null]),
  deletionGracePeriodSeconds: (random) => random.pick<JsonValue>([0, 30, -1, null]),
  selfLink: (random) => random.pick(['/x', '']),
  managedFields: (random) =>
    random.pick<JsonValue>([
      [],
      [{}],
      null,
      [
        {
          manager: 'm',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
        },
      ],
      [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'x', fieldsV1: {} }],
      [{ manager: 'm', operation: 'Delete', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
    ]),
  clusterName: () => 'x',
};

function oddMetadata(random: Random, suffix: string): JsonObject {
  const names = Object.keys(members);
  return Object.fromEntries(
    random.upTo(3, () => {
      const name = random.pick(names);
      return [name, members[name]?.(random, suffix) ?? null];
    }),
  );
}
