import { expect } from 'chai';
import type { Attributes } from '../../../server/authorization/authorizer.js';
import { call, type Answer, type Call } from '../server/endpoints/client.js';
import { startTestServer, type TestServer } from '../server/endpoints/harness.js';
import { configMaps } from './statements.js';

const namespaces = '/api/v1/namespaces';
const nodes = '/api/v1/nodes';
type Metadata = Readonly<Record<string, unknown>>;
const metadataOf = ({ body }: Answer): Metadata => body['metadata'] as Metadata;

describe('statements of the HTTP document', () => {
  let server: TestServer;
  let asked: Attributes[];
  const ask = (method: string, at: string, more?: Call): Promise<Answer> => call(server.url, method, at, more);
  const create = (name: string, more: object = {}): Promise<Answer> => ask('POST', configMaps, { body: { metadata: { name }, ...more } });

  beforeEach(async () => {
    asked = [];
    server = await startTestServer(undefined, {
      authorize: (attributes) => {
        asked.push(attributes);
        return { decision: 'allow', reason: '' };
      },
    });
  });
  afterEach(() => server.close());

  it('a name is held by one object of a kind in a namespace, and by one of a kind without namespaces', async () => {
    await create('a');
    expect((await create('a')).status).to.equal(409);
    expect((await ask('POST', `${namespaces}/kube-system/configmaps`, { body: { metadata: { name: 'a' } } })).status).to.equal(201);
    expect((await ask('POST', `${namespaces}/default/secrets`, { body: { metadata: { name: 'a' } } })).status).to.equal(201);
    expect((await ask('POST', nodes, { body: { metadata: { name: 'n' } } })).status).to.equal(201);
    expect((await ask('POST', nodes, { body: { metadata: { name: 'n' } } })).status).to.equal(409);
  });

  it('a name is free again once its object is deleted', async () => {
    const before = metadataOf(await create('a'));
    await ask('DELETE', `${configMaps}/a`);
    const after = await create('a');
    expect(after.status).to.equal(201);
    expect(metadataOf(after)['uid']).to.not.equal(before['uid']);
  });

  it('the server gives name, uid, time of creation and version', async () => {
    const { body } = await ask('POST', configMaps, { body: { metadata: { generateName: 'made-' } } });
    const { name, uid, creationTimestamp, resourceVersion } = body['metadata'] as Metadata;
    expect(name).to.match(/^made-[a-z0-9]{5}$/);
    expect(uid).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(creationTimestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(resourceVersion).to.match(/^\d+$/);
  });

  it('kind and version of a list are those of its items, with List behind the kind', async () => {
    await create('a');
    expect((await ask('GET', configMaps)).body).to.include({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect((await ask('GET', '/apis/apps/v1/deployments')).body).to.include({ kind: 'DeploymentList', apiVersion: 'apps/v1' });
    expect((await ask('GET', nodes)).body).to.include({ kind: 'NodeList', apiVersion: 'v1' });
  });

  it('the count of what remains is shown in pages, and neither beside a selector nor in a complete list', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    expect(metadataOf(await ask('GET', `${configMaps}?limit=1`))).to.include({ remainingItemCount: 2 });
    expect(metadataOf(await ask('GET', `${configMaps}?limit=1&labelSelector=!x`))).to.not.have.property('remainingItemCount');
    expect(metadataOf(await ask('GET', `${configMaps}?limit=1&fieldSelector=metadata.name!=x`))).to.not.have.property('remainingItemCount');
    for (const query of ['', '?limit=10'])
      expect(metadataOf(await ask('GET', configMaps + query))).to.not.have.property('remainingItemCount');
  });

  it('a list is paged until its continue is empty, with one version', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const versions = new Set<unknown>();
    const names: string[] = [];
    let token = '';
    do {
      const page = await ask('GET', `${configMaps}?limit=2&continue=${encodeURIComponent(token)}`);
      versions.add(metadataOf(page)['resourceVersion']);
      names.push(...(page.body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name));
      token = (metadataOf(page)['continue'] as string | undefined) ?? '';
      if (names.length === 2) await create('later');
    } while (token !== '');
    expect([names, versions.size]).to.deep.equal([['a', 'b', 'c'], 1]);
  });

  it('paths of the core group begin with /api, those of others with /apis and the group', async () => {
    for (const at of [nodes, `${namespaces}/default`, configMaps, '/api/v1/configmaps', '/apis/apps/v1/deployments'])
      expect((await ask('GET', at)).status, at).to.equal(200);
    for (const at of ['/apis/v1/nodes', '/api/apps/v1/deployments']) expect((await ask('GET', at)).status, at).to.equal(404);
    expect((await ask('GET', '/apis/apps/v1/namespaces/default/deployments')).status).to.equal(200);
  });

  it('subresources are authorized by themselves', async () => {
    await ask('GET', `${namespaces}/default/pods/p/log`);
    await ask('GET', `${namespaces}/default/pods/p`);
    expect(asked.map((each) => each.isResource && [each.resource, each.subresource, each.namespace, each.verb])).to.deep.equal([
      ['pods', 'log', 'default', 'get'],
      ['pods', '', 'default', 'get'],
    ]);
  });

  it('a dry run is authorized like the real request', async () => {
    for (const query of ['', '?dryRun=All']) await ask('DELETE', `${configMaps}/a${query}`);
    expect(asked).to.have.length(2);
    expect(asked[0]).to.deep.equal(asked[1]);
  });

  it('a collection is deleted by DELETE on its path', async () => {
    for (const name of ['a', 'b']) await create(name);
    expect((await ask('DELETE', configMaps)).status).to.equal(200);
    expect((await ask('GET', configMaps)).body['items']).to.deep.equal([]);
    expect(asked.some((each) => each.verb === 'deletecollection')).to.equal(true);
  });

  it('an object with finalizers is marked, and removed with the last of them in any order', async () => {
    await ask('POST', configMaps, { body: { metadata: { name: 'a', finalizers: ['x.io/1', 'x.io/2'] } } });
    expect(metadataOf(await ask('GET', `${configMaps}/a`))).to.not.have.property('deletionTimestamp');
    expect(metadataOf(await ask('DELETE', `${configMaps}/a`))).to.have.property('deletionTimestamp');
    const patch = (finalizers: string[]): Promise<Answer> =>
      ask('PATCH', `${configMaps}/a`, { type: 'application/merge-patch+json', body: { metadata: { finalizers } } });
    expect(metadataOf(await patch(['x.io/1']))).to.have.property('deletionTimestamp');
    expect((await ask('GET', `${configMaps}/a`)).status).to.equal(200);
    await patch([]);
    expect((await ask('GET', `${configMaps}/a`)).status).to.equal(404);
  });

  it('finalizers are a shared list that may be put in another order', async () => {
    await ask('POST', configMaps, { body: { metadata: { name: 'a', finalizers: ['x.io/1', 'x.io/2'] } } });
    const body = { metadata: { finalizers: ['x.io/2', 'x.io/1'] } };
    const { status } = await ask('PATCH', `${configMaps}/a`, { type: 'application/merge-patch+json', body });
    expect(status).to.equal(200);
    expect(metadataOf(await ask('GET', `${configMaps}/a`))['finalizers']).to.deep.equal(['x.io/2', 'x.io/1']);
  });

  it('a PUT with a version that is not the present one is a conflict', async () => {
    const { body } = await create('a');
    const change = (data: object): Promise<Answer> => ask('PUT', `${configMaps}/a`, { body: { ...body, data } });
    expect((await change({ k: '1' })).status).to.equal(200);
    expect((await change({ k: '2' })).status).to.equal(409);
  });

  it('a patch that names a version is made under that condition', async () => {
    const first = metadataOf(await create('a'))['resourceVersion'];
    const patch = (resourceVersion: unknown, k: string): Promise<Answer> =>
      ask('PATCH', `${configMaps}/a`, { type: 'application/merge-patch+json', body: { metadata: { resourceVersion }, data: { k } } });
    expect((await patch(first, '1')).status).to.equal(200);
    expect((await patch(first, '2')).status).to.equal(409);
    const body = [
      { op: 'test', path: '/data/k', value: 'other' },
      { op: 'replace', path: '/data/k', value: '3' },
    ];
    expect((await ask('PATCH', `${configMaps}/a`, { type: 'application/json-patch+json', body })).status).to.equal(422);
    expect((await ask('GET', `${configMaps}/a`)).body['data']).to.deep.equal({ k: '1' });
  });

  it('an apply creates what is not there and patches what is', async () => {
    const apply = (k: string): Promise<Answer> =>
      ask('PATCH', `${configMaps}/a?fieldManager=m`, {
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k } },
      });
    expect((await apply('1')).status).to.equal(201);
    expect((await apply('2')).status).to.equal(200);
    expect((await ask('GET', `${configMaps}/a`)).body['data']).to.deep.equal({ k: '2' });
  });

  it('what no type in Accept allows is 406, and the type of the answer is the chosen one', async () => {
    await create('a');
    const accept = (types: string): Promise<Answer> => ask('GET', `${configMaps}/a`, { headers: { accept: types } });
    expect((await accept('text/csv')).status).to.equal(406);
    for (const [types, chosen] of [
      ['application/json', 'application/json'],
      ['text/csv, application/yaml', 'application/yaml'],
      ['application/vnd.kubernetes.protobuf, application/json', 'application/vnd.kubernetes.protobuf'],
      ['*/*', 'application/json'],
    ] as const)
      expect((await accept(types)).headers['content-type'], types).to.equal(chosen);
  });

  it('a table has the columns of its type, a name and a kind of value each', async () => {
    await create('a');
    const { body } = await ask('GET', configMaps, { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } });
    expect(body).to.include({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    for (const column of body['columnDefinitions'] as object[]) expect(column).to.include.keys('name', 'type');
  });

  it('values of a wrong type are refused whatever fieldValidation says', async () => {
    for (const mode of ['Ignore', 'Warn', 'Strict'])
      expect((await ask('POST', `${configMaps}?fieldValidation=${mode}`, { body: { metadata: { name: 'a' }, data: 5 } })).status).to.equal(
        400,
      );
    expect((await ask('POST', configMaps, { body: { metadata: {} } })).status).to.equal(422);
  });

  it('unknown and duplicate fields are dropped, warned of or refused, and warned of by default', async () => {
    const body = '{"metadata":{"name":"a"},"odd":1,"data":{"k":"1","k":"2"}}';
    const answers = new Map<string, Answer>();
    for (const mode of ['', 'Ignore', 'Warn', 'Strict'])
      answers.set(mode, await ask('POST', `${configMaps}?dryRun=All&fieldValidation=${mode}`, { raw: body }));
    expect(answers.get('Ignore')?.headers['warning']).to.equal(undefined);
    for (const mode of ['', 'Warn']) {
      expect(answers.get(mode)?.status).to.equal(201);
      expect(String(answers.get(mode)?.headers['warning']))
        .to.contain('unknown field')
        .and.contain('duplicate field');
    }
    expect(answers.get('Strict')?.status).to.equal(400);
    expect(String(answers.get('Strict')?.body['message']))
      .to.contain('"odd"')
      .and.contain('"data.k"');
  });

  it('webhooks must say that they have no side effects, or none in a dry run', async () => {
    const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const configured = (sideEffects: string): Promise<Answer> => {
      const webhook = {
        name: 'w.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        admissionReviewVersions: ['v1'],
        sideEffects,
      };
      return ask('POST', hooks, { body: { metadata: { name: sideEffects.toLowerCase() }, webhooks: [webhook] } });
    };
    expect((await configured('Some')).status).to.equal(422);
    for (const sideEffects of ['None', 'NoneOnDryRun']) expect((await configured(sideEffects)).status).to.equal(201);
  });
});
