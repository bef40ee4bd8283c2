import { expect } from 'chai';
import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { mergePatch } from '../../../../controllers/client/api.js';
import { Connection, type Answer, type Request } from '../../../../controllers/client/connection.js';
import { ApiError, ConnectionError, StoppedError } from '../../../../controllers/client/errors.js';
import { RestApi, type RestOptions } from '../../../../controllers/client/rest.js';
import { throttleFor, TokenBucket } from '../../../../controllers/client/throttle.js';
import { configMaps, pods } from '../../../../api/types/core/v1.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: http2.IncomingHttpHeaders;
  readonly body: string;
}
type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  | 'reset'
  | 'refuse'
  | 'silence'
  | 'half'
  | 'cut';

const key = { namespace: 'n', name: 'm' };
const map = { metadata: { name: 'm', namespace: 'n' } };

describe('controllers/client/rest', () => {
  const servers: http2.Http2Server[] = [];
  const connections: Connection[] = [];
  const sessions = new Set<http2.ServerHttp2Session>();
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.close();
    for (const session of sessions) session.destroy();
    await Promise.all(
      servers.splice(0).map(
        (server) =>
          new Promise((resolve) => {
            server.close(resolve);
          }),
      ),
    );
  });

  /** A server with a list of replies, of which the last repeats, and its client. */
  const world = async (replies: Reply[], options: Partial<RestOptions> = {}, pingEveryMs?: number) => {
    const clock = new FakeClock();
    const seen: Seen[] = [];
    const server = http2.createServer();
    servers.push(server);
    server.on('session', (session) => {
      sessions.add(session);
      session.on('close', () => sessions.delete(session));
      session.on('error', () => undefined);
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      let body = '';
      stream
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          body += chunk;
        })
        .on('end', () => {
          seen.push({ method: headers[':method'] ?? '', path: headers[':path'] ?? '', headers, body });
          const reply = replies.length > 1 ? replies.shift() : replies[0];
          if (reply === 'reset') stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
          else if (reply === 'refuse') stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
          else if (reply === 'cut') stream.session?.destroy();
          else if (reply === 'half') {
            stream.respond({ ':status': 200 });
            stream.write('{"metadata":');
            setImmediate(() => stream.destroy(new Error('broken')));
          } else if (typeof reply === 'object') {
            stream.respond({ ':status': reply.status, ...reply.headers });
            stream.end(JSON.stringify(reply.body ?? {}));
          }
        });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const connection = new Connection(
      { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      { clock, ...(pingEveryMs === undefined ? {} : { pingEveryMs }) },
    );
    connections.push(connection);
    const api = new RestApi({ connection, userAgent: 'test/1 (x)', clock, ...options });
    /** Advances the clock in small steps until the work is done; returns the duration. */
    const finish = async <T>(work: Promise<T>): Promise<{ result: T | unknown; ms: number }> => {
      const from = clock.elapsed();
      let over = false;
      let result: T | unknown;
      void work.then(
        (value) => {
          result = value;
          over = true;
        },
        (error: unknown) => {
          result = error;
          over = true;
        },
      );
      while (!over) {
        // The network takes turns of the event loop, but no time of this clock.
        for (let turns = 0; turns < 20 && !over; turns++) await turn();
        if (seen.length > 0 && !over) await clock.advance(50);
      }
      return { result, ms: clock.elapsed() - from };
    };
    return { clock, api, seen, connection, server, finish };
  };
  const ok: Reply = { status: 200, body: map };
  const refused = (code: number, reason: string, headers: Record<string, string> = {}): Reply => ({
    status: code,
    body: { kind: 'Status', code, reason, message: reason },
    headers,
  });

  it('spells requests as servers expect them', async () => {
    const { api, seen } = await world([ok]);
    await api.get(configMaps, key);
    await api.create(configMaps, map);
    await api.update(configMaps, map, { subresource: 'status' });
    await api.patch(configMaps, key, mergePatch({ data: null }));
    await api.delete(configMaps, key, { preconditions: { uid: 'u' } });
    await api.list(configMaps, { labelSelector: 'a=b', limit: 5 });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'GET /api/v1/namespaces/n/configmaps/m',
      'POST /api/v1/namespaces/n/configmaps',
      'PUT /api/v1/namespaces/n/configmaps/m/status',
      'PATCH /api/v1/namespaces/n/configmaps/m',
      'DELETE /api/v1/namespaces/n/configmaps/m',
      'GET /api/v1/configmaps?labelSelector=a%3Db&limit=5',
    ]);
    expect(JSON.parse(seen[1]?.body ?? '')).to.deep.equal({ ...map, apiVersion: 'v1', kind: 'ConfigMap' });
    expect(seen[3]?.headers).to.include({ 'content-type': 'application/merge-patch+json', 'user-agent': 'test/1 (x)' });
    expect(JSON.parse(seen[4]?.body ?? '')).to.deep.equal({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } });
  });

  it('waits as long as the server asks, and repeats what it turned away', async () => {
    const { api, seen, finish } = await world([
      refused(429, 'TooManyRequests', { 'retry-after': '3' }),
      refused(503, 'ServiceUnavailable', { 'retry-after': '2' }),
      refused(429, 'TooManyRequests'),
      ok,
    ]);
    const { result, ms } = await finish(api.create(configMaps, map));
    expect(result).to.deep.equal(map);
    expect(seen).to.have.length(4);
    expect(ms).to.be.within(6_000, 7_000);
  });

  it('gives up after a bounded number of repetitions, with what the server said', async () => {
    const { api, seen, finish } = await world([refused(429, 'TooManyRequests', { 'retry-after': '1' })], { retries: 2 });
    const { result } = await finish(api.get(configMaps, key));
    expect(result).to.be.instanceOf(ApiError).and.include({ code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 });
    expect(seen).to.have.length(3);
  });

  it('does not repeat a write that may have been carried out', async () => {
    for (const reply of [
      refused(504, 'Timeout'),
      refused(500, 'InternalError'),
      refused(503, 'ServiceUnavailable'),
      'reset',
      'cut',
      'half',
    ] as Reply[]) {
      const { api, seen, finish } = await world([reply, ok]);
      const { result } = await finish(api.create(configMaps, map));
      expect(result, JSON.stringify(reply)).to.be.instanceOf(Error);
      expect((result as ApiError | ConnectionError).definite, `${JSON.stringify(reply)}: ${String(result)}`).to.equal(
        JSON.stringify(reply).includes('503'),
      );
      expect(seen, JSON.stringify(reply)).to.have.length(1);
    }
  });

  it('does not wait for an answer whose connection broke in the turn in which its head came', async () => {
    class Brittle extends Connection {
      override async request(request: Request): Promise<Answer> {
        const answer = await super.request(request);
        answer.stream.destroy();
        await once(answer.stream, 'close');
        return answer;
      }
    }
    const { server } = await world([ok]);
    const connection = new Brittle({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    connections.push(connection);
    const api = new RestApi({ connection, userAgent: 'test', retries: 0 });
    for (const asked of [api.get(configMaps, key), api.create(configMaps, map)]) {
      expect(await asked.catch((error: unknown) => error))
        .to.be.instanceOf(ConnectionError)
        .and.include({ definite: false });
    }
  });

  it('repeats reads that broke, and writes that the server refused to begin', async () => {
    for (const reply of ['reset', 'cut', 'refuse', refused(500, 'InternalError', { 'retry-after': '1' })] as Reply[]) {
      const { api, finish } = await world([reply, ok]);
      expect((await finish(api.get(configMaps, key))).result, JSON.stringify(reply)).to.deep.equal(map);
    }
    const { api, seen, finish } = await world(['refuse', 'refuse', ok]);
    expect((await finish(api.create(configMaps, map))).result).to.deep.equal(map);
    expect(seen).to.have.length(3);
  });

  it('says for certain that nothing happened when nobody listens', async () => {
    const { api, server, finish, clock } = await world([ok], { retries: 1 });
    await new Promise((resolve) => {
      server.close(resolve);
    });
    const work = finish(api.create(configMaps, map));
    while (clock.elapsed() < 1_000) {
      await turn();
      await clock.advance(20);
    }
    expect((await work).result)
      .to.be.instanceOf(ConnectionError)
      .and.include({ definite: true });
  });

  it('leaves evictions that a budget forbids to the caller', async () => {
    const { api, seen, finish } = await world([refused(429, 'TooManyRequests', { 'retry-after': '10' })]);
    expect((await finish(api.post(pods, key, 'eviction', {}))).result)
      .to.be.instanceOf(ApiError)
      .and.include({ code: 429 });
    expect(seen).to.have.length(1);
  });

  it('takes a new identity once when the old one is refused', async () => {
    let token = 'old';
    const identity = {
      headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
      unauthorized: () => {
        token = 'new';
      },
    };
    const first = await world([refused(401, 'Unauthorized'), ok], identity);
    expect((await first.finish(first.api.create(configMaps, map))).result).to.deep.equal(map);
    expect(first.seen.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer old', 'Bearer new']);
    const second = await world([refused(401, 'Unauthorized')], identity);
    expect((await second.finish(second.api.create(configMaps, map))).result).to.include({ code: 401 });
    expect(second.seen).to.have.length(2);
  });

  it('gives up an answer that does not come', async () => {
    const { api, seen, finish, clock } = await world(['silence'], { timeoutMs: 5_000, retries: 0 });
    const work = finish(api.create(configMaps, map));
    while (seen.length === 0) await turn();
    await clock.advance(5_000);
    expect((await work).result)
      .to.be.instanceOf(ConnectionError)
      .and.include({ definite: false });
  });

  it('ends what is under way when it is stopped, and begins nothing more', async () => {
    const stopping = new AbortController();
    const { api, seen, finish } = await world(['silence'], { signal: stopping.signal });
    const work = api.get(configMaps, key).catch((error: unknown) => error);
    while (seen.length === 0) await turn();
    stopping.abort();
    expect(await work).to.be.instanceOf(StoppedError);
    expect((await finish(api.get(configMaps, key))).result).to.be.instanceOf(StoppedError);
    expect(seen).to.have.length(1);
  });

  it('asks before each write whether it may still write, at the last moment', async () => {
    let may = true;
    const { api, seen, finish } = await world([ok], {
      mayWrite: () => {
        if (!may) throw new StoppedError('not any more');
      },
    });
    await api.create(configMaps, map);
    // Permission ends during the reconnect.
    for (const session of sessions) session.destroy();
    await turn();
    const writing = api.create(configMaps, map).catch((error: unknown) => error);
    may = false;
    expect(await writing).to.be.instanceOf(StoppedError);
    expect((await finish(api.delete(configMaps, key))).result).to.be.instanceOf(StoppedError);
    expect(await api.get(configMaps, key)).to.deep.equal(map);
    expect(seen.map(({ method }) => method)).to.deep.equal(['POST', 'GET']);
  });

  it('lets no byte leave once permission ends, also of a request that was on its way out', async () => {
    let may = true;
    const asked = (): void => {
      if (!may) throw new StoppedError('not any more');
    };
    const { server, seen, clock } = await world([ok]);
    const connection = new Connection({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, { clock, mayPass: asked });
    connections.push(connection);
    // The last check before the session gets the request succeeds; permission ends in the same turn.
    let turnedOff = false;
    const api = new RestApi({
      connection,
      userAgent: 'test',
      clock,
      retries: 0,
      mayWrite: () => {
        asked();
        if (turnedOff)
          queueMicrotask(() => {
            may = false;
          });
      },
    });
    expect(await api.create(configMaps, map)).to.deep.equal(map);
    turnedOff = true;
    expect(await api.create(configMaps, map).catch((error: unknown) => error)).to.be.instanceOf(ConnectionError);
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(seen).to.have.length(1);
    may = true;
    turnedOff = false;
    expect(await api.create(configMaps, map)).to.deep.equal(map);
    expect(seen).to.have.length(2);
  });

  it('notices that nobody is there any more, gives the connection up with all its watches, and makes a new one', async () => {
    const { server } = await world([{ status: 200 }]);
    const sockets: net.Socket[] = [];
    // A network that can drop everything without closing connections.
    const network = net.createServer((near) => {
      const far = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        socket.on('error', () => undefined);
        sockets.push(socket);
      }
    });
    await new Promise<void>((resolve) => {
      network.listen(0, '127.0.0.1', resolve);
    });
    const clock = new FakeClock();
    const connection = new Connection(
      { server: `http://127.0.0.1:${(network.address() as AddressInfo).port}` },
      { clock, pingEveryMs: 15_000 },
    );
    connections.push(connection);
    const api = new RestApi({ connection, userAgent: 'test', clock });
    await api.get(configMaps, key);
    for (const socket of sockets) {
      socket.unpipe();
      socket.pause();
    }
    const made = sockets.length;
    let broken: unknown = null;
    void api.watch(configMaps, {}).catch((error: unknown) => {
      broken = error;
    });
    const reading = api.get(configMaps, key);
    for (let count = 0; count < 31; count++) {
      await turn();
      await clock.advance(1_000);
    }
    // The read and the watch are retried on a new connection.
    expect(await reading).to.deep.equal({});
    expect(broken).to.equal(null);
    expect(sockets.length).to.be.above(made);
    connection.close();
    for (const socket of sockets) socket.destroy();
    network.close();
  });

  it('keeps a connection that answers, however long nothing else happens', async () => {
    const { api, clock, server } = await world([ok], {}, 15_000);
    let made = 0;
    server.on('session', () => {
      made++;
    });
    await api.get(configMaps, key);
    for (let count = 0; count < 10; count++) {
      let ponged = false;
      for (const session of sessions)
        session.once('ping', () => {
          ponged = true;
        });
      await clock.advance(15_000);
      while (!ponged) await turn();
      for (let turns = 0; turns < 20; turns++) await turn();
    }
    await api.get(configMaps, key);
    expect(made).to.equal(1);
  });
});

describe('controllers/client/throttle', () => {
  it('lets a burst pass, and then as many as the rate allows, in order', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(10, { burst: 3 }, clock);
    const passed: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) void bucket.take().then(() => passed.push(`${name} ${clock.elapsed()}`));
    await clock.advance(1_000);
    expect(passed).to.deep.equal(['a 0', 'b 0', 'c 0', 'd 100', 'e 200']);
    await clock.advance(1_000);
    expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).to.deep.equal([true, true, true, false]);
  });

  it('stops waiting when told to', async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(1, { burst: 1 }, clock);
    await bucket.take();
    const stopping = new AbortController();
    const waiting = bucket.take(stopping.signal).catch((error: unknown) => error);
    stopping.abort();
    expect(await waiting).to.be.instanceOf(StoppedError);
  });

  it('reads rates as the options of the reference mean them', async () => {
    const clock = new FakeClock();
    for (let count = 0; count < 100; count++) await throttleFor(-1, { burst: 0 }, clock).take();
    expect(clock.pending).to.equal(0);
    const usual = throttleFor(0, { burst: 0 }, clock);
    for (let count = 0; count < 10; count++) await usual.take();
    let eleventh = false;
    void usual.take().then(() => {
      eleventh = true;
    });
    await clock.advance(199);
    expect(eleventh).to.equal(false);
    await clock.advance(1);
    expect(eleventh).to.equal(true);
  });
});
