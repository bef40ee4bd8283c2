import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { copiedBytesMax, operationsMax } from '../../../../../server/patch/jsonPatch.js';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** Hostile patches. Bodies are texts, because JSON.stringify cannot produce some. */
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const jsonPatchType = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';
const path = '/api/v1/namespaces/default/configmaps/a';

/** An object with `member` in its data, in the form of each patch type. */
const wrapped = (member: string): readonly (readonly [type: string, text: string])[] => [
  [merge, `{"data":{${member}}}`],
  [strategic, `{"data":{${member}}}`],
  [jsonPatchType, `[{"op":"replace","path":"/data","value":{${member}}}]`],
  [apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{${member}}}`],
];
const atTop = (member: string): readonly (readonly [type: string, text: string])[] => [
  [merge, `{${member}}`],
  [strategic, `{${member}}`],
  [jsonPatchType, `[{"op":"replace","path":"","value":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},${member}}}]`],
  [apply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},${member}}`],
];

describe('hostile patches', () => {
  let server: TestServer;
  const patch = (type: string, raw: string, query = ''): Promise<Answer> =>
    call(server.url, 'PATCH', `${path}${query === '' && type === apply ? '?fieldManager=m&force=true' : query}`, { type, raw });
  const data = async (): Promise<JsonObject> => (await call(server.url, 'GET', path)).body['data'] as JsonObject;

  /** A client error; unknown members in an apply give 500, as in the reference. */
  const isRefusal = ({ status, body }: Answer): boolean =>
    (status >= 400 && status < 500) || (status === 500 && String(body['message']).includes('failed to create typed'));

  before(async () => {
    server = await startTestServer();
    await call(server.url, 'POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'a' } } });
  });
  beforeEach(async () => {
    expect((await call(server.url, 'PUT', path, { body: { metadata: { name: 'a' }, data: { k: 'v' } } })).status).to.equal(200);
  });
  after(() => server.close());

  /** Pollution would show on every object of the process. */
  afterEach(async () => {
    const plain = {} as Record<string, unknown>;
    expect([
      plain['polluted'],
      Object.keys(Object.prototype),
      Object.keys(Array.prototype),
      (Object.prototype.hasOwnProperty as unknown as Record<string, unknown>)['polluted'],
    ]).to.deep.equal([undefined, [], [], undefined]);
    expect((await call(server.url, 'GET', path)).status).to.equal(200);
  });

  const names = [
    '"__proto__":{"polluted":"yes"}',
    '"constructor":{"prototype":{"polluted":"yes"}}',
    '"\\u005f_proto__":{"polluted":"yes"}',
    '"toString":{"polluted":"yes"}',
  ];
  for (const member of names) {
    for (const [type, text] of [...wrapped(member), ...atTop(member)]) {
      it(`reach no prototype: ${type} ${text.slice(0, 60)}`, async () => {
        const answer = await patch(type, text);
        expect(answer.status === 200 || isRefusal(answer), answer.text).to.equal(true);
        expect((await data()) ?? { k: 'v' }).to.deep.equal({ k: 'v' });
      });
    }
  }

  for (const [type, text] of wrapped('"__proto__":"a","constructor":"b","hasOwnProperty":"c"')) {
    it(`may use such names for what they are: ${type}`, async () => {
      const { status, text: answer } = await patch(type, text);
      // Keys of config maps may have these names, as ordinary members.
      expect(status, answer).to.equal(200);
      expect(Object.entries(await data())).to.deep.include.members([
        ['__proto__', 'a'],
        ['constructor', 'b'],
        ['hasOwnProperty', 'c'],
      ]);
    });
  }

  const pointers = [
    '/__proto__/polluted',
    '/data/__proto__/polluted',
    '/data/constructor/prototype/polluted',
    '/constructor/prototype/polluted',
    '/data/hasOwnProperty/polluted',
    '/data/toString/polluted',
    '/data/constructor/polluted',
    '/metadata/managedFields/__proto__/polluted',
    '/metadata/managedFields/map/polluted',
  ];
  for (const pointer of pointers) {
    for (const op of ['add', 'replace', 'copy', 'move']) {
      it(`reach no prototype: ${op} ${pointer}`, async () => {
        const operation = op === 'add' || op === 'replace' ? { op, path: pointer, value: 'yes' } : { op, from: '/data/k', path: pointer };
        const { status } = await patch(jsonPatchType, JSON.stringify([operation]));
        expect(status).to.equal(422);
        expect(await data()).to.deep.equal({ k: 'v' });
      });
    }
  }
  for (const from of ['/__proto__', '/data/__proto__', '/data/constructor', '/data/toString', '/metadata/managedFields/length']) {
    it(`read nothing that is not the object's: copy from ${from}`, async () => {
      expect((await patch(jsonPatchType, JSON.stringify([{ op: 'move', from, path: '/data/stolen' }]))).status).to.equal(422);
      // A copy of an absent value is undefined.
      await patch(jsonPatchType, JSON.stringify([{ op: 'copy', from, path: '/data/stolen' }]));
      expect((await data())['stolen'] ?? '').to.equal('');
    });
  }

  it('have at most 10,000 operations', async () => {
    const operations = (count: number): string =>
      JSON.stringify(Array.from({ length: count }, (_, each) => ({ op: 'add', path: '/data/n', value: String(each) })));
    expect((await patch(jsonPatchType, operations(operationsMax))).body['data']).to.deep.equal({ k: 'v', n: String(operationsMax - 1) });
    const { status, body } = await patch(jsonPatchType, operations(operationsMax + 1));
    expect([status, body['reason'], body['message']]).to.deep.equal([
      413,
      'RequestEntityTooLarge',
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });

  it('copy at most so many bytes', async () => {
    const value = 'x'.repeat(1024);
    const copies = [
      { op: 'add', path: '/data/0', value },
      ...Array.from({ length: operationsMax - 1 }, (_, each) => ({ op: 'copy', from: '/data/0', path: `/data/${each + 1}` })),
    ];
    const single = await patch(jsonPatchType, JSON.stringify(copies));
    expect([single.status, single.body['reason']]).to.deep.equal([413, 'RequestEntityTooLarge']);
    expect(String(single.body['message'])).to.match(
      new RegExp(`^Unable to complete the copy, the accumulated size increase of copy is \\d+, exceeding the limit ${copiedBytesMax}$`),
    );
    const doubling = Array.from({ length: 60 }, (_, each) => ({ op: 'copy', from: '/data', path: `/data/d${each}` }));
    expect((await patch(jsonPatchType, JSON.stringify(doubling))).status).to.equal(413);
    expect(await data()).to.deep.equal({ k: 'v' });
  });

  it('grow no larger by moving things onto themselves', async () => {
    const moves = Array.from({ length: operationsMax }, () => ({ op: 'move', from: '/data', path: '/data' }));
    const large = JSON.stringify([
      { op: 'add', path: '/data/large', value: 'x'.repeat(500_000) },
      ...moves.slice(2),
      { op: 'remove', path: '/data/large' },
    ]);
    expect((await patch(jsonPatchType, large)).status).to.equal(200);
    expect((await patch(jsonPatchType, '[{"op":"move","from":"/data/absent","path":"/data/absent"}]')).status).to.equal(422);
  });

  it('cannot be a few lines of YAML that stand for a billion', async () => {
    const lines = [
      'a: &a ["x","x","x","x","x","x","x","x","x"]',
      ...Array.from({ length: 9 }, (_, each) => {
        const [name, before] = [String.fromCharCode(98 + each), String.fromCharCode(97 + each)];
        return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
      }),
    ];
    expect((await patch(apply, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${lines.join('\n')}\n`)).status).to.equal(400);
  });

  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}"x"${'}'.repeat(depth)}`;
  for (const depth of [150, 900, 20_000, 200_000]) {
    for (const [type, text] of wrapped(`"deep":${nested(depth)}`)) {
      it(`may nest as they like and are refused: ${depth} levels, ${type}`, async () => {
        expect(isRefusal(await patch(type, text))).to.equal(true);
        expect(await data()).to.deep.equal({ k: 'v' });
      });
    }
  }

  it('may name a quarter of a million items of a list that merges by key', async function () {
    const pod = '/api/v1/namespaces/default/pods/p';
    await call(server.url, 'POST', '/api/v1/namespaces/default/pods', {
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    });
    const items: JsonValue[] = Array.from({ length: 180_000 }, (_, each) => ({ name: `${each}` }));
    for (const containers of [
      items.map((item) => ({ ...(item as JsonObject), $patch: 'delete' })).slice(0, 60_000),
      [...items, { bad: 1 }],
    ]) {
      const { status } = await call(server.url, 'PATCH', pod, { type: strategic, raw: JSON.stringify({ spec: { containers } }) });
      expect(status).to.be.oneOf([200, 413, 422, 500]);
    }
  });
});
