import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { call, type Answer, type Call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default/deployments';
const pod = (name: string): JsonObject => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
const deployment = (name: string): JsonObject => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const configMap = (name: string, value: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { value },
});

interface Request {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly options?: Call;
  /** The status of the real request. */ readonly status: number;
}

/** One request of each writing kind; `before` creates what it needs. */
const requests: readonly Request[] = [
  { what: 'a create', method: 'POST', path: `${core}/configmaps`, options: { body: configMap('new', 'a') }, status: 201 },
  {
    what: 'a create of what is there',
    method: 'POST',
    path: `${core}/configmaps`,
    options: { body: configMap('there', 'a') },
    status: 409,
  },
  {
    what: 'a create that is not valid',
    method: 'POST',
    path: `${core}/configmaps`,
    options: { body: configMap('NOT valid', 'a') },
    status: 422,
  },
  { what: 'an update', method: 'PUT', path: `${core}/configmaps/there`, options: { body: configMap('there', 'b') }, status: 200 },
  {
    what: 'an update of what is absent',
    method: 'PUT',
    path: `${core}/configmaps/absent`,
    options: { body: configMap('absent', 'b') },
    status: 404,
  },
  {
    what: 'an update of an old version',
    method: 'PUT',
    path: `${core}/configmaps/there`,
    options: { body: { ...configMap('there', 'b'), metadata: { name: 'there', resourceVersion: '1' } } },
    status: 409,
  },
  {
    what: 'a merge patch',
    method: 'PATCH',
    path: `${core}/configmaps/there`,
    options: { body: { data: { merged: 'yes' } }, type: 'application/merge-patch+json' },
    status: 200,
  },
  {
    what: 'a JSON patch',
    method: 'PATCH',
    path: `${core}/configmaps/there`,
    options: { body: [{ op: 'add', path: '/data/added', value: 'yes' }], type: 'application/json-patch+json' },
    status: 200,
  },
  {
    what: 'a failing JSON patch',
    method: 'PATCH',
    path: `${core}/configmaps/there`,
    options: { body: [{ op: 'test', path: '/data/added', value: 'no' }], type: 'application/json-patch+json' },
    status: 422,
  },
  {
    what: 'a strategic merge',
    method: 'PATCH',
    path: `${apps}/d`,
    options: {
      body: { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } },
      type: 'application/strategic-merge-patch+json',
    },
    status: 200,
  },
  {
    what: 'an apply',
    method: 'PATCH',
    path: `${core}/configmaps/there?fieldManager=m&force=true`,
    options: { body: configMap('there', 'applied'), type: 'application/apply-patch+yaml' },
    status: 200,
  },
  {
    what: 'an apply that creates',
    method: 'PATCH',
    path: `${core}/configmaps/applied?fieldManager=m`,
    options: { body: configMap('applied', 'a'), type: 'application/apply-patch+yaml' },
    status: 201,
  },
  {
    what: 'an apply in conflict',
    method: 'PATCH',
    path: `${core}/configmaps/there?fieldManager=n`,
    options: { body: configMap('there', 'other'), type: 'application/apply-patch+yaml' },
    status: 409,
  },
  {
    what: 'an update of a scale',
    method: 'PUT',
    path: `${apps}/d/scale`,
    options: { body: { metadata: { name: 'd', namespace: 'default' }, spec: { replicas: 3 } } },
    status: 200,
  },
  {
    what: 'a patch of a status',
    method: 'PATCH',
    path: `${apps}/d/status`,
    options: { body: { status: { observedGeneration: 1 } }, type: 'application/merge-patch+json' },
    status: 200,
  },
  {
    what: 'a binding',
    method: 'POST',
    path: `${core}/pods/bound/binding`,
    options: { body: { metadata: { name: 'bound' }, target: { kind: 'Node', name: 'n' } } },
    status: 201,
  },
  {
    what: 'an eviction',
    method: 'POST',
    path: `${core}/pods/evicted/eviction`,
    options: { body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted' } } },
    status: 201,
  },
  { what: 'a deletion that waits for finalizers', method: 'DELETE', path: `${core}/configmaps/held`, status: 200 },
  { what: 'a deletion', method: 'DELETE', path: `${core}/configmaps/there`, status: 200 },
  { what: 'a deletion of what is absent', method: 'DELETE', path: `${core}/configmaps/there`, status: 404 },
  { what: 'a deletion of a collection', method: 'DELETE', path: `${core}/configmaps?labelSelector=many%3Dyes`, status: 200 },
];

/** Members that the server chooses anew in each request. */
const generated: ReadonlySet<string> = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'time']);

function withoutGenerated(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutGenerated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !generated.has(name))
      .map(([name, member]) => [name, withoutGenerated(member ?? null)]),
  );
}

