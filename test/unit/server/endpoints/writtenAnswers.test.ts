import { expect } from 'chai';
import fc from 'fast-check';
import { mediaTypeOf } from '../../../../server/endpoints/mediaType.js';
import { call, type Answer, type Call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const maps = '/api/v1/namespaces/default/configmaps';
const reviews: Readonly<Record<string, object>> = {
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews': { spec: { namespace: 'default' } },
  '/apis/authentication.k8s.io/v1/selfsubjectreviews': {},
};
const as = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

describe('answers to writes', () => {
  let server: TestServer;
  let number = 0;
  const next = (): string => `m${number++}`;
  const send = (method: string, path: string, options: Call = {}): Promise<Answer> => call(server.url, method, path, options);
  const create = (name: string, headers: Readonly<Record<string, string>> = {}, type = 'application/json'): Promise<Answer> =>
    send('POST', maps, { headers, raw: `{"metadata":{"name":"${name}"}}`, type });
  const isThere = async (name: string): Promise<boolean> => (await send('GET', `${maps}/${name}`)).status === 200;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  for (const [path, body] of Object.entries(reviews)) {
    it(`of ${path.split('/').at(-1) ?? ''} are no tables, and metadata alone when asked`, async () => {
      expect((await send('POST', path, { body, headers: { accept: as('Table') } })).status).to.equal(406);
      expect((await send('POST', path, { body, headers: { accept: `${as('Table')},application/json` } })).body['kind']).to.match(/Review$/);
      const { status, body: partial } = await send('POST', path, { body, headers: { accept: as('PartialObjectMetadata') } });
      expect([status, partial['kind'], partial['apiVersion'], 'status' in partial]).to.deep.equal([
        201,
        'PartialObjectMetadata',
        'meta.k8s.io/v1',
        false,
      ]);
    });
  }

  it('are refused in JSON where no plain form is taken', async () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const typeOf = async (accept: string): Promise<string | null> => {
      const answer = await fetch(`${server.url}${maps}/absent`, { headers: { accept } });
      return answer.headers.get('content-type');
    };
    for (const [accept, type] of [
      [`${protobuf};as=Table;g=meta.k8s.io;v=v1`, 'application/json'],
      [`${protobuf};as=Table;g=meta.k8s.io;v=v1,${protobuf}`, protobuf],
      [`${protobuf};stream=watch`, protobuf],
      ['application/yaml;stream=watch', 'application/json'],
      [`${protobuf};stream=odd,application/yaml`, 'application/yaml'],
    ] as const)
      expect([accept, await typeOf(accept)]).to.deep.equal([accept, type]);
  });

  it('name lists by the Go package of their kinds', async () => {
    const headers = { accept: as('PartialObjectMetadata') };
    const message = async (path: string): Promise<unknown> => (await send('GET', path, { headers })).body['message'];
    const reported = (name: string): string => `you requested PartialObjectMetadata, but the requested object is a list (*${name})`;
    expect(await message('/apis/events.k8s.io/v1/events')).to.equal(reported('core.EventList'));
    expect(await message('/apis/rbac.authorization.k8s.io/v1/roles')).to.equal(reported('rbac.RoleList'));
  });

  it('have null where the reference writes it for nothing, and no empty bytes', async () => {
    const source = { name: 'v', projected: {} };
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], volumes: [source] } };
    const made = (await send('POST', '/api/v1/namespaces/default/pods?dryRun=All', { body: pod })).body;
    expect(made['spec']).to.have.nested.property('volumes[0].projected.sources', null);
    const webhook = {
      name: 'a.b.c',
      clientConfig: { url: 'https://a.example', caBundle: '' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All';
    const configured = (await send('POST', path, { body: { metadata: { name: 'w' }, webhooks: [webhook] } })).body;
    expect(configured).to.have.deep.nested.property('webhooks[0].clientConfig', { url: 'https://a.example' });
  });

  it('are no metadata of lists: that is said before anything is written', async () => {
    const headers = { accept: as('PartialObjectMetadataList') };
    const [there, absent] = [next(), next()];
    await create(there);
    expect((await create(absent, headers)).body).to.include({
      code: 406,
      message: 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    });
    expect(
      (await send('PATCH', `${maps}/${there}`, { headers, raw: '{"data":{"a":"b"}}', type: 'application/merge-patch+json' })).status,
    ).to.equal(406);
    expect((await send('DELETE', maps, { headers: { accept: as('PartialObjectMetadata') } })).status).to.equal(406);
    expect([await isThere(there), await isThere(absent), (await send('GET', `${maps}/${there}`)).body['data']]).to.deep.equal([
      true,
      false,
      undefined,
    ]);
  });

  it('of a deletion are a Status in any form, unless they are the object', async () => {
    const headers = { accept: as('PartialObjectMetadataList') };
    const [gone, marked] = [next(), next()];
    await create(gone);
    await send('POST', maps, { body: { metadata: { name: marked, finalizers: ['a.example/b'] } } });
    expect((await send('DELETE', `${maps}/${gone}`, { headers })).body).to.include({ kind: 'Status', status: 'Success' });
    expect(await isThere(gone)).to.equal(false);
    expect((await send('DELETE', `${maps}/${marked}`, { headers })).status).to.equal(406);
    expect((await send('GET', `${maps}/${marked}`)).body['metadata']).to.include.keys('deletionTimestamp');
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await send('POST', accounts, { body: { metadata: { name: gone } } });
    expect((await send('DELETE', `${accounts}/${gone}`, { headers })).status).to.equal(406);
    expect((await send('GET', `${accounts}/${gone}`)).status).to.equal(200);
  });

  it('about a scale can be tables', async () => {
    const path = '/apis/apps/v1/namespaces/default/replicasets';
    await send('POST', path, {
      body: {
        metadata: { name: 'r' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    });
    const { body } = await send('GET', `${path}/r/scale`, { headers: { accept: as('Table') } });
    expect(body).to.have.nested.property('columnDefinitions[1].name', 'Desired');
    expect(body).to.have.nested.property('rows[0].cells').that.deep.includes.members(['r', 2, 0]);
  });

  it('follow the weights of Accept, of which one that is no number is none', async () => {
    for (const q of ['abc', '', '0'])
      expect(
        (await send('GET', maps, { headers: { accept: `application/json;q=${q},application/yaml` } })).headers['content-type'],
        q,
      ).to.equal('application/yaml');
  });

  it('need a body whose media type can be read', async () => {
    for (const type of [
      'application/json;foo',
      'application/json;charset=utf-8;charset=x',
      'application/json;a=',
      'application/',
      'json',
      'application/json/x',
      'application/json;a="b',
    ])
      expect([(await create(next(), {}, type)).status, type]).to.deep.equal([415, type]);
    for (const type of ['application/json;', 'APPLICATION/JSON; charset=UTF-8', 'application/json ; a="b;c" ; d=e'])
      expect([(await create(next(), {}, type)).status, type]).to.deep.equal([201, type]);
    const name = next();
    await create(name);
    expect((await send('PATCH', `${maps}/${name}`, { raw: '{}', type: 'APPLICATION/MERGE-PATCH+JSON' })).status).to.equal(415);
    expect((await send('PATCH', `${maps}/${name}`, { raw: '{}', type: 'application/merge-patch+json; charset=utf-8' })).status).to.equal(
      200,
    );
  });

  it('read every media type with parameters, and nothing else', () => {
    const token = fc.stringMatching(/^[a-z0-9!#.+-]{1,8}$/);
    const quoted = fc.stringMatching(/^[a-z;,= ]{0,8}$/).map((text) => `"${text}"`);
    const parameters = fc.uniqueArray(fc.tuple(token, fc.oneof(token, quoted)), { selector: ([name]) => name, maxLength: 4 });
    fc.assert(
      fc.property(token, token, parameters, fc.constantFrom('', ';', ' ; '), (type, subtype, list, end) => {
        const written = `${type}/${subtype}${list.map(([name, value]) => `; ${name}=${value}`).join('')}`;
        expect(mediaTypeOf(`${written}${end}`)).to.equal(`${type}/${subtype}`);
        expect(mediaTypeOf(`${written};a=1;A=1`)).to.equal(null);
      }),
    );
  });

  it('take null for no patch at all where the reference does', async () => {
    const name = next();
    await create(name);
    const patch = async (type: string, raw: string): Promise<number> =>
      (await send('PATCH', `${maps}/${name}`, { raw, type: `application/${type}` })).status;
    expect([
      await patch('json-patch+json', 'null'),
      await patch('json-patch+json', '[null]'),
      await patch('strategic-merge-patch+json', 'null'),
      await patch('json-patch+json', '[1]'),
    ]).to.deep.equal([200, 422, 200, 400]);
  });

  it('refuse an order of items that the items of the patch do not have', async () => {
    const path = '/api/v1/namespaces/default/pods';
    await send('POST', path, {
      body: {
        metadata: { name: 'p' },
        spec: {
          containers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
        },
      },
    });
    const patch = (order: readonly string[], names: readonly string[]): Promise<Answer> =>
      send('PATCH', `${path}/p`, {
        type: 'application/strategic-merge-patch+json',
        body: {
          spec: { '$setElementOrder/containers': order.map((name) => ({ name })), containers: names.map((name) => ({ name, image: 'j' })) },
        },
      });
    expect((await patch(['a', 'b'], ['b'])).status).to.equal(200);
    for (const [order, names] of [
      [['a'], ['b']],
      [
        ['b', 'a'],
        ['a', 'b'],
      ],
    ] as const) {
      const { status, body } = await patch(order, names);
      expect([status, String(body['message']).startsWith('The order in patch list:\n[map[')]).to.deep.equal([500, true]);
    }
  });

  it('know two more ways to write what is meant', async () => {
    for (const raw of [
      '{"apiVersion":"/v1","kind":"ConfigMap","metadata":{"name":"slash"}}',
      '{"metadata":{"name":"minus","generation":-0}}',
    ])
      expect((await send('POST', maps, { raw })).status, raw).to.equal(201);
    expect((await send('GET', `${maps}/slash`)).body['apiVersion']).to.equal('v1');
    expect((await send('GET', `${maps}/slash?export=true`)).body).to.include({
      code: 400,
      message: 'the export parameter, deprecated since v1.14, is no longer supported',
    });
    expect((await send('GET', `${maps}/slash?export=false`)).status).to.equal(200);
  });

  it('go on from any version below zero as from none', async () => {
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":-7,"start":"a\\u0000"}').toString('base64url');
    expect((await send('GET', `${maps}?limit=1&continue=${token}`)).status).to.equal(200);
  });
});
