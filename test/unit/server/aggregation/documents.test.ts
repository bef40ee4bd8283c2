import { expect } from 'chai';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { ApiServices, apiServicesResource } from '../../../../server/aggregation/apiServices.js';
import type { ServiceConnections } from '../../../../server/aggregation/connections.js';
import { RemoteDocuments } from '../../../../server/aggregation/documents.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { ask, BackendError } from '../../../../server/endpoints/backends/answer.js';
import type { BuiltDocument } from '../../../../server/openapi/build.js';
import type { RemoteDocument } from '../../../../server/openapi/remote/contract.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';

const version = 'apis/g.example.com/v1';
const name = 'v1.g.example.com';
const v2 = (kind: string): string =>
  JSON.stringify({
    swagger: '2.0',
    paths: { [`/${version}/things`]: { get: { responses: { 200: { schema: { $ref: `#/definitions/${kind}` } } } } } },
    definitions: { [kind]: { type: 'object' } },
  });
const v3 = (title: string): string => JSON.stringify({ openapi: '3.0.0', info: { title }, paths: {}, components: { schemas: {} } });
const indexOf = (hash: string): string =>
  JSON.stringify({
    paths: { [version]: { serverRelativeURL: `/openapi/v3/${version}?hash=${hash}` }, 'apis/apps/v1': { serverRelativeURL: '/x?hash=1' } },
  });

/** A program's answers by path: a body, tagged with itself, or a handler. */
type Answer = string | null | ((request: IncomingMessage, response: ServerResponse) => void);

