import { expect } from 'chai';
import type http from 'node:http';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { masters } from '../../../../server/authorization/builtin.js';
import { createDiscovery } from '../../../../server/discovery/discovery.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { createEndpoints } from '../../../../server/endpoints/endpoints.js';
import { createChain } from '../../../../server/http/chain.js';
import { createRoutes } from '../../../../server/http/routes.js';
import { createHealthRegistry } from '../../../../program/health.js';
import type { Logger } from '../../../../program/log/logger.js';
import { createMetrics } from '../../../../server/http/metrics.js';
import { createWorkers, type Workers } from '../../../../workers/pool.js';
import { call, watchStream, type Answer, type Call } from '../endpoints/client.js';
import { listen } from '../endpoints/front.js';
import { definition, ExtensionServer } from './harness.js';

/** Custom objects over HTTP: missing encodings, and numbers beyond JavaScript's range. */
const ignore = (): void => {};
const silent: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore, enabled: () => false, named: () => silent };
const widgetsPath = '/apis/example.com/v1/namespaces/default/widgets';
const protobuf = 'application/vnd.kubernetes.protobuf';
const big = '9007199254740993';

const widgets = (): ApiObject => {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer' },
            other: { type: 'integer' },
            set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
            byId: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['id'],
              items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, v: { type: 'string' } } },
            },
          },
        },
        status: { type: 'object', properties: { replicas: { type: 'integer' } } },
      },
    },
  };
  return definition('widgets', 'Widget', {
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
      },
    ],
  });
};

const gadgets = (): ApiObject => {
  const old = { deprecated: true, deprecationWarning: 'old', schema: { openAPIV3Schema: { type: 'object' } } };
  return definition('gadgets', 'Gadget', { versions: [{ name: 'v1', served: true, storage: true, ...old }] });
};