describe('dry run', () => {
  let server: TestServer;
  const send = (method: string, path: string, options: Call = {}): Promise<Answer> => call(server.url, method, path, options);
  const state = async (): Promise<string> =>
    (await Promise.all([`${core}/configmaps`, `${core}/pods`, apps].map((path) => send('GET', path))))
      .map(({ body }) => JSON.stringify(body['items']))
      .join();

  before(async () => {
    server = await startTestServer();
    const made: readonly (readonly [string, JsonObject])[] = [
      [`${core}/configmaps`, configMap('there', 'a')],
      [`${core}/configmaps`, { ...configMap('held', 'a'), metadata: { name: 'held', finalizers: ['example.com/hold'] } }],
      ...['m1', 'm2'].map(
        (name) => [`${core}/configmaps`, { ...configMap(name, 'a'), metadata: { name, labels: { many: 'yes' } } }] as const,
      ),
      [apps, deployment('d')],
      [`${core}/pods`, pod('bound')],
      [`${core}/pods`, pod('evicted')],
    ];
    for (const [path, body] of made) expect((await send('POST', path, { body })).status).to.equal(201);
  });
  after(() => server.close());

  for (const { what, method, path, options, status } of requests) {
    it(`of ${what} answers as the real one does, and does nothing`, async () => {
      const before = await state();
      const dry = await send(method, `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, options);
      expect(await state()).to.equal(before);
      const real = await send(method, path, options);
      expect([dry.status, withoutGenerated(dry.body)]).to.deep.equal([real.status, withoutGenerated(real.body)]);
      expect(real.status, real.text).to.equal(status);
    });
  }

  it('can be asked for in one way only', async () => {
    for (const value of ['', 'Some', 'all', 'true'])
      expect((await send('POST', `${core}/configmaps?dryRun=${value}`, { body: configMap('x', 'a') })).status, value).to.equal(422);
    expect((await send('GET', `${core}/configmaps/x`)).status).to.equal(404);
  });
});

describe('patches of many clients at once', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('all take effect, because those that meet a changed object are tried again', async () => {
    const path = `${core}/configmaps/shared`;
    await call(server.url, 'POST', `${core}/configmaps`, { body: { metadata: { name: 'shared' }, data: { first: 'x' } } });
    const types: readonly (readonly [type: string, body: (name: string) => unknown])[] = [
      ['application/merge-patch+json', (name) => ({ data: { [name]: 'x' } })],
      ['application/strategic-merge-patch+json', (name) => ({ data: { [name]: 'x' } })],
      ['application/json-patch+json', (name) => [{ op: 'add', path: `/data/${name}`, value: 'x' }]],
      [
        'application/apply-patch+yaml',
        (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { [name]: 'x' } }),
      ],
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, each) => {
        const [type, body] = types[each % types.length] as (typeof types)[number];
        return call(server.url, 'PATCH', `${path}?fieldManager=m${each}`, { body: body(`k${each}`), type });
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).to.deep.equal([]);
    expect(Object.keys((await call(server.url, 'GET', path)).body['data'] as JsonObject)).to.have.members([
      'first',
      ...Array.from({ length: 40 }, (_, each) => `k${each}`),
    ]);
  });
});

describe('owners of fields across versions', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('are found again in the version of whoever asks', async () => {
    const at = (version: string, manager: string, spec: JsonObject, query = ''): Promise<Answer> =>
      call(
        server.url,
        'PATCH',
        `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h?fieldManager=${manager}${query}`,
        {
          type: 'application/apply-patch+yaml',
          body: { apiVersion: `autoscaling/${version}`, kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec },
        },
      );
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
    const first = await at('v1', 'one', { scaleTargetRef, minReplicas: 1, maxReplicas: 5 });
    expect(first.status, first.text).to.equal(201);
    const conflict = await at('v2', 'two', { scaleTargetRef, maxReplicas: 6 });
    expect([conflict.status, conflict.body['message']]).to.deep.equal([
      409,
      'Apply failed with 1 conflict: conflict with "one": .spec.maxReplicas',
    ]);
    const forced = await at('v2', 'two', { scaleTargetRef, maxReplicas: 6 }, '&force=true');
    const managers = (
      forced.body['metadata'] as { managedFields: { manager: string; apiVersion: string; fieldsV1: { 'f:spec': JsonObject } }[] }
    ).managedFields;
    expect(managers.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, 'f:maxReplicas' in fieldsV1['f:spec']])).to.deep.equal(
      [
        ['one', 'autoscaling/v1', false],
        ['two', 'autoscaling/v2', true],
      ],
    );
    // The first manager's removal applies, although it uses another version.
    const after = await at('v1', 'one', { scaleTargetRef });
    expect(after.status, after.text).to.equal(200);
    expect((after.body['spec'] as JsonObject)['maxReplicas']).to.equal(6);
  });
});
