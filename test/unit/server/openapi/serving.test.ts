import { expect } from 'chai';
import { request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { call } from '../endpoints/client.js';
import type { RemoteDocument } from '../../../../server/openapi/remote/contract.js';
import { take } from '../../../../server/openapi/remote/tasks.js';
import { startTestServer, type TestServer } from '../endpoints/harness.js';

const v2Protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const v3Protobuf = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';

describe('serving OpenAPI documents', function () {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  const get = (path: string, headers: Record<string, string> = {}): ReturnType<typeof call> => call(server.url, 'GET', path, { headers });
  const addressOf = async (path: string): Promise<string> =>
    ((await get('/openapi/v3')).body as { paths: Record<string, { serverRelativeURL: string }> }).paths[path]?.serverRelativeURL ?? '';

  it('lists the documents of version 3 with addresses that carry a hash', async () => {
    const { body, headers } = await get('/openapi/v3');
    const { paths } = body as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).to.include.members(['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'version']);
    expect(paths['apis/apps/v1']?.serverRelativeURL).to.match(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    expect((await get('/openapi/v3', { 'if-none-match': headers.etag ?? '' })).status).to.equal(304);
  });

  it('lets clients keep a document that they asked for by its hash', async () => {
    const address = await addressOf('apis/apps/v1');
    const { status, headers, body } = await get(address);
    expect(status).to.equal(200);
    expect(body).to.include({ openapi: '3.0.0' });
    expect(headers['cache-control']).to.equal('public, immutable');
    expect(Date.parse(headers.expires ?? '')).to.be.greaterThan(Date.parse(headers.date ?? '') + 364 * 86_400_000);
    expect(headers.vary).to.match(/Accept/);
    expect(headers.etag).to.equal(`"${address.split('=')[1]}"`);
    expect((await get(address, { 'if-none-match': headers.etag ?? '' })).status).to.equal(304);
  });

  it('sends clients with an outdated hash to the present address', async () => {
    const { status, headers } = await get('/openapi/v3/api/v1?hash=0123');
    expect([status, headers.location]).to.deep.equal([301, await addressOf('api/v1')]);
  });

  it('does not let documents without a hash be kept', async () => {
    expect((await get('/openapi/v3/api/v1')).headers['cache-control']).to.equal('no-cache, private');
  });

  it('speaks JSON and Protobuf, under the old names of the media types as well', async () => {
    const cases: [string, string, number, string][] = [
      ['/openapi/v2', '', 200, 'application/json'],
      ['/openapi/v2', '*/*', 200, 'application/json'],
      ['/openapi/v2', v2Protobuf, 200, 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'],
      [
        '/openapi/v2',
        `application/json;q=0.5, ${v2Protobuf.replace('@', '.')}`,
        200,
        'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      ],
      ['/openapi/v3/apis/batch/v1', v3Protobuf, 200, 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'],
      ['/openapi/v3/apis/batch/v1', `${v2Protobuf}, application/json`, 200, 'application/json'],
      ['/openapi/v3/apis/batch/v1', 'text/html', 406, 'text/plain; charset=utf-8'],
    ];
    for (const [path, accept, status, type] of cases) {
      const answer = await get(path, accept === '' ? {} : { accept });
      expect([answer.status, answer.headers['content-type']], `${path} ${accept}`).to.deep.equal([status, type]);
    }
  });

  it('compresses for those who take it', async () => {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      request(`${server.url}/openapi/v2`, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
        expect(response.headers['content-encoding']).to.equal('gzip');
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            resolve(Buffer.concat(chunks));
          });
      })
        .on('error', reject)
        .end();
    });
    expect(gunzipSync(bytes).toString()).to.equal((await get('/openapi/v2', { 'accept-encoding': 'gzip;q=0' })).text);
  });

  it('knows which documents there are', async () => {
    for (const path of ['/openapi', '/openapi/v4', '/openapi/v2/x', '/openapi/v3/apis/nope/v1'])
      expect([path, (await get(path)).status]).to.deep.equal([path, 404]);
  });
});

describe("serving other programs' OpenAPI documents", function () {
  const path = 'apis/g.example.com/v1';
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  const json = {
    swagger: '2.0',
    paths: {
      [`/${path}/things`]: { get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Thing' } } } } },
      '/apis/apps/v2/pods': { get: {} },
    },
    definitions: { Thing: { properties: { metadata: { $ref: `#/definitions/${meta}` } } }, [meta]: { description: 'another one' } },
  };
  const shown: RemoteDocument = {
    path,
    hash: 'AB',
    v2: take({ of: { group: 'g.example.com', version: 'v1' }, version: 2, bytes: Buffer.from(JSON.stringify(json)) }).gzip,
    document: () => Promise.resolve({ hash: 'AB', gzip: gzipSync('{"openapi":"3.0.0"}') }),
  };
  const failing: RemoteDocument = { path: 'apis/f.example.com/v1', hash: 'F', v2: null, document: () => Promise.reject(new Error('no')) };
  const hidden: RemoteDocument = { ...failing, path: 'apis/h.example.com/v1', hash: null };
  let remote: readonly RemoteDocument[] = [];
  let server: TestServer;
  before(async () => {
    server = await startTestServer(undefined, { remote: () => remote });
  });
  after(() => server.close());
  beforeEach(() => {
    remote = [shown, failing, hidden];
  });
  const get = (address: string, headers: Record<string, string> = {}): ReturnType<typeof call> =>
    call(server.url, 'GET', address, { headers });
  const addresses = async (): Promise<Record<string, { serverRelativeURL: string }>> =>
    ((await get('/openapi/v3')).body as { paths: Record<string, { serverRelativeURL: string }> }).paths;

  it('lists those that can be shown, by the hashes that they have now', async () => {
    const listed = await addresses();
    expect([listed[path], listed[hidden.path]]).to.deep.equal([{ serverRelativeURL: `/openapi/v3/${path}?hash=AB` }, undefined]);
    expect(listed['apis/apps/v1']).to.not.equal(undefined);
    remote = [{ ...shown, hash: 'CD' }];
    expect((await addresses())[path]).to.deep.equal({ serverRelativeURL: `/openapi/v3/${path}?hash=CD` });
  });

  it('sends a document like its own, and says of one that cannot be had that this will pass', async () => {
    const { status, headers, body } = await get(`/openapi/v3/${path}?hash=AB`);
    expect([status, headers.etag, headers['cache-control'], body]).to.deep.equal([200, '"AB"', 'public, immutable', { openapi: '3.0.0' }]);
    expect((await get(`/openapi/v3/${path}`, { 'if-none-match': '"AB"' })).status).to.equal(304);
    const moved = await get(`/openapi/v3/${path}?hash=old`);
    expect([moved.status, moved.headers.location]).to.deep.equal([301, `/openapi/v3/${path}?hash=AB`]);
    expect((await get(`/openapi/v3/${failing.path}`)).status).to.equal(503);
    expect((await get(`/openapi/v3/${hidden.path}`)).status).to.equal(404);
  });

  it('makes them a part of version 2, as long as they are there', async () => {
    interface Whole {
      readonly paths: Record<string, unknown>;
      readonly definitions: Record<string, { description?: string; properties?: Record<string, unknown> }>;
    }
    const { paths, definitions } = (await get('/openapi/v2')).body as unknown as Whole;
    expect(paths[`/${path}/things`]).to.have.nested.property('get.responses.200.schema.$ref', '#/definitions/Thing');
    expect(paths['/apis/apps/v2/pods']).to.equal(undefined);
    expect(definitions['Thing']?.properties?.['metadata']).to.deep.equal({ $ref: `#/definitions/${meta}_v2` });
    expect(definitions[`${meta}_v2`]).to.deep.equal({ description: 'another one' });
    expect(definitions[meta]?.description).to.not.equal('another one');
    expect((await get('/openapi/v2', { accept: v2Protobuf })).status).to.equal(200);
    remote = [];
    expect(((await get('/openapi/v2')).body as unknown as Whole).definitions['Thing']).to.equal(undefined);
  });

  it('tells of itself even if what others say cannot be put together', async () => {
    remote = [{ ...shown, v2: gzipSync('{"paths":') }];
    const { status, body } = await get('/openapi/v2');
    expect([status, (body as { paths: object }).paths]).to.satisfy(
      ([code, paths]: [number, object]) => code === 200 && '/api/v1/namespaces/{namespace}/pods' in paths,
    );
  });
});
