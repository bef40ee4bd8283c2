import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { call, type Answer } from '../endpoints/client.js';
import { startTestServer, type TestServer } from '../endpoints/harness.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('discovery', () => {
  let server: TestServer;
  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => call(server.url, 'GET', path, { headers });

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('describes roots, groups and versions', async () => {
    expect((await get('/api')).body).to.deep.include({ kind: 'APIVersions', versions: ['v1'] });
    expect((await get('/apis')).body['groups']).to.have.length(20);
    expect((await get('/apis/autoscaling')).body).to.have.nested.property('preferredVersion.version', 'v2');
    const { resources } = (await get('/apis/apps/v1')).body as { resources: JsonObject[] };
    expect(resources.find(({ name }) => name === 'deployments/scale')).to.deep.include({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      singularName: '',
    });
    expect((await get('/version')).body).to.include({ major: '1', minor: '36' });
    expect((await get('/')).body['paths']).to.include.members(['/api', '/apis', '/apis/apps/v1', '/version']);
  });

  it('serves the aggregated form to whoever asks for it first, and only once to whoever has it', async () => {
    const answer = await get('/apis', { accept: `${aggregated},application/json` });
    expect(answer.body).to.include({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    expect(answer.headers['content-type']).to.equal(aggregated);
    expect((await get('/apis', { accept: aggregated, 'if-none-match': answer.headers.etag ?? '' })).status).to.equal(304);
    expect((await get('/apis', { accept: `application/json,${aggregated}` })).body['kind']).to.equal('APIGroupList');
    expect((await get('/api', { accept: aggregated.replace('v=v2', 'v=v9') })).status).to.equal(406);
  });

  it('lets clients keep the aggregated form by its hash', async () => {
    const { headers } = await get('/apis', { accept: aggregated });
    const hash = (headers.etag ?? '').replaceAll('"', '');
    expect((await get(`/apis?hash=${hash}`, { accept: aggregated })).headers).to.include({
      'cache-control': 'public, immutable',
      vary: 'Accept',
    });
    expect((await get('/apis?hash=old', { accept: aggregated })).headers.location).to.equal(`/apis?hash=${hash}`);
  });

  it('names the stored form of a type by a hash that all versions of it share', async () => {
    const hashOf = async (path: string, resource: string): Promise<unknown> =>
      ((await get(path)).body as { resources: JsonObject[] }).resources.find(({ name }) => name === resource)?.['storageVersionHash'];
    expect(await hashOf('/apis/autoscaling/v1', 'horizontalpodautoscalers'))
      .to.match(/^[\w+/]{11}=$/)
      .and.equal(await hashOf('/apis/autoscaling/v2', 'horizontalpodautoscalers'));
    expect(await hashOf('/api/v1', 'pods')).to.equal('xPOwRZ+Yhw8=');
    expect(await hashOf('/api/v1', 'pods/status')).to.equal(undefined);
  });

  it('speaks every encoding that it says it accepts', async () => {
    for (const path of ['/api', '/apis', '/apis/apps', '/api/v1', '/apis/apps/v1']) {
      expect((await get(path, { accept: 'application/yaml' })).text, path).to.match(/^kind: API|\nkind: API/);
      const { headers, text } = await get(path, { accept: 'application/vnd.kubernetes.protobuf' });
      expect(headers['content-type'], path).to.equal('application/vnd.kubernetes.protobuf');
      expect(text.slice(0, 4), path).to.equal('k8s\0');
    }
  });

  it('has its version as JSON alone, and no other form of a document than the one that is there', async () => {
    for (const accept of [
      '',
      '*/*',
      'application/json',
      'application/json;q=0.1;v=1',
      'text/html, application/json',
      'image/png,*/*;q=0.1',
    ]) {
      expect([(await get('/version', { accept })).status, accept]).to.deep.equal([200, accept]);
    }
    for (const accept of ['image/png', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/*']) {
      const { status, text } = await get('/version', { accept });
      expect([status, text.includes('Available representations: application/json'), accept]).to.deep.equal([406, true, accept]);
    }
    for (const path of ['/api/v1', '/apis/apps/v1', '/apis/apps']) {
      for (const as of [
        'as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
        'as=Table;v=v1;g=meta.k8s.io',
        'as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      ]) {
        expect([(await get(path, { accept: `application/json;${as}` })).status, path, as]).to.deep.equal([406, path, as]);
        expect([(await get(path, { accept: `application/json;${as},application/json` })).status, path, as]).to.deep.equal([200, path, as]);
      }
      expect((await get(path, { accept: 'image/png' })).status, path).to.equal(406);
    }
  });

  it('knows which paths are none of its own', async () => {
    expect((await get('/apis/nope.example.com')).text).to.equal('404 page not found\n');
    expect((await get('/apis/apps/v9')).body).to.include({ kind: 'Status', code: 404 });
    expect((await call(server.url, 'POST', '/version', { body: {} })).status).to.equal(405);
  });
});
