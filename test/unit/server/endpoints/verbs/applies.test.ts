import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { conflictsNamedMax } from '../../../../../server/registry/applied.js';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const maps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const members: Readonly<Record<string, JsonObject[string]>> = {
  labels: { a: '1' },
  annotations: { a: '1' },
  finalizers: ['example.com/f'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }],
};

describe('server-side apply over HTTP', () => {
  let server: TestServer;
  let number = 0;
  const next = (): string => `o${number++}`;
  const apply = (path: string, body: unknown, manager = 'one', query = ''): Promise<Answer> =>
    call(server.url, 'PATCH', `${path}?fieldManager=${manager}${query}`, { type: 'application/apply-patch+yaml', body });
  const patch = (path: string, body: unknown, query = ''): Promise<Answer> =>
    call(server.url, 'PATCH', `${path}${query}`, { type: 'application/merge-patch+json', body });
  const get = async (path: string): Promise<JsonObject> => (await call(server.url, 'GET', path)).body;
  const map = (name: string, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data: { k: 'v' },
  });
  const ownersOf = (object: JsonObject): readonly JsonObject[] =>
    (object['metadata'] as { managedFields?: JsonObject[] }).managedFields ?? [];

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  for (const [member, value] of Object.entries(members)) {
    for (const others of [false, true]) {
      it(`takes away the last of its ${member}${others ? ', beside what others own' : ''}`, async () => {
        const name = next();
        expect((await apply(`${maps}/${name}`, map(name, { [member]: value }))).status).to.equal(201);
        if (others)
          expect((await patch(`${maps}/${name}`, { metadata: { annotations: { other: 'x' }, labels: { other: 'x' } } })).status).to.equal(
            200,
          );
        const { uid, creationTimestamp } = (await get(`${maps}/${name}`))['metadata'] as JsonObject;
        const answer = await apply(`${maps}/${name}`, map(name));
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body['metadata']).to.deep.include({ name, namespace: 'default', uid, creationTimestamp });
        expect((answer.body['metadata'] as JsonObject)[member]).to.deep.equal(
          others && member !== 'finalizers' && member !== 'ownerReferences' ? { other: 'x' } : undefined,
        );
      });
    }
  }

  it('names a bounded number of conflicts, and counts them all', async () => {
    const name = next();
    const count = conflictsNamedMax + 500;
    const wide = (value: string): JsonObject => ({
      ...map(name),
      data: Object.fromEntries(Array.from({ length: count }, (_item, index) => [`k${index}`, value])),
    });
    await apply(`${maps}/${name}`, wide('a'));
    const refused = await apply(`${maps}/${name}`, wide('b'), 'two');
    expect(refused.status).to.equal(409);
    const message = String(refused.body['message']);
    expect(message).to.match(new RegExp(`^Apply failed with ${count} conflicts: conflicts with "one":`));
    expect(message).to.match(/\n\.\.\. and 500 more$/);
    expect((refused.body['details'] as { causes: unknown[] }).causes).to.have.length(conflictsNamedMax);
  });

  it('is refused where version and kind are no texts, whatever they are', async () => {
    const bodies = [
      '{"apiVersion":{"toString":"x"},"kind":"ConfigMap","metadata":{"name":"odd"}}',
      '{"apiVersion":12345678901234567890,"kind":"ConfigMap","metadata":{"name":"odd"}}',
      '{"apiVersion":["v1"],"kind":"ConfigMap"}',
      '{"n":12345678901234567890}',
      '{"apiVersion":"v1","kind":{"toString":1}}',
    ];
    for (const body of bodies) {
      const answer = await call(server.url, 'PATCH', '/api/v1/namespaces/default/configmaps/odd?fieldManager=m', {
        type: 'application/apply-patch+yaml',
        body,
      });
      expect([body, answer.status]).to.deep.equal([body, 400]);
    }
  });

  it('has no owner reference twice; a patch that has is told so after admission', async () => {
    const name = next();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' };
    const twice = { ownerReferences: [owner, owner] };
    const refused = await apply(`${maps}/${name}`, map(name, twice));
    expect([refused.status, refused.body['message']]).to.deep.equal([
      500,
      `failed to create typed patch object (/${name}; /v1, Kind=ConfigMap): .metadata.ownerReferences: duplicate entries for key [uid="u"]`,
    ]);
    await apply(`${maps}/${name}`, map(name));
    const patched = await patch(`${maps}/${name}`, { metadata: twice });
    expect((patched.body['metadata'] as JsonObject)['ownerReferences']).to.deep.equal([owner]);
    expect(patched.headers['warning']).to.match(/contains duplicate entries after mutating admission happens; .* observed: u"$/);
  });

  it('leaves creation as it is, which a resource version that is none does not keep', async () => {
    for (const [resourceVersion, status] of [
      ['abc', 201],
      ['0', 201],
      ['7', 500],
    ] as const)
      expect((await call(server.url, 'POST', maps, { body: map(next(), { resourceVersion }) })).status, resourceVersion).to.equal(status);
  });

  it('lets an object go that it held by the last finalizer', async () => {
    const name = next();
    await apply(`${maps}/${name}`, map(name, { finalizers: ['example.com/f'] }));
    expect((await call(server.url, 'DELETE', `${maps}/${name}`)).body['metadata']).to.have.property('deletionTimestamp');
    expect((await apply(`${maps}/${name}`, map(name))).status).to.equal(200);
    expect((await call(server.url, 'GET', `${maps}/${name}`)).status).to.equal(404);
  });

  it('owns a grace period until a write omits it, which keeps it all the same (fieldmanager.go, rest/update.go)', async () => {
    const name = next();
    await apply(`${maps}/${name}`, map(name, { deletionGracePeriodSeconds: 0 }));
    const { body } = await call(server.url, 'PUT', `${maps}/${name}?fieldManager=two`, { body: { metadata: { name }, data: { k: 'v' } } });
    expect(body['metadata']).to.include({ deletionGracePeriodSeconds: 0 });
    expect(ownersOf(body).map(({ manager, fieldsV1 }) => [manager, fieldsV1])).to.deep.equal([['one', { 'f:data': { 'f:k': {} } }]]);
  });

  it('forgets owners in the core group where it changes an event as one of its own group, and the other way round (genericapiserver.go)', async () => {
    const name = next();
    const [core, own] = ['/api/v1', '/apis/events.k8s.io/v1'].map((version) => `${version}/namespaces/default/events`);
    const event = { metadata: { name }, eventTime: '2024-01-01T00:00:00.000000Z', reportingController: 'a.b/c', reportingInstance: 'i' };
    const regarding = { kind: 'Pod', name: 'p', namespace: 'default' };
    await call(server.url, 'POST', `${own}?fieldManager=one`, { body: { ...event, action: 'A', reason: 'R', type: 'Normal', regarding } });
    const label = (a: string): JsonObject => ({ metadata: { labels: { a } } });
    const versions = (object: JsonObject): unknown => ownersOf(object).map(({ manager, apiVersion }) => [manager, apiVersion]);
    expect(versions(await get(`${core}/${name}`))).to.deep.equal([['one', 'events.k8s.io/v1']]);
    expect(versions((await patch(`${core}/${name}`, label('1'), '?fieldManager=two')).body)).to.deep.equal([['two', 'v1']]);
    expect(versions((await patch(`${own}/${name}`, label('2'), '?fieldManager=one')).body)).to.deep.equal([['one', 'events.k8s.io/v1']]);
  });

  it('does not create what the client believes to be there', async () => {
    const name = next();
    const { status, body } = await apply(`${maps}/${name}`, map(name, { uid: 'nope' }));
    expect([status, body['message']]).to.deep.equal([
      409,
      `Operation cannot be fulfilled on configmaps "${name}": uid mismatch: the provided object specified uid nope, and no existing object was found`,
    ]);
    expect((await call(server.url, 'GET', `${maps}/${name}`)).status).to.equal(404);
  });

  it('takes no owners from the configuration, not even none', async () => {
    const name = next();
    for (const managedFields of [[], [{}]]) expect((await apply(`${maps}/${name}`, map(name, { managedFields }))).status).to.equal(400);
  });

  it('is the only patch that takes force', async () => {
    const name = next();
    await apply(`${maps}/${name}`, map(name));
    for (const force of ['true', 'false', '']) {
      const { status, body } = await patch(`${maps}/${name}`, {}, `?force=${force}`);
      expect([status, body['message']]).to.deep.equal([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      ]);
    }
    const { status, body } = await call(server.url, 'PATCH', `${maps}/${name}?force=true`, {
      type: 'application/apply-patch+yaml',
      body: map(name),
    });
    expect([status, body['message']]).to.deep.equal([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ]);
  });

  it('is forgotten when an update says that nobody owns anything', async () => {
    for (const managedFields of [[], [{}]]) {
      const name = next();
      await apply(`${maps}/${name}`, map(name));
      const answer = await patch(`${maps}/${name}`, { metadata: { managedFields } });
      expect([answer.status, ownersOf(answer.body)]).to.deep.equal([200, []]);
    }
  });

  describe('to a scale', () => {
    const scale = (name: string, replicas: number): JsonObject => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name },
      spec: { replicas },
    });
    const deployment = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        ...spec,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const shortOwners = async (name: string): Promise<unknown[]> =>
      ownersOf(await get(`${deployments}/${name}`))
        .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:replicas'))
        .map(({ manager, operation, subresource, time }) => [manager, operation, subresource ?? '', time === undefined]);

    it('conflicts with whoever owns the replicas, and takes them over by force', async () => {
      const name = next();
      await apply(`${deployments}/${name}`, deployment(name, { replicas: 2 }));
      const refused = await apply(`${deployments}/${name}/scale`, scale(name, 3), 'scaler');
      expect([refused.status, refused.body['message']]).to.deep.equal([
        409,
        'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
      ]);
      const forced = await apply(`${deployments}/${name}/scale`, scale(name, 3), 'scaler', '&force=true');
      expect([forced.status, forced.body['kind'], forced.body['spec']]).to.deep.equal([200, 'Scale', { replicas: 3 }]);
      expect(await shortOwners(name)).to.deep.equal([['scaler', 'Apply', 'scale', true]]);
      expect(await get(`${deployments}/${name}`)).to.have.nested.property('spec.replicas', 3);
    });

    it('of a number that they agree on is shared', async () => {
      const name = next();
      await apply(`${deployments}/${name}`, deployment(name, { replicas: 2 }));
      expect((await apply(`${deployments}/${name}/scale`, scale(name, 2), 'scaler')).status).to.equal(200);
      expect(await shortOwners(name)).to.deep.equal([
        ['scaler', 'Apply', 'scale', true],
        ['one', 'Apply', '', false],
      ]);
    });

    it('names the manager of the scale when others change it, and nobody where nobody owned the replicas', async () => {
      const [owned, unowned] = [next(), next()];
      await apply(`${deployments}/${owned}`, deployment(owned, { replicas: 2 }));
      await apply(`${deployments}/${unowned}`, deployment(unowned, {}));
      for (const name of [owned, unowned])
        expect((await patch(`${deployments}/${name}/scale`, { spec: { replicas: 4 } }, '?fieldManager=patcher')).status).to.equal(200);
      expect(await shortOwners(owned)).to.deep.equal([['patcher', 'Update', 'scale', true]]);
      expect(await shortOwners(unowned)).to.deep.equal([]);
    });

    it('finds what is applied in one version in another', async () => {
      const at = (version: string): string => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h`;
      const scaler = (version: string, spec?: JsonObject): JsonObject => ({
        apiVersion: `autoscaling/${version}`,
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        ...(spec === undefined ? {} : { spec }),
      });
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
      const spec = { maxReplicas: 4, scaleTargetRef };
      expect((await apply(at('v1'), scaler('v1', { ...spec, minReplicas: 2 }))).status).to.equal(201);
      const answer = await apply(at('v2'), scaler('v2', { ...spec, minReplicas: 3 }), 'one', '&force=true');
      expect([answer.status, (answer.body['spec'] as JsonObject)['minReplicas']]).to.deep.equal([200, 3]);
      expect((await apply(at('v2'), scaler('v2', spec))).body['spec'])
        .to.deep.include({ maxReplicas: 4 })
        .and.not.have.property('targetCPUUtilizationPercentage');
    });

    it('keeps what conversions never leave out when it is applied no longer, in another version', async () => {
      const at = (version: string): string => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/kept`;
      const scaler = (version: string): JsonObject => ({
        apiVersion: `autoscaling/${version}`,
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'kept' },
      });
      const spec = { maxReplicas: 4, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } };
      expect((await apply(at('v1'), { ...scaler('v1'), spec })).status).to.equal(201);
      const { status, body } = await apply(at('v2'), scaler('v2'));
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body['spec']).to.deep.include({ maxReplicas: 4 }).and.to.have.nested.property('scaleTargetRef.name', 'a');
    });

    it('tells of unknown fields before an identity that cannot be', async () => {
      const metadata = { name: 'absent', uid: 'x' };
      const sent = async (more: JsonObject): Promise<unknown> =>
        (
          await apply('/api/v1/namespaces/default/configmaps/absent', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { ...metadata, ...more },
          })
        ).body['message'];
      expect(await sent({})).to.contain('uid mismatch: the provided object specified uid x, and no existing object was found');
      expect(await sent({ clusterName: 'x' })).to.contain('.metadata.clusterName: field not declared in schema');
    });

    it('of an object that is not there creates nothing', async () => {
      expect((await apply(`${deployments}/absent/scale`, scale('absent', 1))).status).to.equal(404);
    });
  });
});
