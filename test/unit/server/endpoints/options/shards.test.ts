import { expect } from 'chai';
import fc from 'fast-check';
import { shardHash } from '../../../../../api/shards.js';
import type { JsonObject } from '../../../../../api/object.js';
import { parseShardSelector } from '../../../../../server/endpoints/options/shardSelector.js';
import { call, watchStream } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const [zero, half, whole] = ['0x0000000000000000', '0x8000000000000000', '0x10000000000000000'];
const range = (from: string, below: string, path = 'object.metadata.uid'): string => `shardRange(${path}, '${from}', '${below}')`;
const [lower, upper] = [range(zero, half), range(half, whole)];
const query = (selector: string): string => `shardSelector=${encodeURIComponent(selector)}`;

describe('shard selectors', () => {
  it('hash as FNV-1a with 64 bits does', () => {
    // From the test vectors of the algorithm's authors.
    expect(['', 'a', 'foobar'].map((text) => shardHash(text).toString(16))).to.deep.equal([
      'cbf29ce484222325',
      'af63dc4c8601ec8c',
      '85944171f73967e8',
    ]);
  });

  it('hash every text into the range of 64 bits', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => shardHash(text) >= 0n && shardHash(text) < 1n << 64n));
  });

  const good: readonly (readonly [text: string, field: string, ranges: readonly (readonly [bigint, bigint])[]])[] = [
    [lower, 'uid', [[0n, 1n << 63n]]],
    [range(zero, whole), 'uid', [[0n, 1n << 64n]]],
    [range('0x00000000000000aa', '0x00000000000000ff', 'object.metadata.namespace'), 'namespace', [[0xaan, 0xffn]]],
    [`${lower} || ${upper}`, 'uid', [[0n, 1n << 63n], [1n << 63n, 1n << 64n]]], // prettier-ignore
    [`(${lower})||(${upper}||${lower})`, 'uid', [[0n, 1n << 63n], [1n << 63n, 1n << 64n], [0n, 1n << 63n]]], // prettier-ignore
    [`  shardRange( object.metadata.uid ,"${zero}",  r'${half}' )  `, 'uid', [[0n, 1n << 63n]]],
  ];
  for (const [text, field, ranges] of good)
    it(`are read: ${text}`, () => {
      const read = parseShardSelector(text);
      expect([read?.field, read?.ranges, read?.text]).to.deep.equal([field, ranges.map(([from, below]) => ({ from, below })), text]);
    });

  const bad: readonly (readonly [text: string, why: RegExp])[] = [
    [range('0000000000000000', half), /hexStart must be a 0x-prefixed 16-digit hex value/],
    [range(zero, '0xff'), /hexEnd must be a 0x-prefixed 16-digit hex value/],
    [range(zero, '0x'), /hexEnd must be/],
    [range(zero, '0x10000000000000001'), /hexEnd must be/],
    [range(zero, '0X8000000000000000'), /hexEnd must be/],
    [range('0x800000000000000G', whole), /hexStart must be/],
    [range(half, half), /start 0x8000000000000000 must be less than end 0x8000000000000000/],
    [range(half, zero), /must be less than/],
    [range(zero, half, 'object.metadata.name'), /unsupported field path "object.metadata.name"/],
    [range(zero, half, 'metadata.uid'), /unsupported field path/],
    [range(zero, half, 'object[0]'), /unsupported field path null/],
    [`shardRange(object.metadata.uid, 0, 8)`, /hexStart must be a string literal/],
    [`shardRange(object.metadata.uid, hex(0), '${half}')`, /hexStart must be a string literal/],
    [`shardRange(object.metadata.uid, '${zero}')`, /requires exactly 3 arguments, got 2/],
    [`${lower} && ${upper}`, /only shardRange\(\) and \|\| are allowed/],
    [`!${lower}`, /only shardRange/],
    [`other(object.metadata.uid, '${zero}', '${half}')`, /unsupported function "other"/],
    [`object.metadata.uid > '0x0'`, /unsupported function/],
    [`object.metadata.uid`, /unexpected select/],
    [`${lower} || ${range(half, whole, 'object.metadata.namespace')}`, /must use the same field/],
    [`${lower} ||`, /./],
  ];
  for (const [text, why] of bad)
    it(`are refused: ${text}`, () => {
      expect(() => parseShardSelector(text))
        .to.throw(why)
        .with.property('code', 400);
    });

  describe('of lists, watches and deletions', () => {
    let server: TestServer;
    beforeEach(async () => {
      server = await startTestServer(undefined, { endpoints: { shards: true } });
    });
    afterEach(() => server.close());

    const get = async (path: string): Promise<{ readonly status: number; readonly body: JsonObject }> => call(server.url, 'GET', path);
    const metadataOf = (body: unknown): JsonObject => (body as JsonObject)['metadata'] as JsonObject;
    const uidsIn = (body: JsonObject): string[] => (body['items'] as JsonObject[]).map((item) => String(metadataOf(item)['uid']));
    const isLower = (uid: string): boolean => shardHash(uid) < 1n << 63n;
    async function create(count: number): Promise<string[]> {
      const uids: string[] = [];
      for (let index = 0; index < count; index++) {
        const { body } = await call(server.url, 'POST', configMaps, { body: { metadata: { name: `m${index}` } } });
        uids.push(String(metadataOf(body)['uid']));
      }
      return uids;
    }

    it('parts hold together all objects, and each only its own; what was asked for is shown', async () => {
      const uids = await create(30);
      const parts = await Promise.all([lower, upper].map((part) => get(`${configMaps}?${query(part)}`)));
      expect(parts.map(({ body }) => metadataOf(body)['shardInfo'])).to.deep.equal([{ selector: lower }, { selector: upper }]);
      const [low = [], high = []] = parts.map(({ body }) => uidsIn(body));
      expect(low.every(isLower) && !high.some(isLower)).to.equal(true);
      expect([...low, ...high].sort()).to.deep.equal([...uids].sort());
      expect(uidsIn((await get(`${configMaps}?${query(`${lower} || ${upper}`)}`)).body)).to.have.length(30);
      expect(metadataOf((await get(configMaps)).body)).not.to.have.property('shardInfo');
    });

    it('a part is read page by page', async () => {
      const uids = await create(20);
      const found: string[] = [];
      for (let token = ''; ;) {
        const { body } = await get(`${configMaps}?limit=3&${query(lower)}&continue=${token}`);
        found.push(...uidsIn(body));
        token = String(metadataOf(body)['continue'] ?? '');
        if (token === '') break;
        expect(metadataOf(body)).not.to.have.property('remainingItemCount');
      }
      expect(found.sort()).to.deep.equal(uids.filter(isLower).sort());
    });

    it('parts by namespace hold whole namespaces', async () => {
      await create(3);
      const mine = shardHash('default') < 1n << 63n ? [zero, half] : [half, whole];
      const others = mine[0] === zero ? [half, whole] : [zero, half];
      const counts = [mine, others].map(async ([from = '', below = '']) => {
        const { body } = await get(`${configMaps}?${query(range(from, below, 'object.metadata.namespace'))}`);
        return uidsIn(body).length;
      });
      expect(await Promise.all(counts)).to.deep.equal([3, 0]);
    });

    for (const form of ['Table', 'PartialObjectMetadataList'])
      it(`a list as ${form} tells its part`, async () => {
        await create(1);
        const { body } = await call(server.url, 'GET', `${configMaps}?${query(lower)}`, {
          headers: { accept: `application/json;as=${form};v=v1;g=meta.k8s.io` },
        });
        expect(metadataOf(body)['shardInfo']).to.deep.equal({ selector: lower });
      });

    it('a watch tells of its part alone: of what is there, and of what changes', async () => {
      const before = await create(6);
      const stream = await watchStream(server.url, `${configMaps}?watch=1&${query(lower)}`);
      const shown: string[] = [];
      const expected = before.filter(isLower);
      for (let index = 0; index < expected.length; index++) shown.push(String(metadataOf((await stream.next()).object)['uid']));
      expect(shown.sort()).to.deep.equal(expected.sort());
      // The first event is of this shard, however many other objects change before.
      const changed: string[] = [];
      for (let index = 0; index < 6; index++) {
        const { body } = await call(server.url, 'PATCH', `${configMaps}/m${index}`, {
          type: 'application/merge-patch+json',
          body: { data: { changed: 'yes' } },
        });
        if (isLower(String(metadataOf(body)['uid']))) changed.push(`m${index}`);
      }
      for (const name of changed) {
        const { type, object } = await stream.next();
        expect([type, metadataOf(object)['name']]).to.deep.equal(['MODIFIED', name]);
      }
      stream.close();
    });

    it('a deletion of a collection leaves other parts alone', async () => {
      const uids = await create(12);
      await call(server.url, 'DELETE', `${configMaps}?${query(lower)}`);
      expect(uidsIn((await get(configMaps)).body).sort()).to.deep.equal(uids.filter((uid) => !isLower(uid)).sort());
    });

    it('what cannot be read is refused (400), and an empty one is none', async () => {
      for (const way of [configMaps, `${configMaps}?watch=1`]) {
        const { status, body } = await get(`${way}${way.includes('?') ? '&' : '?'}${query('shardRange()')}`);
        expect([status, body['reason']]).to.deep.equal([400, 'BadRequest']);
        expect(body['message']).to.match(/^invalid shardSelector: .*requires exactly 3 arguments/);
      }
      expect((await get(`${configMaps}?shardSelector=`)).status).to.equal(200);
    });

    it('without the gate nobody looks at them', async () => {
      const without = await startTestServer();
      try {
        await call(without.url, 'POST', configMaps, { body: { metadata: { name: 'a' } } });
        const { status, body } = await call(without.url, 'GET', `${configMaps}?${query('nonsense(')}`);
        expect([status, uidsIn(body).length, metadataOf(body)['shardInfo']]).to.deep.equal([200, 1, undefined]);
      } finally {
        await without.close();
      }
    });
  });
});
