import { expect } from 'chai';
import { startTestServer, type TestServer } from './harness.js';

describe('where the time of a request goes', () => {
  let server: TestServer;
  let ended: (parts: readonly string[]) => void = () => undefined;

  before(async () => {
    server = await startTestServer(undefined, {
      tap: {
        begin: (exchange) => {
          exchange.onClose(() => ended(Object.keys(exchange.latency.times)));
        },
      },
    });
  });
  after(() => server.close());

  async function partsOf(path: string, init: RequestInit = {}): Promise<readonly string[]> {
    const parts = new Promise<readonly string[]>((resolve) => (ended = resolve));
    const response = await fetch(`${server.url}${path}`, init);
    expect(response.ok, await response.text()).to.equal(true);
    return parts;
  }

  const maps = '/api/v1/namespaces/default/configmaps';
  const map = JSON.stringify({ metadata: { name: 'm' }, data: { a: 'b' } });
  const applied = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: e}\n';
  const asked = ['authentication', 'authorization'];
  const written = [...asked, 'request-body', 'etcd', 'serialize-response-object'];
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const json = { 'content-type': 'application/json' };
  const merge = { 'content-type': 'application/merge-patch+json' };
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const cases: readonly (readonly [what: string, path: string, init: RequestInit, parts: readonly string[]])[] = [
    ['a document', '/version', {}, asked],
    ['a create', maps, { method: 'POST', body: map, headers: json }, written],
    ['an update', `${maps}/m`, { method: 'PUT', body: map.replace('"b"', '"c"'), headers: json }, written],
    ['a patch', `${maps}/m`, { method: 'PATCH', body: '{"data":{"a":"d"}}', headers: merge }, written],
    ['an apply', `${maps}/m?fieldManager=f&force=true`, { method: 'PATCH', body: applied, headers: apply }, written],
    ['a get', `${maps}/m`, {}, [...asked, 'etcd', 'serialize-response-object']],
    ['a list', maps, {}, [...asked, 'etcd', 'serialize-response-object']],
    ['a table', maps, { headers: table }, [...asked, 'etcd', 'transform-response-object']],
    ['a delete', `${maps}/m`, { method: 'DELETE' }, [...asked, 'request-body', 'etcd']],
  ];
  for (const [what, path, init, parts] of cases)
    it(`is notified of ${what}`, async () => {
      expect(await partsOf(path, init)).to.deep.equal(parts);
    });
});
