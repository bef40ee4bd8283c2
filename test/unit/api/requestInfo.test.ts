import { expect } from 'chai';
import fc from 'fast-check';
import { requestInfo } from '../../../api/requestInfo.js';
import { parseQuery, parseTarget } from '../../../program/port/target.js';

interface Expected {
  verb: string;
  group?: string;
  version?: string;
  namespace?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: string;
  rest?: string[];
}

function read(method: string, url: string): ReturnType<typeof requestInfo> {
  const target = parseTarget(url);
  if (!target.ok) throw new Error(target.message);
  return requestInfo(method, target.path, parseQuery(target.search));
}

const resources: [string, string, Expected][] = [
  ['GET', '/api/v1/nodes', { verb: 'list', resource: 'nodes' }],
  ['GET', '/api/v1/nodes/', { verb: 'list', resource: 'nodes' }],
  ['GET', '/api/v1/nodes/n1', { verb: 'get', resource: 'nodes', name: 'n1' }],
  ['POST', '/api/v1/nodes', { verb: 'create', resource: 'nodes' }],
  ['DELETE', '/api/v1/nodes', { verb: 'deletecollection', resource: 'nodes' }],
  ['DELETE', '/api/v1/nodes/n1', { verb: 'delete', resource: 'nodes', name: 'n1' }],
  ['PUT', '/api/v1/nodes/n1/status', { verb: 'update', resource: 'nodes', name: 'n1', subresource: 'status' }],
  ['PATCH', '/api/v1/nodes/n1', { verb: 'patch', resource: 'nodes', name: 'n1' }],
  ['HEAD', '/api/v1/nodes/n1', { verb: 'head', resource: 'nodes', name: 'n1' }],
  ['OPTIONS', '/api/v1/nodes', { verb: 'options', resource: 'nodes' }],
  ['PROPFIND', '/api/v1/nodes', { verb: 'other', resource: 'nodes' }],
  ['constructor', '/api/v1/nodes', { verb: 'other', resource: 'nodes' }],
  ['GET', '/api/v1/constructor', { verb: 'list', resource: 'constructor' }],
  ['GET', '/api/v1/pods', { verb: 'list', resource: 'pods' }],
  ['GET', '/api/v1/namespaces/ns/pods', { verb: 'list', namespace: 'ns', resource: 'pods' }],
  ['GET', '/api/v1/namespaces//pods', { verb: 'list', namespace: '', resource: 'pods' }],
  ['GET', '/api/v1/namespaces/ns/pods/a', { verb: 'get', namespace: 'ns', resource: 'pods', name: 'a' }],
  ['GET', '/api/v1/namespaces/ns/pods/a/log', { verb: 'get', namespace: 'ns', resource: 'pods', name: 'a', subresource: 'log' }],
  [
    'GET',
    '/api/v1/namespaces/ns/pods/a/proxy/x/y',
    { verb: 'get', namespace: 'ns', resource: 'pods', name: 'a', subresource: 'proxy', rest: ['x', 'y'] },
  ],
  ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces' }],
  ['GET', '/api/v1/namespaces/ns', { verb: 'get', namespace: 'ns', resource: 'namespaces', name: 'ns' }],
  ['GET', '/api/v1/namespaces/ns/', { verb: 'get', namespace: 'ns', resource: 'namespaces', name: 'ns' }],
  ['DELETE', '/api/v1/namespaces', { verb: 'deletecollection', resource: 'namespaces' }],
  [
    'PUT',
    '/api/v1/namespaces/ns/finalize',
    { verb: 'update', namespace: 'ns', resource: 'namespaces', name: 'ns', subresource: 'finalize' },
  ],
  ['PATCH', '/api/v1/namespaces/ns/status', { verb: 'patch', namespace: 'ns', resource: 'namespaces', name: 'ns', subresource: 'status' }],
  ['GET', '/apis/apps/v1/deployments', { verb: 'list', group: 'apps', resource: 'deployments' }],
  [
    'GET',
    '/apis/apps/v1/namespaces/ns/deployments/d/scale',
    { verb: 'get', group: 'apps', namespace: 'ns', resource: 'deployments', name: 'd', subresource: 'scale' },
  ],
  [
    'GET',
    '/apis/coordination.k8s.io/v1/watch/namespaces/ns/leases',
    { verb: 'watch', group: 'coordination.k8s.io', namespace: 'ns', resource: 'leases' },
  ],
  ['GET', '/api/v1/watch/namespaces/ns/secrets/a', { verb: 'watch', namespace: 'ns', resource: 'secrets', name: 'a' }],
  ['GET', '/api/v1/watch/namespaces/ns', { verb: 'watch', namespace: 'ns', resource: 'namespaces', name: 'ns' }],
  [
    'GET',
    '/api/v1/watch/namespaces/ns/secrets/a/status',
    { verb: 'watch', namespace: 'ns', resource: 'secrets', name: 'a', subresource: 'status' },
  ],
  ['POST', '/api/v1/watch/namespaces/ns/secrets', { verb: 'other', namespace: 'ns', resource: 'secrets' }],
  ['GET', '/api/v1/proxy/namespaces/ns/services/s/x', { verb: 'proxy', namespace: 'ns', resource: 'services', name: 's', rest: ['x'] }],
  ['GET', '/api/v1/pods?watch=1', { verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=', { verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=maybe', { verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=FALSE', { verb: 'list', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=0', { verb: 'list', resource: 'pods' }],
  ['GET', '/api/v1/namespaces/ns/pods/a?watch=1', { verb: 'get', namespace: 'ns', resource: 'pods', name: 'a' }],
  [
    'GET',
    '/api/v1/namespaces/ns/pods?fieldSelector=metadata.name%3Da',
    { verb: 'list', namespace: 'ns', resource: 'pods', name: 'a', fieldSelector: 'metadata.name=a' },
  ],
  [
    'GET',
    '/api/v1/namespaces/ns/pods?fieldSelector=metadata.name==a,status.phase=Running&watch=1',
    { verb: 'watch', namespace: 'ns', resource: 'pods', name: 'a', fieldSelector: 'metadata.name==a,status.phase=Running' },
  ],
  [
    'GET',
    '/api/v1/namespaces/ns/pods?fieldSelector=metadata.name!=a',
    { verb: 'list', namespace: 'ns', resource: 'pods', fieldSelector: 'metadata.name!=a' },
  ],
  [
    'GET',
    '/api/v1/namespaces/ns/pods?fieldSelector=metadata.name=a/b',
    { verb: 'list', namespace: 'ns', resource: 'pods', fieldSelector: 'metadata.name=a/b' },
  ],
  ['GET', '/api/v1/namespaces/ns/configmaps/%61', { verb: 'get', namespace: 'ns', resource: 'configmaps', name: 'a' }],
  ['GET', '/api/v1/namespaces/ns/configmaps/a%2Fb', { verb: 'get', namespace: 'ns', resource: 'configmaps', name: 'a', subresource: 'b' }],
  ['GET', '/api/v1/namespaces/ns/configmaps/a%20b', { verb: 'get', namespace: 'ns', resource: 'configmaps', name: 'a b' }],
  ['GET', '/api/V1/nodes', { verb: 'list', version: 'V1', resource: 'nodes' }],
];

const documents: [string, string, string][] = [
  ['GET', '/', 'get'],
  ['GET', '/api', 'get'],
  ['GET', '/api/', 'get'],
  ['GET', '/api/v1', 'get'],
  ['GET', '/apis/apps', 'get'],
  ['GET', '/apis/apps/v1', 'get'],
  ['GET', '/healthz', 'get'],
  ['POST', '/version', 'post'],
  ['PUT', '/healthz', 'put'],
  ['GET', '/API/v1/nodes', 'get'],
  ['PROPFIND', '/metrics', 'other'],
];

describe('request info', () => {
  for (const [method, url, expected] of resources) {
    it(`${method} ${url}`, () => {
      const result = read(method, url);
      const group = expected.group ?? '';
      const whole = { isResource: true, version: 'v1', namespace: '', subresource: '', name: '', rest: [], ...expected, group };
      expect(result).to.deep.include({ ok: true });
      expect(result.ok && { ...result.info, path: undefined }).to.deep.equal({ ...whole, path: undefined });
    });
  }
  for (const [method, url, verb] of documents) {
    it(`${method} ${url} names no resource`, () => {
      expect(read(method, url)).to.deep.equal({ ok: true, info: { isResource: false, path: url, verb } });
    });
  }
  it('refuses a watch prefix without a resource', () => {
    expect(read('GET', '/api/v1/watch')).to.deep.equal({
      ok: false,
      message: 'unable to determine kind and namespace from url, /api/v1/watch',
    });
  });
  it('never throws, and no part of a resource holds a slash', function () {
    this.timeout(0);
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), fc.constantFrom('GET', 'POST', 'DELETE', 'x'), (path, query, method) => {
        const target = parseTarget(`/api/v1${path}?${query}`);
        if (!target.ok) return;
        const result = requestInfo(method, target.path, parseQuery(target.search));
        if (result.ok && result.info.isResource) {
          expect(
            [result.info.namespace, result.info.resource, result.info.name, result.info.subresource, ...result.info.rest].join(''),
          ).not.to.include('/');
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('selectors that name an object', () => {
  /** The longest request line. Quadratic time would block the server for minutes before authentication. */
  const long = 60_000;
  for (const [what, selector] of [
    ['spaces before a letter', `metadata.name=a${'+'.repeat(long)}x`],
    ['spaces', `${'+'.repeat(long)}metadata.name`],
    ['spaces before the sign', `metadata.name${'+'.repeat(long)}x`],
    ['commas', `metadata.name=a${','.repeat(long)}`],
  ] as const) {
    it(`take no more time than their length: ${what}`, () => {
      for (let round = 0; round < 50; round += 1)
        expect(read('GET', `/api/v1/pods?fieldSelector=${selector}`)).to.have.property('ok', true);
    });
  }
  it('name it with spaces around as well, and nothing when nothing is there', () => {
    for (const [selector, name] of [
      ['+metadata.name+=+a+', 'a'],
      ['metadata.name==++', ''],
      ['metadata.name=a,metadata.name=b', ''],
    ] as const) {
      const found = read('GET', `/api/v1/namespaces/ns/pods?fieldSelector=${selector}`);
      expect(found.ok && found.info.isResource && found.info.name, selector).to.equal(name);
    }
  });
});

describe('request target', () => {
  it('takes the absolute form for its path', () => {
    expect(parseTarget('https://example.com:6443/api/v1?x=1')).to.deep.equal({
      ok: true,
      path: '/api/v1',
      search: 'x=1',
      origin: '/api/v1?x=1',
    });
    expect(parseTarget('https://example.com')).to.deep.equal({ ok: true, path: '/', search: '', origin: '/' });
    expect(parseTarget('https://example.com/api/v1', 2).ok, 'over HTTP/2').to.equal(false);
  });
  for (const url of ['', 'api/v1', '/%zz', '/%ff', '/%e4', 'javascript:alert(1)']) {
    it(`refuses ${JSON.stringify(url)}`, () => {
      expect(parseTarget(url).ok).to.equal(false);
    });
  }
  it('drops broken pairs of a query and keeps the others', () => {
    expect([...parseQuery('labelSelector=%zz&a=b+c&d=%20&e;f=g')]).to.deep.equal([
      ['a', 'b c'],
      ['d', ' '],
    ]);
  });
});