describe('documents of programs behind API services', () => {
  const answers: Record<string, Answer> = {};
  const asked: string[] = [];
  const failures: string[] = [];
  let program: http.Server;
  let services: ApiServices;
  let documents: RemoteDocuments;
  let storage: ReturnType<typeof createMemoryStorage>;
  let lookAgainMs = 60_000;
  const key = { resource: apiServicesResource, namespace: '', name };
  const service = (status: string): ApiObject => ({
    metadata: { name },
    spec: { group: 'g.example.com', version: 'v1', service: { namespace: 'default', name: 'api' } },
    status: { conditions: [{ type: 'Available', status }] },
  });

  before(async () => {
    program = http.createServer((request, response) => {
      const path = request.url ?? '';
      const tag = request.headers['if-none-match'];
      asked.push(tag === undefined ? path : `${path} ${tag}`);
      expect(request.headers['x-remote-user']).to.equal('system:aggregator');
      const answer = answers[path] ?? null;
      if (typeof answer === 'function') return answer(request, response);
      if (answer === null) return response.writeHead(404).end();
      const etag = `"${answer.length}"`;
      return tag === etag ? response.writeHead(304).end() : response.writeHead(200, { etag }).end(answer);
    });
    program.listen(0, '127.0.0.1');
    await once(program, 'listening');
  });
  after(() => {
    program.close();
    program.closeAllConnections();
  });
  beforeEach(() => {
    for (const path of Object.keys(answers)) delete answers[path];
    asked.length = failures.length = 0;
    lookAgainMs = 60_000;
  });
  afterEach(async () => {
    services.stop();
    await documents.stop();
  });

  const connections = (): ServiceConnections => ({
    send: (_service, { path, method, headers, body, signal }) =>
      ask(http.request({ host: '127.0.0.1', port: (program.address() as AddressInfo).port, path, method, headers, signal, agent: false }), {
        body,
        whom: 'it',
        connectTimeoutMs: 1000,
        explain: (error) => new BackendError(error.message, false),
      }),
    close: () => {},
  });
  const begin = async (status = 'True'): Promise<void> => {
    storage = createMemoryStorage({ selectableFields: () => null });
    await storage.create(key, service(status), { timeoutMs: 1000 });
    services = new ApiServices(storage);
    await services.synced;
    documents = new RemoteDocuments({
      services,
      connections: connections(),
      lookAgainMs,
      report: (_name, error) => {
        failures.push((error as Error).message);
      },
    });
  };
  /** Waits until the documents meet a condition. */
  const until = async (holds: (documents: readonly RemoteDocument[]) => boolean): Promise<RemoteDocument> => {
    for (;;) {
      const all = documents.all();
      if (holds(all)) return all[0] ?? { path: '', hash: null, v2: null, document: () => Promise.reject(new Error('none')) };
      await new Promise(setImmediate);
    }
  };
  const text = ({ gzip }: BuiltDocument): JsonObject => JSON.parse(gunzipSync(gzip).toString()) as JsonObject;
  const present = async (): Promise<number> => {
    const found = await storage.get(key, { at: 'mostRecent' });
    if (found.outcome !== 'found') throw new Error('the API service is gone');
    return found.object.version;
  };
  const set = async (object: ApiObject): Promise<unknown> => storage.update(key, object, await present(), { timeoutMs: 1000 });

  it('are known by the hash of the program, and fetched when somebody asks, once', async () => {
    answers['/openapi/v3'] = indexOf('AB');
    answers[`/openapi/v3/${version}?hash=AB`] = v3('first');
    await begin();
    const found = await until(([first]) => first?.hash === 'AB');
    expect([found.path, found.v2]).to.deep.equal([version, null]);
    expect(asked.filter((path) => path.includes(version))).to.deep.equal([]);
    const shown = await Promise.all([found.document('json'), found.document('protobuf'), documents.all()[0]!.document('json')]);
    expect(text(shown[0]!)).to.deep.include({ openapi: '3.0.0', info: { title: 'first' } });
    expect(shown.map(({ hash }) => hash)).to.deep.equal(['AB', 'AB', 'AB']);
    expect(asked.filter((path) => path.includes(version))).to.have.length(1);
  });

  it('change when the program says so, and stay when it says that they have not', async () => {
    lookAgainMs = 1;
    answers['/openapi/v3'] = indexOf('AB');
    answers['/openapi/v2'] = v2('Thing');
    await begin();
    const first = await until(([each]) => each?.hash === 'AB' && each.v2 !== null);
    while (asked.filter((path) => path.includes('"')).length < 6) await new Promise(setImmediate);
    expect((await until(() => true)).v2).to.equal(first.v2);
    answers['/openapi/v3'] = indexOf('ABC');
    answers['/openapi/v2'] = v2('Renamed');
    const second = await until(([each]) => each?.hash === 'ABC' && each.v2 !== first.v2);
    expect(JSON.parse(gunzipSync(second.v2!).toString())).to.have.nested.property('definitions.Renamed');
    delete answers['/openapi/v2'];
    await until(([each]) => each?.v2 === null);
    expect(failures).to.deep.equal([]);
  });

  it('are found where they moved to after the index was read', async () => {
    answers['/openapi/v3'] = indexOf('AB');
    answers[`/openapi/v3/${version}?hash=AB`] = (_request, response) =>
      response.writeHead(301, { location: `/openapi/v3/${version}?hash=CD` }).end();
    answers[`/openapi/v3/${version}?hash=CD`] = v3('moved');
    await begin();
    const document = await (await until(([first]) => first?.hash === 'AB')).document('json');
    expect([document.hash, text(document)['info'], documents.all()[0]?.hash]).to.deep.equal(['CD', { title: 'moved' }, 'CD']);
  });

  it('are made of version 2 for programs that have nothing else', async () => {
    answers['/openapi/v2'] = v2('Thing');
    await begin();
    const found = await until(([first]) => first?.v2 !== undefined && first.v2 !== null);
    expect(found.hash).to.match(/^[0-9A-F]{128}$/);
    expect(text(await found.document('json'))).to.have.nested.property('components.schemas.Thing');
    expect((await found.document('protobuf')).hash).to.equal(found.hash);
  });

  it('are not had from programs that answer nonsense, too much, or in too many words; they are asked again later', async () => {
    answers['/openapi/v3'] = (_request, response) => response.writeHead(200).end('{"paths":');
    answers['/openapi/v2'] = (_request, response) => {
      // Until the last listener is gone.
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(1 << 20)));
      };
      response.writeHead(200).on('drain', more);
      more();
    };
    await begin();
    while (failures.length === 0) await new Promise(setImmediate);
    expect(documents.all()).to.have.length(1);
    expect(documents.all()[0]).to.deep.include({ hash: null, v2: null });
    answers['/openapi/v3'] = indexOf('AB');
    answers['/openapi/v2'] = '[]';
    await until(([first]) => first?.hash === 'AB');
    expect(failures).to.deep.equal(['the index of OpenAPI documents cannot be read']);
    const failed = await documents
      .all()[0]!
      .document('json')
      .catch((error: Error) => error.message);
    expect(failed).to.equal('the program does not show the document that its index names');
    answers[`/openapi/v3/${version}?hash=AB`] = v3('at last');
    expect(text(await documents.all()[0]!.document('json'))['info']).to.deep.equal({ title: 'at last' });
  });

  it('are not asked for while the program is not available, and go with the API service', async () => {
    answers['/openapi/v3'] = indexOf('AB');
    answers['/openapi/v2'] = v2('Thing');
    await begin('False');
    expect([documents.all(), asked]).to.deep.equal([[], []]);
    await set(service('True'));
    await until(([first]) => first?.hash === 'AB' && first.v2 !== null);
    await set(service('False'));
    // Version 2 is one document, which failures need not change.
    expect((await until(([first]) => first?.hash === null)).v2).to.not.equal(null);
    const before = asked.length;
    await set(service('True'));
    await until(([first]) => first?.hash === 'AB');
    while (asked.length < before + 2) await new Promise(setImmediate);
    await storage.delete(key, await present(), { timeoutMs: 1000 });
    await until((all) => all.length === 0);
  });
});
