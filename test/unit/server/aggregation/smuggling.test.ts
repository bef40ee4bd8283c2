import { expect } from 'chai';
import { once } from 'node:events';
import fc from 'fast-check';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import tls from 'node:tls';
import type { ApiService } from '../../../../server/aggregation/apiServices.js';
import { createServiceConnections } from '../../../../server/aggregation/connections.js';
import { relayToService } from '../../../../server/aggregation/proxy.js';
import { createBackends } from '../../../../server/endpoints/backends/connection.js';
import { relayRequest } from '../../../../server/endpoints/backends/relay.js';
import { WireBackend, type WireRequest } from '../../../fixtures/wireBackend.js';
import { RawHttp2 } from '../../../attacks/wire/http2Frames.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';

const backendPath = '/apis/remote.example.com/v1/namespaces/default/things';
const proxied = '/api/v1/namespaces/default/pods/p/proxy';
const stolen =
  'DELETE /apis/remote.example.com/v1/things/stolen HTTP/1.1\r\nhost: api.default.svc\r\nx-remote-user: root\r\nx-remote-group: system:masters\r\n\r\n';

type Framing = 'http2' | 'http2 with its length' | 'chunks' | 'length';
interface Sent {
  readonly method: string;
  readonly framing: Framing;
  readonly body: readonly string[];
  readonly path: string;
}

