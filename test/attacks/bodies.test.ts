import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import type { Answer, RequestOptions } from '../fixtures/apiClient.js';
import { Bystander } from './bystander.js';
import { Target, type User } from './target.js';
import { applyPatch, jsonPatch, mergePatch, refused, strategicPatch, tryAll, type Try } from './tries.js';

const collection = '/api/v1/namespaces/a/configmaps';
const object = `${collection}/there`;
const protobuf = 'application/vnd.kubernetes.protobuf';
const cbor = 'application/cbor';
const yaml = 'application/yaml';
const mebibyte = 2 ** 20;
/** The most processor time for the largest body, relative to a megabyte of ordinary YAML. */
const honestTimesMax = 4;
const honestYaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: honest}\ndata:\n${Array.from({ length: 20_000 }, (_, n) => `  key-${n}: ${'v'.repeat(38)}\n`).join('')}`;
const residentBytesMax = 900 * mebibyte;

const envelope = (rest: Buffer): Buffer => Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), rest]);
const typed = (more: string): string => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"${more}`;
const aliases = (): string => {
  const levels = Array.from(
    { length: 9 },
    (_, each) =>
      `${'abcdefghij'[each + 1]}: &${'abcdefghij'[each + 1]} [${Array.from({ length: 9 }, () => `*${'abcdefghij'[each]}`).join(',')}]`,
  );
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: &a ["lol","lol"]\n${levels.map((line) => `  ${line}`).join('\n')}\n`;
};
const customObject = (spec: unknown): object => ({ apiVersion: 'sea.example.com/v1', kind: 'Whale', metadata: { name: 'x' }, spec });

interface Bomb extends RequestOptions {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  /** A second permitted status. */ readonly taken?: boolean;
}

const post = (what: string, type: string, raw: string | Buffer, taken = false): Bomb => ({
  what,
  method: 'POST',
  path: collection,
  type,
  raw,
  taken,
});
const patch = (what: string, type: string, raw: string, taken = false): Bomb => ({
  what,
  method: 'PATCH',
  path: type === applyPatch ? `${object}?fieldManager=m` : object,
  type,
  raw,
  taken,
});

/** Small to send, dear to read. Those of 3 MiB are as large as may be. */
const bombs: readonly Bomb[] = [
  post('JSON: a million lists', 'application/json', '['.repeat(mebibyte)),
  post('JSON: a million objects', 'application/json', '{"a":'.repeat(200_000)),
  post(
    'JSON: depth where anything may stand',
    'application/json',
    `${typed(`,"managedFields":[{"fieldsV1":${'{"f:a":'.repeat(150_000)}{}${'}'.repeat(150_000)}}]}}`)}`,
  ),
  post('JSON: a number of a million digits', 'application/json', `${typed('},"data":{"a":')}${'9'.repeat(mebibyte)}}}`),
  post(
    'JSON: a million members',
    'application/json',
    `${typed('},"data":{')}${Array.from({ length: 60_000 }, (_, each) => `"k${each}":""`).join(',')}}}`,
    true,
  ),
  post('JSON: one member a hundred thousand times', 'application/json', `${typed('},"data":{')}${'"k":"",'.repeat(150_000)}"k":""}}`, true),
  post(
    'JSON: a hundred thousand unknown members',
    'application/json',
    `${typed('}')}${Array.from({ length: 100_000 }, (_, each) => `,"u${each}":1`).join('')}}`,
    true,
  ),
  post('JSON: half a pair of surrogates', 'application/json', `${typed('},"data":{"a":"\\ud800"}}')}`, true),
  post('YAML: aliases of aliases (CVE-2019-11253)', yaml, aliases()),
  patch('YAML: aliases of aliases, applied', applyPatch, aliases()),
  post('YAML: an anchor that holds itself', yaml, 'apiVersion: v1\nkind: ConfigMap\nmetadata: &m\n  name: x\n  annotations: *m\n'),
  post(
    'YAML: merged a thousand times',
    yaml,
    `a: &a {${Array.from({ length: 1_000 }, (_, each) => `k${each}: v`).join(', ')}}\n${Array.from({ length: 1_000 }, (_, each) => `m${each}: {<<: *a}`).join('\n')}\n`,
  ),
  post('YAML: a million lists in a line', yaml, '['.repeat(mebibyte)),
  post('YAML: a million maps in a line', yaml, '{'.repeat(mebibyte)),
  post('YAML: lists in lists (CVE-2019-11254)', yaml, '- '.repeat(mebibyte / 2)),
  post('YAML: keys in keys', yaml, '? '.repeat(mebibyte / 2)),
  post('YAML: indented further and further', yaml, Array.from({ length: 1_400 }, (_, each) => `${' '.repeat(each)}a:`).join('\n')),
  post('YAML: a million colons', yaml, ':'.repeat(mebibyte)),
  post('YAML: a string that does not end', yaml, `a: "${'\\'.repeat(mebibyte)}`),
  post('YAML: a million anchors', yaml, '&a '.repeat(300_000)),
  post('YAML: a million tags', yaml, '!a '.repeat(300_000)),
  post('YAML: a million dashes', yaml, '-\n'.repeat(1.5 * mebibyte)),
  post('YAML: a million commas', yaml, `[${'a,'.repeat(1.5 * mebibyte - 2)}]`),
  post('YAML: a hundred thousand documents', yaml, '---\n'.repeat(250_000)),
  post('YAML: a million comments', yaml, '#\n'.repeat(500_000)),
  post('YAML: folded text', yaml, `a: >\n${' x\n\n'.repeat(250_000)}`),
  post('Protobuf: no more than a beginning', protobuf, envelope(Buffer.alloc(0))),
  post('Protobuf: lengths that lead out', protobuf, envelope(Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]))),
  post('Protobuf: groups in groups', protobuf, envelope(Buffer.alloc(mebibyte, 0x0b))),
  post('Protobuf: a number that does not end', protobuf, envelope(Buffer.alloc(mebibyte, 0x80))),
  post(
    'Protobuf: a million empty members',
    protobuf,
    envelope(
      Buffer.concat([
        Buffer.from([0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09]),
        Buffer.from('ConfigMap'),
        Buffer.from([0x12, 0x80, 0x80, 0x40]),
        Buffer.alloc(mebibyte, Buffer.from([0x0a, 0])),
      ]),
    ),
  ),
  post('CBOR: a list of four thousand million', cbor, Buffer.from([0xd9, 0xd9, 0xf7, 0x9a, 0xff, 0xff, 0xff, 0xff])),
  post('CBOR: a map of all there is', cbor, Buffer.from([0xd9, 0xd9, 0xf7, 0xbb, ...Array.from({ length: 8 }, () => 0xff)])),
  post('CBOR: a text of all there is', cbor, Buffer.from([0xd9, 0xd9, 0xf7, 0x7b, 0x7f, ...Array.from({ length: 7 }, () => 0xff)])),
  post('CBOR: lists in lists', cbor, Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), Buffer.alloc(mebibyte, 0x81)])),
  post('CBOR: lists without an end', cbor, Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), Buffer.alloc(mebibyte, 0x9f)])),
  post('CBOR: tags of tags', cbor, Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), Buffer.alloc(mebibyte, 0xc6)])),
  post('compressed beyond all measure', 'application/json', gzipSync(Buffer.alloc(64 * mebibyte, 0x20))),
  patch(
    'JSON patch: ten thousand operations (CVE-2019-1002100)',
    jsonPatch,
    JSON.stringify(Array.from({ length: 10_001 }, (_, each) => ({ op: 'add', path: `/data/k${each}`, value: 'x' }))),
  ),
  patch(
    'JSON patch: doubled forty times',
    jsonPatch,
    JSON.stringify([
      { op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(100_000) } },
      ...Array.from({ length: 40 }, (_, each) => ({ op: 'copy', from: '/metadata', path: `/data/d${each}` })),
    ]),
  ),
  patch(
    'JSON patch: copied into itself',
    jsonPatch,
    JSON.stringify(Array.from({ length: 64 }, (_, each) => ({ op: 'copy', from: '', path: `/metadata/annotations/a${each}` }))),
  ),
  patch('JSON patch: a place of a megabyte', jsonPatch, JSON.stringify([{ op: 'test', path: '/a'.repeat(mebibyte / 2), value: 1 }])),
  patch(
    'JSON patch: a list from the front',
    jsonPatch,
    JSON.stringify([
      { op: 'add', path: '/metadata/finalizers', value: [] },
      ...Array.from({ length: 9_000 }, () => ({ op: 'add', path: '/metadata/finalizers/0', value: 'a.b/c' })),
    ]),
    true,
  ),
  patch('merge patch: depth', mergePatch, '{"data":'.repeat(150_000)),
  patch('strategic patch: depth', strategicPatch, `{"metadata":{"annotations":${'{"$patch":"merge","a":'.repeat(50_000)}`),
  patch(
    'strategic patch: lists to merge',
    strategicPatch,
    JSON.stringify({
      metadata: {
        finalizers: Array.from({ length: 60_000 }, (_, each) => `a.b/c${each}`),
        '$setElementOrder/finalizers': Array.from({ length: 60_000 }, (_, each) => `a.b/c${each}`),
      },
    }),
    true,
  ),
  patch(
    'apply: a hundred thousand fields',
    applyPatch,
    `${typed('},"data":{')}${Array.from({ length: 30_000 }, (_, each) => `"k${each}":"v"`).join(',')}}}`.replace(
      '"name":"x"',
      '"name":"there"',
    ),
    true,
  ),
  {
    what: 'custom: depth',
    method: 'POST',
    path: '/apis/sea.example.com/v1/whales',
    type: 'application/json',
    raw: `{"apiVersion":"sea.example.com/v1","kind":"Whale","metadata":{"name":"x"},"spec":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_001)}`,
  },
  {
    what: 'custom: a text for a rule',
    method: 'POST',
    path: '/apis/sea.example.com/v1/whales',
    body: customObject({ text: `${'a'.repeat(500_000)}!` }),
  },
  {
    what: 'a definition whose pattern backtracks',
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: definition('seals', 'Seal', { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` }),
  },
];

function definition(plural: string, kind: string, text: object): object {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { text } } },
    },
  };
  return {
    metadata: { name: `${plural}.sea.example.com` },
    spec: {
      group: 'sea.example.com',
      scope: 'Cluster',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Bodies that cost their sender little and should cost the server no more than honest ones. */
describe('attacks/bodies', function () {
  let target: Target;
  let tenant: User;
  let bystander: Bystander;
  before(async () => {
    target = await Target.start();
    await target.namespace('a');
    tenant = await target.user('tenant', { group: 'system:masters' });
    await target.admin.expect(201, 'POST', collection, {
      body: { metadata: { name: 'there', annotations: { a: 'b' } }, data: { a: 'b' } },
    });
    await target.admin.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition('whales', 'Whale', { type: 'string', maxLength: 1_000_000, pattern: '^(a+)+$' }),
    });
    while ((await target.admin.request('GET', '/apis/sea.example.com/v1/whales')).status !== 200) await new Promise(setImmediate);
    bystander = await Bystander.start(target);
  });
  after(async () => {
    await bystander?.stop();
    await target?.stop();
  });

  /** Processor seconds of the server for a request, including concurrent work for the bystander. */
  async function costOf(method: string, path: string, options: RequestOptions): Promise<{ answer: Answer; seconds: number }> {
    const before = target.cpuSeconds();
    const answer = await tenant.client.request(method, path, options);
    return { answer, seconds: target.cpuSeconds() - before };
  }

  describe('bombs', () => {
    let honestSeconds: number;
    before(async () => {
      const { answer, seconds } = await costOf('POST', `${collection}?dryRun=All`, { raw: honestYaml, type: yaml });
      expect(answer.status).to.equal(201);
      honestSeconds = seconds;
    });
    for (const { what, method, path, taken = false, ...options } of bombs) {
      it(what, async () => {
        const place = taken ? `${path}${path.includes('?') ? '&' : '?'}dryRun=All` : path;
        const { answer, seconds } = await costOf(method, place, options);
        const text = JSON.stringify(answer.body).slice(0, 400);
        expect([...refused, 406, 409, 413, 415, ...(taken ? [200, 201] : [])], text).to.include(answer.status);
        expect(seconds / honestSeconds, 'times the processor time of honest YAML').to.be.below(honestTimesMax);
        await bystander.served(1);
        expect(target.residentBytes()).to.be.below(residentBytesMax);
      });
    }
  });

  describe('what is said of an object', () => {
    const post = (what: string, raw: string, status: Try['status'], more: Partial<Try> = {}): Try => ({
      what,
      method: 'POST',
      path: `${collection}?dryRun=All`,
      raw,
      status,
      ...more,
    });
    const named = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    tryAll(
      () => tenant.client,
      [
        ...['..', '.', 'a/b', 'a%2fb', '../../secrets/x', 'a\u0000b', 'A', `${'a'.repeat(254)}`, 'a b', 'ａ', '-a', 'a\n', '%2e%2e'].map(
          (name) => post(`the name ${JSON.stringify(name).slice(0, 30)}`, named(name), [400, 422]),
        ),
        post('a prototype', `${typed('},"data":{"__proto__":"x"}}')}`, [201, 400, 422]),
        post('a prototype of the whole', '{"apiVersion":"v1","kind":"ConfigMap","__proto__":{"metadata":{"name":"x"}}}', [400, 422]),
        post('a constructor', `${typed('},"data":{"constructor":"x","toString":"y","hasOwnProperty":"z"}}')}`, 201, {
          says: /"hasOwnProperty":"z"/,
        }),
        post('a constructor of the metadata', `${typed(',"constructor":{"prototype":{"polluted":1}}}}')}`, [201, 400], {
          neverSays: /"polluted"/,
        }),
        post('one name twice', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","name":"y"}}', [201, 400]),
        post('one name twice, strictly', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","name":"y"}}', 400, {
          path: `${collection}?dryRun=All&fieldValidation=Strict`,
        }),
        post('another namespace', '{"metadata":{"name":"x","namespace":"kube-system"}}', 400),
        post('another kind', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}', 400),
        post('a kind of another group', '{"apiVersion":"evil/v1","kind":"ConfigMap","metadata":{"name":"x"}}', 400),
        post('a list of objects', '{"apiVersion":"v1","kind":"ConfigMapList","items":[]}', 400),
        post(
          'a uid and a version of its own',
          '{"metadata":{"name":"x","uid":"mine","resourceVersion":"1","creationTimestamp":"2000-01-01T00:00:00Z"}}',
          [201, 400, 409],
          { neverSays: /"uid":"mine"|2000-01-01/ },
        ),
        post(
          'an end that has come',
          '{"metadata":{"name":"x","deletionTimestamp":"2000-01-01T00:00:00Z","deletionGracePeriodSeconds":0}}',
          201,
          { neverSays: /deletionTimestamp":"2000/ },
        ),
        post('nothing', '', 400),
        post('null', 'null', [400, 422]),
        post('a list', '[]', 400),
        post('a text', '"x"', 400),
        post('a number', '1', 400),
        post('two objects', '{}{}', 400),
        post('a byte order mark', `\ufeff${named('bom')}`, [201, 400]),
        post('UTF-16', Buffer.from(named('x'), 'utf16le').toString('latin1'), 400),
        post('bytes that are no UTF-8', '{"metadata":{"name":"\u00ff"}}', [400, 422]),
        post('a type of something else', named('x'), 415, { type: 'text/html' }),
        post('a type that is none', named('x'), [400, 415], { type: '/' }),
        post('a type with tricks', named('typed'), [201, 400, 415], { type: 'application/json; charset=utf-7; a="b' }),
        post('an encoding that is not there', named('x'), [201, 400, 415], { headers: { 'content-encoding': 'gzip' } }),
        { what: '3 MiB and a byte', method: 'POST', path: collection, raw: Buffer.alloc(3 * mebibyte + 1, 0x20), status: 413 },
        {
          what: 'a merge patch of a prototype',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: mergePatch,
          raw: '{"__proto__":{"data":{"p":"1"}},"constructor":{"prototype":{"p":1}}}',
          status: [200, 400],
          neverSays: /"p":/,
        },
        {
          what: 'a JSON patch of a prototype',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: jsonPatch,
          raw: '[{"op":"add","path":"/__proto__/polluted","value":1}]',
          status: [400, 422],
          neverSays: /"polluted":1/,
        },
        {
          what: 'a JSON patch of a constructor',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: jsonPatch,
          raw: '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]',
          status: [400, 422],
        },
        {
          what: 'a JSON patch that reads the prototype',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: jsonPatch,
          raw: '[{"op":"copy","from":"/data/toString","path":"/data/x"}]',
          status: [200, 400, 422],
          neverSays: /native code/,
        },
        {
          what: 'a strategic patch of a prototype',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: strategicPatch,
          raw: '{"metadata":{"annotations":{"__proto__":{"p":"1"}}}}',
          status: [200, 400, 422],
        },
        {
          what: 'a name by a patch',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: mergePatch,
          body: { metadata: { name: 'other' } },
          status: [400, 422],
        },
        {
          what: 'a namespace by a patch',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: mergePatch,
          body: { metadata: { namespace: 'kube-system' } },
          status: [400, 422],
        },
        {
          what: 'a uid by a patch',
          method: 'PATCH',
          path: `${object}?dryRun=All`,
          type: mergePatch,
          body: { metadata: { uid: 'x' } },
          status: [200, 409, 422],
          neverSays: /"uid":"x"/,
        },
      ],
    );
  });

  describe('what is asked of a list', () => {
    const queries: Readonly<Record<string, string>> = {
      'limit=-1': 'limit=-1',
      'limit beyond all numbers': 'limit=99999999999999999999999',
      'a continue of nothing': 'continue=x',
      'a continue of a megabyte': `continue=${'A'.repeat(40_000)}`,
      'a continue that leads out': `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/"}').toString('base64url')}`,
      'a version that is none': 'resourceVersion=x',
      'a version far ahead': 'resourceVersion=99999999999999999999',
      'a negative version': 'resourceVersion=-1',
      'a match that is none': 'resourceVersion=1&resourceVersionMatch=Perhaps',
      'a selector of a megabyte': `labelSelector=${'a=b,'.repeat(10_000)}`,
      'a selector of brackets': `labelSelector=${'('.repeat(30_000)}`,
      'a selector of many values': `labelSelector=a%20in%20(${Array.from({ length: 10_000 }, (_, each) => each).join(',')})`,
      'a field that is none': 'fieldSelector=spec.x%3D1',
      'a field of the prototype': 'fieldSelector=__proto__%3D1',
      'a time that is none': 'timeoutSeconds=-1',
      'events from the beginning without leave': 'sendInitialEvents=true',
      pretty: 'pretty=%00',
    };
    tryAll(
      () => tenant.client,
      Object.entries(queries).map(([what, query]): Try => ({
        what,
        path: `${collection}?${query}`,
        status: [200, 400, 410, 414, 422, 431, 504],
        neverSays: /"kind":"Secret"/,
      })),
    );
  });

  it('leaves nothing behind', async () => {
    await bystander.served(3);
    await target.expectAlive();
    expect(target.log()).not.to.match(/unhandled|uncaught/i);
  });
});
