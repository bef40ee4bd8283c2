import { expect } from 'chai';
import { itemsOf, memberAt } from '../../../../api/json/members.js';
import { protobufDecode } from '../../../../workers/codecs/protobuf/index.js';
import { call, watchStream, type Answer } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const protobuf = 'application/vnd.kubernetes.protobuf';
const neutral = 'application/vnd.orch.protobuf';

describe('endpoints/negotiation', () => {
  let server: TestServer;
  const read = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    call(server.url, 'GET', path, { headers });
  const isLaidOut = ({ text, body }: Answer): boolean => text === JSON.stringify(body, null, 2);

  before(async () => {
    server = await startTestServer();
    for (const name of ['a', 'b', 'c'])
      await call(server.url, 'POST', configMaps, { body: { metadata: { name }, data: { k: `{"${name}": []}` } } });
  });
  after(() => server.close());

  describe('lays JSON out', () => {
    const paths = [
      configMaps,
      `${configMaps}/a`,
      `${configMaps}/absent`,
      `${configMaps}?limit=2`,
      `${configMaps}?limit=x`,
      '/api',
      '/apis',
      '/apis/apps',
      '/api/v1',
    ];
    const withPretty = (path: string, value: string): string => `${path}${path.includes('?') ? '&' : '?'}pretty=${value}`;

    for (const path of paths) {
      it(`of ${path}, when the query, the media type or the program asks for it`, async () => {
        for (const value of ['1', 'true', 'T']) expect(isLaidOut(await read(withPretty(path, value))), value).to.equal(true);
        for (const agent of ['curl/8.5.0', 'Wget/1.21', 'Mozilla/5.0 (X11)'])
          expect(isLaidOut(await read(path, { 'user-agent': agent })), agent).to.equal(true);
        for (const value of ['0', 'false', 'yes'])
          expect(isLaidOut(await read(withPretty(path, value), { 'user-agent': 'curl/8.5.0' })), value).to.equal(false);
        for (const agent of ['kubectl/v1.36.0', 'my curl', ''])
          expect(isLaidOut(await read(withPretty(path, ''), { 'user-agent': agent })), agent).to.equal(false);
      });
    }

    it('of lists, tables and metadata alike, with nothing else changed', async () => {
      for (const as of ['', ';as=Table;g=meta.k8s.io;v=v1', ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1']) {
        const plain = await read(configMaps, { accept: `application/json${as}` });
        const pretty = await read(configMaps, { accept: `application/json${as};pretty=1` });
        expect(pretty.headers['content-type']).to.equal('application/json');
        expect(isLaidOut(pretty)).to.equal(true);
        if (as.includes('Table')) expect(pretty.body['rows']).to.have.length(3);
        else expect(pretty.body).to.deep.equal(plain.body);
      }
    });

    it('of documents that are no objects of the API, for everybody', async () => {
      for (const path of ['/', '/version'])
        for (const agent of ['', 'curl/8.5.0']) expect(isLaidOut(await read(path, { 'user-agent': agent })), path).to.equal(true);
    });

    it('but not of watches, nor other encodings', async () => {
      const stream = await watchStream(server.url, `${configMaps}?watch=1&pretty=1&fieldSelector=metadata.name%3Da&timeoutSeconds=1`, {
        'user-agent': 'curl/8.5.0',
      });
      expect(await stream.rest()).to.have.length(1);
      const [plain, pretty] = [
        await read(`${configMaps}/a`, { accept: 'application/yaml' }),
        await read(`${configMaps}/a?pretty=1`, { accept: 'application/yaml' }),
      ];
      expect(pretty.text).to.equal(plain.text);
    });
  });

  it('refuses in the encoding that the client reads, whoever is to blame', async () => {
    const future = `${configMaps}/a?resourceVersion=999999`;
    for (const [path, code] of [
      [`${configMaps}?limit=x`, 400],
      [`${configMaps}/absent`, 404],
      [`${configMaps}?timeout=abc`, 400],
      [`${configMaps}/a?resourceVersion=abc`, 500],
      [future, 504],
    ] as const) {
      const yaml = await read(path, { accept: 'application/yaml' });
      expect([yaml.status, yaml.headers['content-type']], path).to.deep.equal([code, 'application/yaml']);
      expect(yaml.text).to.contain(`code: ${code}\n`).and.contain('kind: Status\n');
    }
    const answer = await fetch(`${server.url}${future}`, { headers: { accept: protobuf } });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('retry-after')]).to.deep.equal([504, protobuf, '1']);
    const status = protobufDecode(Buffer.from(await answer.arrayBuffer()));
    expect(status).to.have.nested.property('value.details.causes[0].message', 'Too large resource version');
  });

  it('knows Protobuf by its neutral name as well, and answers under the name that was used', async () => {
    for (const accept of [neutral, `${neutral}, application/json`, `text/html, ${neutral};q=0.5`]) {
      const answer = await fetch(`${server.url}${configMaps}/a`, { headers: { accept } });
      expect(answer.headers.get('content-type')).to.equal(neutral);
      const decoded = protobufDecode(Buffer.from(await answer.arrayBuffer()));
      expect(decoded).to.have.nested.property('value.metadata.name', 'a');
    }
    const watch = await fetch(`${server.url}${configMaps}?watch=1&timeoutSeconds=1`, { headers: { accept: neutral } });
    expect(watch.headers.get('content-type')).to.equal(`${neutral};stream=watch`);
    await watch.arrayBuffer();
    const body = await (await fetch(`${server.url}${configMaps}/a`, { headers: { accept: protobuf } })).arrayBuffer();
    const put = await fetch(`${server.url}${configMaps}/a`, { method: 'PUT', body, headers: { 'content-type': neutral } });
    expect(put.status).to.equal(200);
  });

  it('tries ranges after what they may stand for, and streams only for what can be streamed', async () => {
    const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    for (const [accept, path, type] of [
      ['application/*,application/yaml', `${configMaps}/a`, 'application/yaml'],
      ['*/*, application/yaml', '/api', 'application/yaml'],
      ['text/html, application/*', '/apis', 'application/json'],
    ] as const)
      expect((await read(path, { accept })).headers['content-type'], accept).to.equal(type);
    expect((await read(configMaps, { accept: `*/*, ${table}` })).body['kind']).to.equal('Table');
    for (const [accept, code] of [
      ['application/yaml;stream=watch', 406],
      ['application/json;stream=other', 406],
      ['application/json;sv=v2', 406],
      ['application/json;stream=watch', 200],
    ] as const)
      expect((await read('/api', { accept })).status, accept).to.equal(code);
  });

  it('has no items in an empty list of metadata', async () => {
    const form = ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const none = `${configMaps}?labelSelector=a%3Dnone`;
    expect((await read(none, { accept: `application/json${form}` })).body).to.have.property('items', null);
    expect((await read(none, { accept: `application/yaml${form}` })).text).to.contain('items: null\n');
    expect((await read(none)).body).to.have.deep.property('items', []);
  });

  it('has no rows in an empty table of a kind without columns of its own (rest/table.go)', async () => {
    const form = ';as=Table;g=meta.k8s.io;v=v1';
    const none = '/api/v1/namespaces/default/limitranges';
    expect((await read(none, { accept: `application/json${form}` })).body).to.have.property('rows', null);
    expect((await read(none, { accept: `application/yaml${form}` })).text).to.contain('rows: null\n');
    const named = await read(`${configMaps}?labelSelector=a%3Dnone`, { accept: `application/json${form}` });
    expect(named.body).to.have.deep.property('rows', []);
  });

  it('names what the method could answer in a refusal', async () => {
    const refused = await call(server.url, 'DELETE', configMaps, { headers: { accept: 'text/plain' } });
    expect([refused.status, refused.body['message']]).to.deep.equal([
      406,
      `406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ${protobuf}`,
    ]);
  });

  it('tells groups whatever the method, and refuses media types there in its own words', async () => {
    for (const path of ['/apis', '/apis/apps'])
      for (const method of ['GET', 'OPTIONS', 'DELETE']) {
        const reported = await call(server.url, method, path);
        expect([reported.status, String(reported.body['kind']).slice(0, 8)], `${method} ${path}`).to.deep.equal([200, 'APIGroup']);
        const refused = await call(server.url, method, path, { headers: { accept: 'text/plain' } });
        expect(refused.body['message'], `${method} ${path}`).to.equal(
          `only the following media types are accepted: application/json, application/yaml, ${protobuf}`,
        );
      }
  });

  it('shows in rows the metadata from before a conversion, which keeps metrics in annotations (rest/table.go)', async () => {
    const autoscalers = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    const kept = { 'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5"}}]' };
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
    const metadata = { name: 'h', annotations: { a: 'b', ...kept } };
    await call(server.url, 'POST', autoscalers, { body: { metadata, spec: { scaleTargetRef, maxReplicas: 5 } } });
    const shown = async (include: string): Promise<unknown> => {
      const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
      const { body } = await read(`${autoscalers}?includeObject=${include}`, { accept });
      return memberAt(itemsOf(body['rows'])[0], 'object', 'metadata', 'annotations');
    };
    expect(await shown('Metadata')).to.deep.equal({ a: 'b' });
    expect(await shown('Object')).to.deep.equal({ a: 'b', ...kept });
  });
});