describe('requests to backends', () => {
  let backend: WireBackend;
  let front: FrontDoor;
  let session: ClientHttp2Session;
  const connections: { close(): void }[] = [];

  before(async () => {
    const identities = await createIdentities();
    const { cert, key } = await identities.issue({ name: 'api', usage: 'serverAuth', dns: ['api.default.svc'] });
    backend = await WireBackend.start({ cert, key });
    const service: ApiService = {
      name: 'v1.remote.example.com',
      group: 'remote.example.com',
      version: 'v1',
      groupPriority: 1,
      versionPriority: 1,
      target: { namespace: 'default', name: 'api', port: 443 },
      ca: identities.ca,
      trusting: false,
      availability: { status: 'True', reason: 'Passed', message: '' },
    };
    const proxy = await identities.issue({ name: 'front-proxy' });
    const services = createServiceConnections({
      identity: { cert: proxy.cert, key: proxy.key },
      addresses: () => Promise.resolve({ host: '127.0.0.1', port: backend.port }),
    });
    connections.push(services);
    const backends = createBackends({ credentials: { ca: null, cert: null, key: null }, preferredAddresses: [], connectTimeoutMs: 5_000 });
    front = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'front', usage: 'serverAuth', ip: ['127.0.0.1'], dns: ['localhost'] }),
      chain: {
        authenticate: () => ({ outcome: 'user', user: { name: 'ann', uid: '', groups: [], extra: {} } }),
        authorize: () => ({ decision: 'allow', reason: '' }),
      },
      resources: (context) =>
        context.info.path.startsWith(proxied)
          ? relayRequest(
              context,
              backends,
              {
                scheme: 'https',
                host: '127.0.0.1',
                port: String(backend.port),
                path: context.info.path.slice(proxied.length),
                query: '',
                agent: false,
                addresses: null,
              },
              proxied,
            )
          : relayToService(context, service, { connections: services, rejectsRedirects: true }),
    });
    session = connect(`https://localhost:${front.port}`, { rejectUnauthorized: false });
    await once(session, 'connect');
  });
  beforeEach(() => {
    backend.reset();
  });
  after(async () => {
    session.destroy();
    for (const each of connections) each.close();
    await front.listener.close();
    await backend.close();
  });

  const openStream = (method: string, path: string, headers: Record<string, string> = {}): ClientHttp2Stream =>
    session.request({ ':method': method, ':path': path, ...headers }, { endStream: false });

  /** Resolves at the end of a stream. */
  const closed = (stream: ClientHttp2Stream): Promise<void> =>
    new Promise((resolve) => {
      stream.on('error', () => undefined).once('close', resolve);
    });

  async function statusOf(stream: ClientHttp2Stream): Promise<number> {
    const [headers] = (await once(stream, 'response')) as [{ readonly ':status'?: number }];
    stream.resume();
    await once(stream, 'end');
    return headers[':status'] ?? 0;
  }

  async function over2({ method, framing, body, path }: Sent): Promise<number> {
    const length = Buffer.byteLength(body.join(''), 'latin1');
    const stream = openStream(method, path, framing === 'http2' ? {} : { 'content-length': String(length) });
    for (const each of body) stream.write(Buffer.from(each, 'latin1'));
    stream.end();
    return statusOf(stream);
  }

  /** Sends bytes on a new connection; returns the status. */
  async function raw(bytes: string): Promise<number> {
    const socket = tls.connect({
      host: '127.0.0.1',
      port: front.port,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
      servername: 'localhost',
    });
    socket.on('error', () => undefined).setEncoding('latin1');
    socket.write(bytes, 'latin1');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  }

  const over1 = ({ method, framing, body, path }: Sent): Promise<number> => {
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`;
    const whole = body.join('');
    return raw(
      framing === 'length'
        ? `${head}content-length: ${whole.length}\r\n\r\n${whole}`
        : `${head}transfer-encoding: chunked\r\n\r\n${body
            .filter((each) => each !== '')
            .map((each) => `${each.length.toString(16)}\r\n${each}\r\n`)
            .join('')}0\r\n\r\n`,
    );
  };

  const send = (sent: Sent): Promise<number> => (sent.framing.startsWith('http2') ? over2(sent) : over1(sent));
  const header = ({ headers }: WireRequest, name: string): string | undefined => headers.find(([each]) => each === name)?.[1];

  const piece = fc.oneof(
    fc.constantFrom(
      '',
      '\r\n',
      '\r\n\r\n',
      '0\r\n\r\n',
      '5\r\n',
      stolen,
      `0\r\n\r\n${stolen}`,
      `\r\n${stolen}`,
      'GET / HTTP/1.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
    ),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc.integer({ min: 1, max: 100_000 }).map((length) => 'x'.repeat(length)),
  );
  const sent: fc.Arbitrary<Sent> = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'),
    framing: fc.constantFrom<Framing>('http2', 'http2 with its length', 'chunks', 'length'),
    body: fc.array(piece, { maxLength: 4 }),
    path: fc.constantFrom(backendPath, `${proxied}/x`),
  });

  it('are as many as came, each with its whole body inside its frame, whatever the body looks like', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 4 }), async (all) => {
        backend.reset();
        for (const each of all) expect(await send(each), JSON.stringify(each).slice(0, 200)).to.equal(200);
        expect(backend.requests.map(({ method, body }) => [method, body])).to.have.deep.members(
          all.map(({ method, body }) => [method, body.join('')]),
        );
        for (const { problem, unread } of backend.connections) expect([problem, unread]).to.deep.equal([null, '']);
        for (const request of backend.requests)
          expect(header(request, 'x-remote-user')).to.equal(request.target === backendPath ? 'ann' : undefined);
      }),
      { numRuns: 60 },
    );
  });

  it('have no body and no frame where the client sent none, and use a connection again', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST']) {
      expect(await over1({ method, framing: 'length', body: [], path: backendPath })).to.equal(200);
      expect(await statusOf(session.request({ ':method': method, ':path': backendPath }, { endStream: true }))).to.equal(200);
    }
    for (const request of backend.requests) {
      expect(header(request, 'transfer-encoding'), request.method).to.equal(undefined);
      expect(header(request, 'content-length'), request.method).to.equal(request.method === 'POST' ? '0' : undefined);
    }
    expect(backend.connections).to.have.length(1);
  });

  it('lose what speaks of one connection, and what its client names for it', async () => {
    const named = 'keep-alive, x-own, content-length, x-remote-user, transfer-encoding';
    await raw(
      `POST ${backendPath} HTTP/1.1\r\nhost: x\r\nconnection: close, ${named}\r\nx-own: 1\r\nte: trailers\r\ntrailer: x-a\r\nexpect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-a: 1\r\n\r\n`,
    );
    const [request] = backend.requests;
    expect(request?.body).to.equal('abc');
    for (const name of ['x-own', 'te', 'trailer', 'expect', 'keep-alive', 'x-a']) expect(header(request!, name), name).to.equal(undefined);
    expect(header(request!, 'x-remote-user')).to.equal('ann');
  });

  /** Resets a stream within its body, or with null ends the connection. Node's client would end the body first. */
  async function takenBack(code: number | null): Promise<void> {
    const headed = new Promise<void>((resolve) => {
      backend.atHead = () => {
        resolve();
      };
    });
    const wire = await RawHttp2.open({ port: front.port });
    const stream = wire.request('POST', backendPath, { endStream: false });
    wire.data(stream, 'some of it');
    await headed;
    if (code !== null) wire.reset(stream, code);
    else wire.destroy();
    await Promise.all(backend.connections.map((each) => each.closed));
    wire.destroy();
  }

  /** Sends a body of another length than announced, on its own connection, which new releases of Node end. */
  async function misannounced(length: string, body: string): Promise<void> {
    const own = connect(`https://localhost:${front.port}`, { rejectUnauthorized: false });
    own.on('error', () => undefined);
    await once(own, 'connect');
    const stream = own.request({ ':method': 'POST', ':path': backendPath, 'content-length': length }, { endStream: false });
    stream.end(body);
    await closed(stream);
    own.destroy();
  }

  const cuts: readonly (readonly [what: string, begin: () => Promise<unknown>])[] = [
    ['over HTTP/2, shorter than announced', () => misannounced('100', 'short')],
    ['over HTTP/2, longer than announced', () => misannounced('2', `xx${stolen}`)],
    ['over HTTP/2, taken back', () => takenBack(8)],
    ['over HTTP/2, taken back as if all were well', () => takenBack(0)],
    ['over HTTP/2, with its connection', () => takenBack(null)],
    [
      'over HTTP/1.1, broken off',
      async () => {
        const headed = new Promise<void>((resolve) => {
          backend.atHead = () => {
            resolve();
          };
        });
        const socket = tls.connect({
          host: '127.0.0.1',
          port: front.port,
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: false,
          servername: 'localhost',
        });
        socket.on('error', () => undefined).write(`POST ${backendPath} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nshort`);
        await headed;
        socket.destroy();
      },
    ],
  ];
  for (const [what, begin] of cuts) {
    it(`that break off end their connection: ${what}`, async () => {
      await begin();
      const before = [...backend.connections];
      await Promise.all(before.filter(({ unread }) => unread !== '').map(({ closed }) => closed));
      backend.atHead = null;
      expect(await over2({ method: 'GET', framing: 'http2', body: [], path: backendPath })).to.equal(200);
      expect(backend.requests.map(({ method, body }) => [method, body])).to.deep.equal([['GET', '']]);
    });
  }

  const answers: readonly (readonly [what: string, answer: string])[] = [
    ['more bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen'],
    [
      'half an answer more, behind chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nx-a: ',
    ],
    ['half an answer more, behind none', 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200'],
    ['half an answer more', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nx-a: '],
    ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-a: 1\r\n\r\n'],
    ['an interim answer', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['leave to send what it has', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n'],
    ['a change of protocol without a name', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['what is no HTTP', 'SSH-2.0-x\r\n\r\n'],
  ];
  for (const [what, answer] of answers) {
    it(`go over no connection that an odd answer came on: ${what}`, async () => {
      backend.reply = () => answer;
      const stream = session.request({ ':method': 'GET', ':path': backendPath }, { endStream: true });
      stream.resume();
      const [odd] = await Promise.all([
        new Promise<WireBackend['connections'][number]>((resolve) => {
          backend.atHead = resolve;
        }),
        closed(stream),
      ]);
      backend.atHead = null;
      await odd.closed;
      backend.reply = () => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
      expect(await over2({ method: 'GET', framing: 'http2', body: [], path: backendPath })).to.equal(200);
      expect(odd.requests).to.have.length(1);
    });
  }

  it('go over no connection whose answer came before the request was over, though both are passed on', async () => {
    backend.atHead = ({ socket }) => {
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno');
    };
    const stream = openStream('POST', backendPath);
    stream.on('error', () => undefined).write('begun');
    const headed = once(stream, 'response') as Promise<[{ readonly ':status'?: number }]>;
    stream.resume();
    expect((await headed)[0][':status']).to.equal(413);
    await Promise.all(backend.connections.map(({ closed }) => closed));
    stream.end(stolen);
    backend.atHead = null;
    expect(await over2({ method: 'GET', framing: 'http2', body: [], path: backendPath })).to.equal(200);
    expect(backend.requests.map(({ method }) => method)).to.deep.equal(['GET']);
  });

  it('go over no idle connection on which something came', async () => {
    expect(await over2({ method: 'GET', framing: 'http2', body: [], path: backendPath })).to.equal(200);
    const [idle] = backend.connections;
    idle?.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen');
    await idle?.closed;
    expect(await over2({ method: 'GET', framing: 'http2', body: [], path: backendPath })).to.equal(200);
    expect(backend.connections).to.have.length(2);
  });

  it('carry the path and the parameters that were looked at, in one form', async () => {
    await raw(
      `GET https://elsewhere.example.com/apis/remote.example.com/v1/things/%61%2Fb?watch=%31&a=1;b=2&a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    expect(backend.requests.map(({ target }) => target)).to.deep.equal(['/apis/remote.example.com/v1/things/a/b?a=&watch=1']);
    expect(header(backend.requests[0]!, 'host')).to.equal('api.default.svc');
  });

  for (const protocol of ['h2c', 'HTTP/2.0', 'websocket, h2c', 'TLS/1.2', 'H2C']) {
    it(`change to no protocol in which the client could say who he is: ${protocol}`, async () => {
      for (const path of [backendPath, `${proxied}/x`])
        expect(
          await raw(
            `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAAQAAP__\r\nupgrade: ${protocol}\r\n\r\n`,
          ),
        ).to.equal(400);
      expect(backend.requests).to.have.length(0);
    });
  }
});