describe('extensions/answers', () => {
  let extensions: ExtensionServer;
  let workers: Workers;
  let server: http.Server;
  let url: string;
  let number = 0;
  const next = (): string => `w${number++}`;
  const send = (method: string, path: string, options: Call = {}): Promise<Answer> => call(url, method, path, options);
  const body = (name: string, spec: string, metadata = ''): string =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"${metadata}},"spec":${spec}}`;
  const statusOf = async (name: string): Promise<number> => (await send('GET', `${widgetsPath}/${name}`)).status;

  before(async () => {
    extensions = await ExtensionServer.start();
    await extensions.define(widgets());
    await extensions.define(gadgets());
    workers = createWorkers();
    const {
      registry,
      custom: { catalogue },
    } = extensions;
    const metrics = createMetrics();
    const routes = createRoutes({
      resources: createEndpoints({ registry, catalogue, workers, authorize: masters }),
      documents: createDiscovery({ catalogue, cbor: createCatalogue() }),
      health: createHealthRegistry(),
      metrics,
      replica: null,
      log: silent,
    });
    const chain = createChain(
      {
        authenticate: () => ({
          outcome: 'user',
          user: { name: 'admin', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} },
        }),
        authorize: masters,
        requestTimeoutMs: 60_000,
        inflight: { readOnlyMax: 0, mutatingMax: 0 },
        corsOrigins: [],
        strictTransportSecurity: null,
        metrics,
        log: silent,
      },
      routes,
    );
    ({ server, url } = await listen(chain));
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    extensions.stop();
    await workers.close();
  });

  it('are listed in no CBOR, which clients of a definition do not expect', async () => {
    const path = '/apis/example.com/v1';
    expect((await send('GET', path, { headers: { accept: 'application/cbor' } })).status).to.equal(406);
    const either = await send('GET', path, { headers: { accept: 'application/cbor,application/json;q=0.9' } });
    expect([either.status, either.headers['content-type']]).to.deep.equal([200, 'application/json']);
  });

  it('are written by name', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const { status, body: refused } = await send(method, widgetsPath, { raw: '{}', type: 'application/merge-patch+json' });
      expect([status, refused['message']], method).to.deep.equal([400, 'name must be provided']);
    }
  });

  it('have no subresources outside their namespace, whatever the method', async () => {
    for (const subresource of ['status', 'scale'])
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status } = await send(method, `/apis/example.com/v1/widgets/w/${subresource}`, { body: {} });
        expect(`${method} ${subresource}: ${status}`).to.equal(`${method} ${subresource}: 404`);
      }
  });

  it('are announced as deprecated whatever is asked of them', async () => {
    const path = '/apis/example.com/v1/namespaces/default/gadgets';
    for (const [method, at, status] of [
      ['GET', path, 200],
      ['PUT', path, 400],
      ['GET', `${path}/a/scale`, 404],
      ['POST', `${path}/a/status`, 404],
    ] as const) {
      const answer = await send(method, at, method === 'GET' ? {} : { body: {} });
      expect([method, at, answer.status, answer.headers['warning']]).to.deep.equal([method, at, status, '299 - "old"']);
    }
  });

  it('come in the next encoding that the client takes, for every verb', async () => {
    for (const accept of [`${protobuf},application/json`, `${protobuf};q=0.9,application/json;q=0.1`, `${protobuf},*/*`]) {
      const name = next();
      const headers = { accept };
      const answers = [
        await send('POST', widgetsPath, { headers, raw: body(name, '{"size":1}') }),
        await send('GET', `${widgetsPath}/${name}`, { headers }),
        await send('GET', widgetsPath, { headers }),
        await send('PATCH', `${widgetsPath}/${name}`, { headers, raw: '{"spec":{"size":2}}', type: 'application/merge-patch+json' }),
        await send('GET', `${widgetsPath}/${name}/status`, { headers }),
        await send('GET', `${widgetsPath}/${name}/scale`, { headers }),
        await send('DELETE', `${widgetsPath}/${name}`, { headers }),
      ];
      for (const answer of answers)
        expect([Math.floor(answer.status / 100), answer.headers['content-type'], accept]).to.deep.equal([2, 'application/json', accept]);
    }
    const name = next();
    await send('POST', widgetsPath, { raw: body(name, '{}') });
    expect(
      (await send('GET', `${widgetsPath}/${name}`, { headers: { accept: `${protobuf},application/yaml` } })).headers['content-type'],
    ).to.equal('application/yaml');
    const stream = await watchStream(
      url,
      `${widgetsPath}?watch=1&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}`,
      {
        accept: `${protobuf},application/json`,
      },
    );
    expect([stream.response.statusCode, stream.response.headers['content-type']]).to.deep.equal([200, 'application/json']);
    expect((await stream.rest()).map(({ type }) => type)).to.deep.equal(['ADDED']);
  });

  it('are refused before anything is done where the client takes none', async () => {
    const lists = `application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    for (const accept of [protobuf, 'image/png', `${protobuf};as=Table;g=meta.k8s.io;v=v1`, lists]) {
      const [there, absent] = [next(), next()];
      const headers = { accept };
      const created = await send('POST', widgetsPath, { raw: body(there, '{"size":1}', ',"labels":{"l":"v"}') });
      const { resourceVersion } = created.body['metadata'] as JsonObject;
      const writes = [
        await send('POST', widgetsPath, { headers, raw: body(absent, '{}') }),
        await send('PUT', `${widgetsPath}/${there}`, {
          headers,
          raw: body(there, '{"size":5}', `,"resourceVersion":"${String(resourceVersion)}"`),
        }),
        await send('PATCH', `${widgetsPath}/${there}`, { headers, raw: '{"spec":{"size":5}}', type: 'application/merge-patch+json' }),
        await send('PATCH', `${widgetsPath}/${absent}?fieldManager=m`, {
          headers,
          raw: body(absent, '{}'),
          type: 'application/apply-patch+yaml',
        }),
        await send('PUT', `${widgetsPath}/${there}/scale`, {
          headers,
          raw: `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"${there}"},"spec":{"replicas":5}}`,
        }),
        ...(accept === lists
          ? []
          : [
              await send('DELETE', `${widgetsPath}/${there}`, { headers }),
              await send('DELETE', `${widgetsPath}?labelSelector=l%3Dv`, { headers }),
              await send('GET', `${widgetsPath}?watch=1&timeoutSeconds=1`, { headers }),
            ]),
      ];
      expect([accept, ...writes.map(({ status }) => status)]).to.deep.equal([accept, ...writes.map(() => 406)]);
      expect([
        await statusOf(absent),
        (await send('GET', `${widgetsPath}/${there}`)).body['metadata'],
        await send('GET', `${widgetsPath}/${there}`).then((each) => each.body['spec']),
      ]).to.deep.equal([404, created.body['metadata'], { size: 1 }]);
      await send('DELETE', `${widgetsPath}/${there}`);
    }
  });

  it('take ranges of media types, and refuse others in the words of a handler', async () => {
    expect((await send('GET', widgetsPath, { headers: { accept: 'application/*' } })).status).to.equal(200);
    const refused = await send('GET', widgetsPath, { headers: { accept: 'text/plain' } });
    expect(refused.body['message']).to.equal(
      `only the following media types are accepted: application/json, application/yaml, ${protobuf}`,
    );
  });

  it('show their metadata in Protobuf', async () => {
    const name = next();
    await send('POST', widgetsPath, { raw: body(name, '{}') });
    expect(
      (await send('GET', `${widgetsPath}/${name}`, { headers: { accept: `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` } }))
        .headers['content-type'],
    ).to.equal(protobuf);
  });

  it('say what is wrong with a number of replicas that is too large for anything', async () => {
    for (const [size, message] of [
      [big, `Invalid value: ${big}: should be less than or equal to 2147483647`],
      [`-${big}`, `Invalid value: -${big}: should be a non-negative integer`],
      ['2147483648', 'Invalid value: 2147483648: should be less than or equal to 2147483647'],
    ] as const) {
      const { status, body: refusal } = await send('POST', widgetsPath, { raw: body(next(), `{"size":${size}}`) });
      expect([status, (refusal['details'] as { causes: JsonObject[] }).causes[0]?.['message']]).to.deep.equal([422, message]);
    }
  });

  it('keep numbers that are larger than those of JavaScript, whatever is done with them', async () => {
    const name = next();
    const path = `${widgetsPath}/${name}`;
    const spec = `{"other":${big},"set":[${big},1],"byId":[{"id":${big},"v":"x"}]}`;
    expect((await send('POST', widgetsPath, { raw: body(name, spec) })).status).to.equal(201);
    const steps: readonly (readonly [type: string, raw: string])[] = [
      ['application/apply-patch+yaml', body(name, spec)],
      [
        'application/json-patch+json',
        '[{"op":"copy","from":"/spec/byId","path":"/spec/byId"},{"op":"copy","from":"/spec/other","path":"/spec/size"},{"op":"remove","path":"/spec/size"}]',
      ],
      ['application/merge-patch+json', '{"metadata":{"labels":{"a":"b"}}}'],
      ['application/apply-patch+yaml', body(name, `{"set":[${big}],"byId":[{"id":${big},"v":"y"}]}`)],
    ];
    for (const [type, raw] of steps) {
      const answer = await send('PATCH', `${path}?fieldManager=m${type.includes('apply') ? '&force=true' : ''}`, { type, raw });
      expect(answer.status, answer.text).to.equal(200);
    }
    const { text } = await send('GET', path);
    expect(text).to.contain(`"byId":[{"id":${big},"v":"y"}]`).and.to.contain(`"v:${big}"`).and.to.contain(`k:{\\"id\\":${big}}`);
    const conflict = await send('PATCH', `${path}?fieldManager=n`, {
      type: 'application/apply-patch+yaml',
      raw: body(name, `{"byId":[{"id":${big},"v":"z"}]}`),
    });
    expect(conflict.body['message']).to.contain(`.spec.byId[id=${big}].v`);
  });

  it('have nothing below their subresources', async () => {
    const name = next();
    await send('POST', widgetsPath, { raw: body(name, '{"size":1}') });
    for (const path of [`${widgetsPath}/${name}/scale/x`, `${widgetsPath}/${name}/status/x/y`])
      for (const method of ['GET', 'PUT', 'PATCH'])
        expect((await send(method, path, method === 'GET' ? {} : { raw: '{}' })).status).to.equal(404);
  });
});
