import { expect } from 'chai';
import { get, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import YAML from 'yaml';
import { protobufDecode } from '../../../../workers/codecs/protobuf/index.js';
import type { JsonObject } from '../../../../api/object.js';
import { call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const protobufType = 'application/vnd.kubernetes.protobuf';

interface List {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
  readonly items?: JsonObject[];
  readonly rows?: { readonly cells: unknown[] }[];
  readonly code?: number;
  readonly message?: string;
}

function protobuf(data: Buffer): List {
  const result = protobufDecode(data);
  if (!result.ok) throw new Error(result.message);
  return result.value as List;
}

/** Every form and encoding of a list, with its reader. */
const forms: readonly { readonly accept: string; readonly read: (data: Buffer) => List }[] = [
  { accept: 'application/json', read: (data) => JSON.parse(data.toString()) as List },
  { accept: 'application/yaml', read: (data) => YAML.parse(data.toString()) as List },
  { accept: protobufType, read: protobuf },
  { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', read: (data) => JSON.parse(data.toString()) as List },
  { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', read: (data) => JSON.parse(data.toString()) as List },
  { accept: `${protobufType};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`, read: protobuf },
];

describe('endpoints/lists', () => {
  let server: TestServer;
  const fetch = (path: string, headers: Record<string, string>): Promise<{ status: number; headers: IncomingHttpHeaders; data: Buffer }> =>
    new Promise((resolve, reject) => {
      get(`${server.url}${path}`, { headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, data: Buffer.concat(chunks) });
        });
      }).on('error', reject);
    });
  const create = (name: string, bytes = 10): Promise<unknown> =>
    call(server.url, 'POST', configMaps, { body: { metadata: { name }, data: { k: 'x'.repeat(bytes) } } });
  const namesIn = (list: List): unknown[] =>
    list.rows?.map(({ cells }) => cells[0]) ?? list.items?.map((item) => (item['metadata'] as JsonObject)['name']) ?? [];

  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  for (const { accept, read } of forms) {
    it(`pages through one version while others write, as ${accept}`, async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
      const page = async (query: string): Promise<List> => read((await fetch(`${configMaps}?limit=2&${query}`, { accept })).data);
      const first = await page('');
      await call(server.url, 'DELETE', `${configMaps}/c`);
      await create('bb');
      const second = await page(`continue=${first.metadata.continue ?? ''}`);
      const third = await page(`continue=${second.metadata.continue ?? ''}`);
      expect([first, second, third].map(namesIn)).to.deep.equal([['a', 'b'], ['c', 'd'], ['e']]);
      expect([first, second, third].map(({ metadata }) => Number(metadata.remainingItemCount ?? 0))).to.deep.equal([3, 1, 0]);
      expect(new Set([first, second, third].map(({ metadata }) => metadata.resourceVersion)).size).to.equal(1);
      expect(third.metadata.continue ?? '').to.equal('');
    });

    it(`goes on without a snapshot when that is gone, as ${accept}`, async () => {
      for (const name of ['a', 'b', 'c']) await create(name);
      const first = read((await fetch(`${configMaps}?limit=1`, { accept })).data);
      await create('aa');
      server.storage.compact(server.storage.version);
      const expired = await fetch(`${configMaps}?limit=1&continue=${first.metadata.continue ?? ''}`, { accept });
      expect(expired.status).to.equal(410);
      // A refusal has no metadata form: its default encoding is JSON.
      const status = accept === protobufType ? protobuf(expired.data) : (YAML.parse(expired.data.toString()) as List);
      const rest = read((await fetch(`${configMaps}?continue=${status.metadata.continue ?? ''}`, { accept })).data);
      expect(namesIn(rest)).to.deep.equal(['aa', 'b', 'c']);
      expect(Number(rest.metadata.resourceVersion)).to.be.greaterThan(Number(first.metadata.resourceVersion));
    });
  }

  it('refuses tokens that were tampered with', async () => {
    for (const name of ['a', 'b']) await create(name);
    const { body } = await call(server.url, 'GET', `${configMaps}?limit=1`);
    const token = (body['metadata'] as { continue: string }).continue;
    const content = JSON.parse(Buffer.from(token, 'base64url').toString()) as JsonObject;
    const forged = (change: JsonObject): string => Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url');
    for (const bad of [
      `${token}!`,
      token.slice(1),
      'e30',
      forged({ start: '../../secrets/kube-system/x' }),
      forged({ start: '' }),
      forged({ rv: 0 }),
      forged({ rv: 1.5 }),
      forged({ rv: '7' }),
      forged({ v: 'v2' }),
    ]) {
      expect((await call(server.url, 'GET', `${configMaps}?limit=1&continue=${encodeURIComponent(bad)}`)).status, bad).to.equal(400);
    }
  });

  it('shows nothing of another namespace to a token that points there', async () => {
    await call(server.url, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'other' } } });
    await call(server.url, 'POST', '/api/v1/namespaces/other/configmaps', { body: { metadata: { name: 'hidden' } } });
    for (const name of ['a', 'b']) await create(name);
    const { body } = await call(server.url, 'GET', '/api/v1/configmaps?limit=1');
    const { status, text } = await call(server.url, 'GET', `${configMaps}?continue=${(body['metadata'] as { continue: string }).continue}`);
    expect(text).not.to.contain('hidden');
    expect(status).to.be.oneOf([200, 400]);
  });

  describe('of many objects', () => {
    beforeEach(async () => {
      for (let n = 0; n < 40; n++) await create(`m${String(n).padStart(2, '0')}`, 10_000);
    });

    /** The last cell of a row is the object's age, which may change between answers. */
    const ageless = (data: Buffer, accept: string): Buffer =>
      accept.includes('as=Table') ? Buffer.from(data.toString().replace(/("cells":\[[^\]]*),"[^"]*"\]/g, '$1]')) : data;

    for (const { accept, read } of forms) {
      it(`is the same in pieces, and compressed, as ${accept}`, async () => {
        const plain = await fetch(configMaps, { accept });
        expect(plain.headers).not.to.have.property('content-encoding');
        expect(namesIn(read(plain.data))).to.have.length(40);
        const zipped = await fetch(configMaps, { accept, 'accept-encoding': 'deflate, gzip' });
        // Only large answers are compressed.
        if (plain.data.length < 128 * 1024) expect(zipped.headers).not.to.have.property('content-encoding');
        else expect(zipped.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
        const data = zipped.headers['content-encoding'] === 'gzip' ? gunzipSync(zipped.data) : zipped.data;
        expect(ageless(data, accept).equals(ageless(plain.data, accept))).to.equal(true);
      });
    }

    it('compresses single objects that are large, and nothing for clients that do not ask', async () => {
      await create('big', 200_000);
      const one = await fetch(`${configMaps}/big`, { 'accept-encoding': 'gzip' });
      expect(one.headers['content-encoding']).to.equal('gzip');
      expect((JSON.parse(gunzipSync(one.data).toString()) as JsonObject)['data']).to.deep.equal({ k: 'x'.repeat(200_000) });
      expect((await fetch(`${configMaps}/m00`, { 'accept-encoding': 'gzip' })).headers).not.to.have.property('content-encoding');
      expect((await fetch(`${configMaps}/big`, { 'accept-encoding': 'identity' })).headers).not.to.have.property('content-encoding');
    });

    it('compresses nothing without the gate APIResponseCompression', async () => {
      const without = await startTestServer(undefined, { endpoints: { compression: false }, wrap: () => server.storage });
      for (const path of [configMaps, `${configMaps}/m00`]) {
        const { headers } = await globalThis.fetch(`${without.url}${path}`, { headers: { 'accept-encoding': 'gzip' } });
        expect([headers.get('content-encoding'), headers.get('vary')], path).to.deep.equal([null, null]);
      }
      await without.close();
    });
  });
});
