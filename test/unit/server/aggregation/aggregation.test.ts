import { expect } from 'chai';
import { once } from 'node:events';
import type http from 'node:http';
import { createServer, type Server } from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { createAggregation, type Aggregation } from '../../../../server/aggregation/aggregation.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { systemUser } from '../../../../api/user.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../server/registry/resources.js';
import { createDiscovery } from '../../../../server/discovery/discovery.js';
import { createChain } from '../../../../server/http/chain.js';
import { createRoutes } from '../../../../server/http/routes.js';
import { createHealthRegistry } from '../../../../program/health.js';
import type { Logger } from '../../../../program/log/logger.js';
import { createMetrics } from '../../../../server/http/metrics.js';
import { createRegistry } from '../../../../server/registry/store.js';
import { ServiceUnresolvedError } from '../../../../server/registry/serviceAddresses.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import { listen } from '../endpoints/front.js';
import { createIdentities, type Identities } from '../../../fixtures/identities.js';

const ignore = (): void => {};
const silent: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore, enabled: () => false, named: () => silent };
const writes = { user: systemUser, manager: 'm', dryRun: false, timeoutMs: 1000, warn: ignore };
const apiServiceName = 'v1.remote.example.com';
const versionPath = '/apis/remote.example.com/v1';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Another program's API; `answer` handles all but its resource list. */
async function startProgram(identities: Identities): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly seen: Seen[];
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
  /** Replaces its resource list and everything else. */
  discovery: ((request: http.IncomingMessage, response: http.ServerResponse) => void) | null;
}> {
  const { cert, key } = await identities.issue({ name: 'api', usage: 'serverAuth', dns: ['api.default.svc'] });
  const program = {
    server: createServer({ cert, key, ca: identities.ca, requestCert: true, rejectUnauthorized: false }),
    port: 0,
    seen: [] as Seen[],
    answer: (_request: http.IncomingMessage, response: http.ServerResponse): void => {
      response.end('{}');
    },
    discovery: null as ((request: http.IncomingMessage, response: http.ServerResponse) => void) | null,
  };
  program.server.on('request', (request, response) => {
    if (program.discovery !== null && (request.url === versionPath || request.url === '/apis')) return program.discovery(request, response);
    if (request.url === '/apis') return response.writeHead(406).end();
    if (request.url === versionPath) {
      response.end(
        JSON.stringify({
          kind: 'APIResourceList',
          resources: [
            { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'], shortNames: ['th'] },
            { name: 'things/status', kind: 'Thing', namespaced: true, verbs: ['get'] },
          ],
        }),
      );
      return;
    }
    if (request.url?.startsWith('/openapi/') === true) {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        program.seen.push({
          method: request.method ?? '',
          url: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        });
        program.answer(request, response);
      });
  });
  program.server.on('upgrade', (request: http.IncomingMessage, socket: Socket) => {
    program.seen.push({ method: 'UPGRADE', url: request.url ?? '', headers: request.headers, body: '' });
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  program.server.on('tlsClientError', ignore);
  program.server.listen(0, '127.0.0.1');
  await once(program.server, 'listening');
  return Object.assign(program, { port: (program.server.address() as AddressInfo).port });
}

describe('aggregation', () => {
  const storage = createMemoryStorage({ selectableFields: () => null });
  const catalogue = createCatalogue();
  const registry = createRegistry({ storage });
  const typed = (group: string, version: string, resource: string): ServedResource => {
    const found = catalogue.resource(group, version, resource);
    if (found === null) throw new Error(`no ${resource}`);
    return found;
  };
  const apiServices = typed('apiregistration.k8s.io', 'v1', 'apiservices');
  let identities: Identities;
  let program: Awaited<ReturnType<typeof startProgram>>;
  let aggregation: Aggregation;
  let lenient: Aggregation;
  let front: http.Server;
  let url = '';
  let port: number | null = null;

  const condition = async (): Promise<JsonObject> => {
    const object = (await registry.get({ resource: apiServices, namespace: '', name: apiServiceName }, { at: 'mostRecent' })).decode();
    return ((object['status'] as JsonObject | undefined)?.['conditions'] as JsonObject[] | undefined)?.[0] ?? {};
  };
  const becomes = async (reason: string): Promise<JsonObject> => {
    for (;;) {
      const found = await condition();
      if (found['reason'] === reason) return found;
      await new Promise(setImmediate);
    }
  };
  const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${url}${path}`, { redirect: 'manual', ...init });
  const aggregated = async (): Promise<JsonObject | undefined> => {
    const list = (await (
      await get('/apis', { headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' } })
    ).json()) as { readonly items: JsonObject[] };
    return list.items.find((each) => (each['metadata'] as JsonObject)['name'] === 'remote.example.com');
  };

  before(async () => {
    identities = await createIdentities();
    program = await startProgram(identities);
    const { cert, key } = await identities.issue({ name: 'front-proxy' });
    const options = {
      storage,
      catalogue,
      identity: { cert, key },
      addresses: () =>
        port === null ? Promise.reject(new ServiceUnresolvedError('nobody is there')) : Promise.resolve({ host: '127.0.0.1', port }),
    };
    aggregation = createAggregation({ ...options, rejectsRedirects: true });
    lenient = createAggregation({ ...options, rejectsRedirects: false });
    const discovery = createDiscovery({ catalogue, groups: () => aggregation.groups() });
    const routes = createRoutes({
      resources: async (context) => {
        if (!(await (context.query.has('lenient') ? lenient : aggregation).answers(context))) {
          context.response.writeHead(404);
          context.response.end();
        }
      },
      documents: async (context) => (await aggregation.answers(context)) || discovery(context),
      health: createHealthRegistry(),
      metrics: createMetrics(),
      replica: null,
      log: silent,
    });
    const chain = createChain(
      {
        authenticate: () => ({
          outcome: 'user',
          user: { name: 'ann', uid: '7', groups: ['devs', 'ops'], extra: { 'example.com/Scope': ['a', 'b'] } },
        }),
        authorize: () => ({ decision: 'allow', reason: '' }),
        requestTimeoutMs: 60_000,
        inflight: { readOnlyMax: 0, mutatingMax: 0 },
        corsOrigins: [],
        strictTransportSecurity: null,
        metrics: createMetrics(),
        log: silent,
      },
      routes,
    );
    ({ server: front, url } = await listen(chain));
    await registry.create(
      { resource: typed('', 'v1', 'namespaces'), namespace: '', name: '' },
      { metadata: { name: 'default' } } as ApiObject,
      writes,
    );
    await registry.create(
      { resource: apiServices, namespace: '', name: '' },
      {
        metadata: { name: apiServiceName },
        spec: {
          group: 'remote.example.com',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
          service: { namespace: 'default', name: 'api' },
          caBundle: Buffer.from(identities.ca).toString('base64'),
        },
      } as ApiObject,
      writes,
    );
    await aggregation.synced;
    aggregation.begin({ registry, resource: apiServices, writes, now: () => '2026-01-01T00:00:00Z', report: ignore });
  });
  after(() => {
    void aggregation.stop();
    void lenient.stop();
    front.close();
    front.closeAllConnections();
    program.server.close();
    program.server.closeAllConnections();
  });

  it('says why a program cannot be used, and waits for none', async () => {
    expect(await becomes('ServiceNotFound')).to.deep.equal({
      type: 'Available',
      status: 'False',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'ServiceNotFound',
      message: 'service/api in "default" is not present',
    });
    for (const path of [versionPath, `${versionPath}/things`]) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).to.deep.equal([
        503,
        'text/plain; charset=utf-8',
        'service unavailable\n',
      ]);
    }
    expect(await (await get('/apis/remote.example.com')).json()).to.deep.include({
      kind: 'APIGroup',
      name: 'remote.example.com',
      versions: [{ groupVersion: 'remote.example.com/v1', version: 'v1' }],
    });
    expect((await aggregated())?.['versions']).to.deep.equal([{ version: 'v1', freshness: 'Stale' }]);
    expect(((await (await get('/')).json()) as { readonly paths: string[] }).paths).to.include.members([
      '/apis/remote.example.com',
      versionPath,
    ]);
  });

  it('finds programs as they come, and what they serve', async () => {
    await storage.create(
      { resource: { group: '', resource: 'services' }, namespace: 'default', name: 'api' },
      { metadata: { name: 'api', namespace: 'default' }, spec: { type: 'ExternalName', externalName: 'x' } },
      { timeoutMs: 1000 },
    );
    expect((await becomes('FailedDiscoveryCheck'))['message']).to.equal(
      'failing or missing response from https://api.default.svc:443/apis/remote.example.com/v1: nobody is there',
    );
    ({ port } = program);
    expect(await becomes('Passed')).to.deep.include({ status: 'True', message: 'all checks passed' });
    expect((await aggregated())?.['versions']).to.deep.equal([
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'things',
            responseKind: { group: 'remote.example.com', version: 'v1', kind: 'Thing' },
            scope: 'Namespaced',
            singularResource: 'thing',
            verbs: ['get', 'list'],
            shortNames: ['th'],
            subresources: [
              { subresource: 'status', responseKind: { group: 'remote.example.com', version: 'v1', kind: 'Thing' }, verbs: ['get'] },
            ],
          },
        ],
      },
    ]);
  });

  const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const other = { resource: 'others', scope: 'Cluster', singularResource: 'other', verbs: ['get'], responseKind: null, odd: 1 };
  const groups = [{ metadata: { name: 'remote.example.com' }, versions: [{ version: 'v1', resources: [other] }] }];
  const touch = async (looked: string): Promise<void> => {
    const service = { resource: apiServices, namespace: '', name: apiServiceName };
    const apply = (object: ApiObject | null): ApiObject => ({ ...object, metadata: { ...object?.metadata, labels: { looked } } });
    await registry.update(service, { apply, subresource: '', uid: null, mayCreate: null }, writes);
  };
  const version = async (): Promise<JsonObject> => ((await aggregated())?.['versions'] as JsonObject[])[0] ?? {};
  const resources = async (): Promise<JsonObject[]> => (await version())['resources'] as JsonObject[];
  const untilServed = async (name: string): Promise<void> => {
    while ((await resources())[0]?.['resource'] !== name) await new Promise(setImmediate);
  };

  it('asks programs for all that they serve first, in whatever form they like best', async () => {
    program.discovery = (request, response) => {
      // It does not support lists of one version in JSON.
      if (request.url !== '/apis') return response.writeHead(request.headers.accept === undefined ? 200 : 406).end();
      expect(request.headers.accept).to.equal(`${aggregatedType},${aggregatedType.replace('v=v2', 'v=v2beta1')}`);
      response.writeHead(200, { 'content-type': aggregatedType }).end(JSON.stringify({ kind: 'APIGroupDiscoveryList', items: groups }));
    };
    await touch('again');
    await untilServed('others');
    expect(await resources()).to.deep.equal([
      {
        resource: 'others',
        responseKind: { group: '', version: '', kind: '' },
        scope: 'Cluster',
        singularResource: 'other',
        verbs: ['get'],
      },
    ]);
    expect(await condition()).to.include({ reason: 'Passed' });
    program.discovery = null;
    await touch('once-more');
    await untilServed('things');
  });

  it('shows what a program serves that says so, though it counts as unavailable', async () => {
    program.discovery = (request, response) => {
      if (request.url !== '/apis') return response.writeHead(500).end();
      response.writeHead(200, { 'content-type': aggregatedType }).end(JSON.stringify({ kind: 'APIGroupDiscoveryList', items: groups }));
    };
    await touch('unwell');
    await untilServed('others');
    expect((await becomes('FailedDiscoveryCheck'))['message']).to.match(/bad status from .*: 500/);
    expect(await version()).to.include({ freshness: 'Current' });
    program.discovery = null;
    await touch('well');
    await untilServed('things');
    await becomes('Passed');
  });

  it('passes requests and answers on, with who asks in place of how they proved it', async () => {
    program.answer = (_request, response) => {
      response.writeHead(418, { 'x-own': 'yes' }).end('short and stout');
    };
    const answer = await get(`${versionPath}/namespaces/n/things/a%2fb?watch=false`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { authorization: 'Bearer secret', 'x-remote-user': 'root', 'content-type': 'application/json' },
    });
    expect([answer.status, answer.headers.get('x-own'), await answer.text()]).to.deep.equal([418, 'yes', 'short and stout']);
    const [seen] = program.seen.splice(0);
    // The path as it was decoded for authorization.
    expect(seen).to.deep.include({ method: 'POST', url: `${versionPath}/namespaces/n/things/a/b?watch=false`, body: '{"a":1}' });
    expect(seen?.headers)
      .to.deep.include({
        'x-remote-user': 'ann',
        'x-remote-uid': '7',
        'x-remote-group': 'devs, ops',
        'x-remote-extra-example.com%2fscope': 'a, b',
        host: 'api.default.svc',
        via: '1.1 kube-aggregator',
      })
      .and.to.not.have.property('authorization');
  });

  it('passes what comes slowly as it comes', async () => {
    let finish = ignore;
    program.answer = (_request, response) => {
      response.write('first\n');
      finish = () => {
        response.end('last\n');
      };
    };
    const answer = await get(`${versionPath}/things?watch=true`);
    const reader = answer.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).to.equal('first\n');
    finish();
    expect(Buffer.from((await reader.read()).value!).toString()).to.equal('last\n');
    program.seen.length = 0;
  });

  it('passes connections of other protocols on', async () => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${versionPath}/things/x/exec HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    while (!text.includes('\r\n\r\n')) await once(socket, 'data');
    expect(text).to.match(/^HTTP\/1\.1 101 /);
    text = '';
    socket.write('hello');
    while (text !== 'hello') await once(socket, 'data');
    socket.destroy();
    expect(program.seen.splice(0)[0]).to.deep.include({ method: 'UPGRADE', url: `${versionPath}/things/x/exec` });
  });

  it('lets no program send clients elsewhere, unless told to', async () => {
    program.answer = (_request, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example.com/' }).end();
    };
    const refused = await get(`${versionPath}/things`);
    expect([refused.status, await refused.text()]).to.deep.equal([
      502,
      'the backend attempted to redirect this request, which is not permitted\n',
    ]);
    const passed = await get(`${versionPath}/things?lenient`);
    expect([passed.status, passed.headers.get('location')]).to.deep.equal([302, 'https://elsewhere.example.com/']);
  });

  it('ends circles', async () => {
    const hop = '1.1 kube-aggregator';
    expect((await get(`${versionPath}/things`, { headers: { via: [hop, hop, hop].join(', ') } })).status).to.equal(508);
  });

  it('notices programs that went away, and shows what they served as stale', async () => {
    program.server.close();
    program.server.closeAllConnections();
    const answer = await get(`${versionPath}/things`);
    expect([answer.status, await answer.text()]).to.satisfy(
      ([code, text]: [number, string]) => code === 503 && /^(error trying to reach service: |service unavailable)/.test(text),
    );
    // A change of the object triggers a check at once.
    await registry.update(
      { resource: apiServices, namespace: '', name: apiServiceName },
      {
        apply: (current) => ({ ...current!, metadata: { ...current!.metadata, labels: { a: 'b' } } }),
        subresource: '',
        uid: null,
        mayCreate: null,
      },
      writes,
    );
    expect(await becomes('FailedDiscoveryCheck')).to.deep.include({ status: 'False' });
    expect((await aggregated())?.['versions']).to.have.nested.property('[0].freshness', 'Stale');
    expect((await aggregated())?.['versions']).to.have.nested.property('[0].resources[0].resource', 'things');
  });

  it('forgets what is not there any more', async () => {
    await registry.delete(
      { resource: apiServices, namespace: '', name: apiServiceName },
      { gracePeriodSeconds: null, propagationPolicy: null, orphanDependents: null, uid: null, resourceVersion: null },
      writes,
    );
    while ((await get('/apis/remote.example.com')).status !== 404) await new Promise(setImmediate);
    expect((await get(`${versionPath}/things`)).status).to.equal(404);
    expect(await aggregated()).to.equal(undefined);
  });
});
