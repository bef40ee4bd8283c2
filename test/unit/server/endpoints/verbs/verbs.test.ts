import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { call, type Answer, type Call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data: { k: 'v' },
});
const names = ({ body }: Answer): string[] => (body['items'] as { metadata: { name: string } }[]).map((item) => item.metadata.name);

describe('endpoints/verbs', () => {
  let server: TestServer;
  const send = (method: string, path: string, more?: Call): Promise<Answer> => call(server.url, method, path, more);

  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  it('creates, reads, changes and deletes an object', async () => {
    const created = await send('POST', configMaps, { body: configMap('a') });
    expect(created.status).to.equal(201);
    expect(created.body).to.include({ kind: 'ConfigMap', apiVersion: 'v1' });
    const read = await send('GET', `${configMaps}/a`);
    expect(read.body).to.deep.equal(created.body);
    expect(read.headers['content-length']).to.equal(String(Buffer.byteLength(read.text)));
    const updated = await send('PUT', `${configMaps}/a`, { body: { metadata: { name: 'a' }, data: { k: 'w' } } });
    expect(updated.body['data']).to.deep.equal({ k: 'w' });
    const deleted = await send('DELETE', `${configMaps}/a`);
    expect(deleted.body).to.include({ kind: 'Status', status: 'Success' });
    expect((await send('GET', `${configMaps}/a`)).status).to.equal(404);
  });

  it('lists stored bytes without kind and apiVersion, in pages of one version', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await send('POST', configMaps, { body: configMap(name) });
    const first = await send('GET', `${configMaps}?limit=2`);
    expect(names(first)).to.deep.equal(['a', 'b']);
    const meta = first.body['metadata'] as { continue: string; remainingItemCount: number; resourceVersion: string };
    expect(meta.remainingItemCount).to.equal(3);
    await send('DELETE', `${configMaps}/c`);
    const second = await send('GET', `${configMaps}?limit=2&continue=${meta.continue}`);
    expect(names(second)).to.deep.equal(['c', 'd']);
    expect(second.body['metadata']).to.have.property('resourceVersion', meta.resourceVersion);
    expect((second.body['items'] as object[])[0]).not.to.have.any.keys('kind', 'apiVersion');
  });

  it('lets a client whose page has expired go on with the latest state', async () => {
    for (const name of ['a', 'b', 'c']) await send('POST', configMaps, { body: configMap(name) });
    const first = await send('GET', `${configMaps}?limit=1`);
    const token = (first.body['metadata'] as { continue: string }).continue;
    await send('POST', configMaps, { body: configMap('b2') });
    server.storage.compact(server.storage.version);
    const expired = await send('GET', `${configMaps}?limit=1&continue=${token}`);
    expect(expired.status).to.equal(410);
    const refused = await send('DELETE', `${configMaps}?limit=1&continue=${token}`);
    expect([refused.status, refused.body['message']]).to.deep.equal([410, expired.body['message']]);
    expect(refused.body['metadata']).to.deep.equal(expired.body['metadata']);
    const inconsistent = (expired.body['metadata'] as { continue: string }).continue;
    expect(names(await send('GET', `${configMaps}?continue=${inconsistent}`))).to.deep.equal(['b', 'b2', 'c']);
  });

  it('writes a large list in pieces that add up', async () => {
    for (let i = 0; i < 40; i++) await send('POST', configMaps, { body: { metadata: { name: `a${i}` }, data: { k: 'x'.repeat(10_000) } } });
    const list = await send('GET', configMaps);
    expect(list.body['items']).to.have.length(40);
    expect(list.headers['content-length']).to.equal(String(Buffer.byteLength(list.text)));
  });

  it('answers with tables and bare metadata', async () => {
    await send('POST', configMaps, { body: configMap('a', { labels: { l: '1' } }) });
    const table = await send('GET', configMaps, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' } });
    expect(table.body).to.include({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect((table.body['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).to.deep.equal(['Name', 'Data', 'Age']);
    const [{ cells }] = table.body['rows'] as [{ cells: unknown[] }];
    expect(cells.slice(0, 2)).to.deep.equal(['a', 1]);
    expect(cells[2]).to.match(/^\d+s$/);
    const partial = await send('GET', `${configMaps}/a`, {
      headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
    });
    expect(partial.body).to.include({ kind: 'PartialObjectMetadata' }).and.not.have.property('data');
    expect((await send('GET', configMaps, { headers: { accept: 'text/html' } })).status).to.equal(406);
    expect((await send('GET', configMaps, { headers: { accept: 'application/json;as=Nope;v=v1;g=meta.k8s.io' } })).status).to.equal(406);
  });

  it('shows no annotation that holds content in metadata alone, in any form', async () => {
    const annotations = { 'deprecated.deployment.rollback.to': '2', x: 'y' };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    for (const [plural, kind, kept] of [
      ['deployments', 'Deployment', { x: 'y' }],
      ['daemonsets', 'DaemonSet', annotations],
    ] as const) {
      const path = `/apis/apps/v1/namespaces/default/${plural}`;
      const sent = {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: 'a', annotations },
        spec: { selector: { matchLabels: { a: 'b' } }, template },
      };
      const { body: made } = await send('POST', path, { body: sent });
      expect(Object.keys((made['metadata'] as JsonObject)['annotations'] as JsonObject)).to.include.members(Object.keys(annotations));
      const shown = async (accept: string, under = path): Promise<unknown> => (await send('GET', under, { headers: { accept } })).body;
      const [one, many] = ['PartialObjectMetadata', 'PartialObjectMetadataList'].map(
        (form) => `application/json;as=${form};v=v1;g=meta.k8s.io`,
      );
      expect(await shown(one ?? '', `${path}/a`))
        .to.have.nested.property('metadata.annotations')
        .that.deep.equals(kept);
      expect(await shown(many ?? ''))
        .to.have.nested.property('items[0].metadata.annotations')
        .that.deep.equals(kept);
      expect(await shown('application/json;as=Table;v=v1;g=meta.k8s.io'))
        .to.have.nested.property('rows[0].object.metadata.annotations')
        .that.deep.equals(kept);
    }
  });

  it('patches in three ways and refuses others', async () => {
    await send('POST', configMaps, { body: configMap('a') });
    const merged = await send('PATCH', `${configMaps}/a`, { type: 'application/merge-patch+json', body: { data: { k: null, l: '1' } } });
    expect(merged.body['data']).to.deep.equal({ l: '1' });
    const patched = await send('PATCH', `${configMaps}/a`, {
      type: 'application/json-patch+json',
      body: [{ op: 'add', path: '/data/m', value: '2' }],
    });
    expect(patched.body['data']).to.deep.equal({ l: '1', m: '2' });
    const strategic = await send('PATCH', `${configMaps}/a`, {
      type: 'application/strategic-merge-patch+json',
      body: { data: { l: null } },
    });
    expect(strategic.body['data']).to.deep.equal({ m: '2' });
    expect((await send('PATCH', `${configMaps}/a`, { type: 'application/json', body: {} })).status).to.equal(415);
    expect(
      (
        await send('PATCH', `${configMaps}/a`, {
          type: 'application/json-patch+json',
          body: [{ op: 'test', path: '/data/m', value: 'x' }],
        })
      ).status,
    ).to.equal(422);
    expect((await send('PATCH', `${configMaps}/a`, { type: 'application/merge-patch+json', body: { kind: 'Secret' } })).status).to.equal(
      422,
    );
  });

  it('never lets a patch reach a prototype', async () => {
    await send('POST', configMaps, { body: configMap('a') });
    const patched = await send('PATCH', `${configMaps}/a`, {
      type: 'application/merge-patch+json',
      raw: '{"data":{"__proto__":"p"},"__proto__":{"polluted":"yes"}}',
    });
    expect(patched.status).to.be.oneOf([200, 422]);
    expect(({} as { polluted?: string }).polluted).to.equal(undefined);
  });

  it('deletes what a selector picks', async () => {
    for (const name of ['a', 'b']) await send('POST', configMaps, { body: configMap(name, { labels: { pick: name } }) });
    const deleted = await send('DELETE', `${configMaps}?labelSelector=pick%3Da`);
    expect(names(deleted)).to.deep.equal(['a']);
    expect(names(await send('GET', `${configMaps}?labelSelector=pick`))).to.deep.equal(['b']);
  });

  it('answers an update that ends an object with what was sent, not with what storage would show (store.go)', async () => {
    const [roles, jobs] = ['/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', '/apis/batch/v1/namespaces/default/jobs'];
    const role = { metadata: { name: 'a' }, rules: [] };
    expect((await send('POST', roles, { body: role })).body['rules']).to.equal(null);
    expect((await send('PUT', `${roles}/a`, { body: role })).body['rules']).to.equal(null);
    await send('DELETE', `${roles}/a?propagationPolicy=Foreground`);
    expect((await send('PUT', `${roles}/a`, { body: role })).body['rules']).to.deep.equal([]);
    expect((await send('GET', `${roles}/a`)).status).to.equal(404);
    const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
    const labelsOf = ({ body }: Answer): unknown => (body['metadata'] as JsonObject)['labels'];
    expect(labelsOf(await send('POST', jobs, { body: { metadata: { name: 'a' }, spec: { template } } }))).to.include({ 'job-name': 'a' });
    await send('DELETE', `${jobs}/a?propagationPolicy=Orphan`);
    expect(labelsOf(await send('PUT', `${jobs}/a/status`, { body: { metadata: { name: 'a' } } }))).to.equal(undefined);
  });

  it('serves the same events through both groups', async () => {
    await send('POST', '/api/v1/namespaces/default/events', {
      body: { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' }, message: 'm', reason: 'R' },
    });
    const newer = await send('GET', '/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name%3Dp');
    expect((newer.body['items'] as object[])[0])
      .to.include({ note: 'm', reason: 'R' })
      .and.not.have.any.keys('message', 'involvedObject');
    expect((await send('GET', '/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dp')).status).to.equal(
      400,
    );
  });

  const refusals: [what: string, method: string, path: string, status: number, more?: Call][] = [
    ['a malformed body', 'POST', configMaps, 400, { raw: '{' }],
    ['an empty body', 'POST', configMaps, 400, { raw: '' }],
    ['a body that is no object', 'POST', configMaps, 400, { raw: '[]' }],
    ['a body of another kind', 'POST', configMaps, 400, { body: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } } }],
    ['a body without a name', 'POST', configMaps, 422, { raw: 'null' }],
    ['metadata of a wrong type', 'POST', configMaps, 400, { raw: '{"metadata":{"labels":{"a":1}}}' }],
    ['a media type that nobody knows', 'POST', configMaps, 415, { raw: 'x', type: 'text/plain' }],
    ['an unknown resource', 'GET', '/api/v1/nopes', 404],
    ['an unknown group', 'GET', '/apis/nope.example.com/v1/things', 404],
    ['an unknown subresource', 'GET', `${configMaps}/a/nope`, 404],
    ['a method that the path does not serve', 'PUT', configMaps, 405],
    ['HEAD', 'HEAD', `${configMaps}/a`, 405],
    ['a limit that is no number', 'GET', `${configMaps}?limit=abc`, 400],
    ['a version that is no number', 'GET', `${configMaps}?resourceVersion=abc`, 400],
    ['a match without a version', 'GET', `${configMaps}?resourceVersionMatch=Exact`, 422],
    ['a version from the future', 'GET', `${configMaps}?resourceVersion=99999999`, 504],
    [
      'a token that was tampered with',
      'GET',
      `${configMaps}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi94XHUwMDAwIn0`,
      400,
    ],
    ['a selector that does not parse', 'GET', `${configMaps}?labelSelector=a%3D%3D%3D`, 400],
    ['a field that the kind does not select on', 'GET', `${configMaps}?fieldSelector=data.k%3Dv`, 400],
    ['another dry run than All', 'POST', `${configMaps}?dryRun=Some`, 422, { body: configMap('a') }],
    [
      'a subresource that is not built yet, of an object that is not there',
      'GET',
      '/apis/apps/v1/namespaces/default/deployments/absent/scale',
      404,
    ],
    [
      'a name that no path can carry',
      'PUT',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/Bad%25',
      400,
      { body: { metadata: { name: 'Bad%' } } },
    ],
  ];
  for (const [what, method, path, status, more] of refusals) {
    it(`refuses ${what} with ${status}`, async () => {
      const answer = await send(method, path, more);
      expect(answer.status, answer.text).to.equal(status);
      if (method !== 'HEAD' && !path.includes('example.com'))
        expect(answer.body).to.include({ kind: 'Status', status: 'Failure', code: status });
    });
  }

  it('answers reviews', async () => {
    const self = await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {} });
    expect(self.body).to.have.nested.property('status.userInfo.username', 'admin');
    const allowed = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      body: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    });
    expect(allowed.body['status']).to.include({ allowed: true });
    const other = await send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      body: { spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods' } } },
    });
    expect(other.body['status']).to.include({ allowed: false });
  });

  it('says in reviews which selectors it cannot use', async () => {
    const review = async (selectors: JsonObject): Promise<unknown> =>
      (
        (
          await send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
            body: { spec: { user: 'alice', resourceAttributes: { verb: 'list', resource: 'pods', ...selectors } } },
          })
        ).body['status'] as JsonObject
      )['evaluationError'];
    const unused = (member: string): string => `spec.resourceAttributes.${member} ignored due to parse error`;
    const requirement = { key: 'a', operator: 'In', values: ['b', 'c'] };
    expect(await review({ fieldSelector: { rawSelector: 'x' } })).to.equal(unused('fieldSelector'));
    expect(await review({ labelSelector: { rawSelector: 'a in (b' } })).to.equal(unused('labelSelector'));
    expect(await review({ fieldSelector: { requirements: [requirement] } })).to.equal(unused('fieldSelector'));
    expect(await review({ labelSelector: { requirements: [requirement] }, fieldSelector: { rawSelector: 'a=b' } })).to.equal(undefined);
    const single = { ...requirement, values: ['b'] };
    expect(await review({ fieldSelector: { requirements: [single, requirement] }, labelSelector: { rawSelector: '(' } })).to.equal(
      `spec.resourceAttributes.fieldSelector partially ignored due to parse error; ${unused('labelSelector')}`,
    );
  });

  it('warns of deprecated resources on every answer', async () => {
    const listed = await send('GET', '/api/v1/namespaces/default/endpoints');
    expect(listed.headers['warning']).to.equal('299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"');
  });
});
