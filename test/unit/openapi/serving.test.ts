import { expect } from 'chai';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { call } from '../endpoints/client.js';
import { startTestServer, type TestServer } from '../endpoints/harness.js';

const v2Protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const v3Protobuf = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';

describe('serving OpenAPI documents', function () {
  this.timeout(30_000);
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
