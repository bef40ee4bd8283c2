import { expect } from 'chai';
import http2 from 'node:http2';
import net from 'node:net';
import { http2Preface } from '../bench/http2/frames.js';
import { Bystander } from './bystander.js';
import { Target, type Counts, type User } from './target.js';
import { HeldHandshake } from './wire/heldHandshake.js';
import { plainRequest, RawHttp1 } from './wire/http1.js';
import { flags, frame, frameTypes, headersFrame, RawHttp2, requestFields, settingIds, settingsFrame } from './wire/http2Frames.js';

/** The documented limit from a connection's first byte to its first request, and the server's tolerance. */
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Clients with few rights exhaust connections, requests in flight and memory with few bytes each. */
describe('attacks on the doors of a server', function () {
  let target: Target;
  let bystander: Bystander;
  let atRest: Counts;
  let mallory: User;
  const clients: { destroy(): void }[] = [];
  const open = async (options: Partial<Parameters<typeof RawHttp2.open>[0]> = {}): Promise<RawHttp2> => {
    const client = await RawHttp2.open({ port: target.port, ...options });
    clients.push(client);
    return client;
  };
  const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));

  before(async () => {
    target = await Target.start({ flags: ['--goaway-chance=0'] });
    mallory = await target.user('mallory', { rules: [{ verbs: ['get', 'list', 'watch'], resources: ['configmaps'] }] });
    await mallory.client.expect(200, 'GET', '/api/v1/configmaps');
    atRest = await target.counts();
    bystander = await Bystander.start(target);
    await bystander.served();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    // All slots are released at once, except the bystander's.
    await target.settled({
      ...atRest,
      readOnly: atRest.readOnly + 2,
      mutating: atRest.mutating + 1,
      longRunning: Infinity,
      openFiles: Infinity,
    });
    await target.expectAlive();
  });
  after(async () => {
    await bystander.stop();
    await target.stop();
  });

  const abandoned = [
    ['GET', '/version', true],
    ['POST', '/api/v1/namespaces/default/pods', false],
    ['GET', '/api/v1/configmaps?watch=1', true],
  ] as const;
  for (const [method, path, endStream] of abandoned) {
    it(`cost nobody a slot: sessions that end with an error of the protocol, under ${method} ${path}`, async () => {
      for (let round = 0; round < 7; round += 1) {
        const client = await open(path.includes('watch') ? mallory.wire : {});
        for (let each = 0; each < 100; each += 1) client.request(method, path, { endStream });
        client.send(frame(frameTypes.data, 0, 0, Buffer.from('x')));
        if (round % 2 === 0) await client.until(() => client.goaway !== null);
      }
      await bystander.served();
    });
  }

  it('cost nobody a slot: requests that are taken back while it is found out who asks', async () => {
    const { token } = await target.account('default', `taker${Date.now()}`);
    const fields = [['authorization', `Bearer ${token}`]] as const;
    for (let round = 0; round < 10; round += 1) {
      const client = await open();
      for (let each = 0; each < 50; each += 1) {
        const write = each % 2 === 0;
        const stream = client.request(write ? 'DELETE' : 'GET', write ? '/api/v1/namespaces/default/pods/none' : '/version', { fields });
        client.reset(stream);
      }
    }
    await bystander.served();
  });

  it('cost nobody a slot: answers that are not taken', async () => {
    const statuses = await times(5, async () => {
      const client = await open({ settings: { [settingIds.initialWindowSize]: 0 } });
      const streams: number[] = [];
      // Fewer at once than its queues hold: how soon a server answers depends on the machine.
      for (let round = 0; round < 20; round += 1) {
        for (let each = 0; each < 10; each += 1) streams.push(client.request('GET', '/version'));
        await client.until(() => streams.every((stream) => client.statuses.has(stream)));
      }
      return streams.map((stream) => client.statuses.get(stream));
    });
    expect(statuses.flat().filter((status) => status !== 200)).to.deep.equal([]);
    await bystander.served();
    const now = await target.counts();
    expect(now.readOnly, 'slots while the answers wait').to.be.at.most(atRest.readOnly + 4);
  });

  it('cost nobody a slot: bodies that are not sent to their end', async () => {
    const client = await open(mallory.wire);
    for (let each = 0; each < 600; each += 1) {
      const stream = client.request('POST', reviews, { endStream: false, fields: [['content-type', 'application/json']] });
      client.data(stream, '{"spec":');
    }
    const others = await times(100, () => RawHttp1.open(mallory.wire));
    for (const other of others) {
      clients.push(other);
      other.send(plainRequest('POST', reviews, ['content-type: application/json', 'content-length: 1000'], '{"spec":'));
    }
    await bystander.served();
    expect((await target.counts()).mutating).to.be.at.most(atRest.mutating + 2);
  });

  it('end nothing but their own answer: compressed answers that are reset or given up in their middle', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 90 }, (_, n) => [`key${n}`, Array.from({ length: 800 }, () => Math.random().toString(36)).join('')]),
    );
    for (const name of ['a', 'b', 'c'])
      await target.admin.expect(201, 'POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name }, data } });
    for (let round = 0; round < 10; round += 1) {
      const client = await open({ ...mallory.wire, settings: { [settingIds.initialWindowSize]: 20_000 }, polite: false });
      const streams = Array.from({ length: 10 }, () =>
        client.request('GET', '/api/v1/configmaps?timeout=1s', { fields: [['accept-encoding', 'gzip']] }),
      );
      await client.until(() => client.statuses.size > 0);
      const [given, left] = [streams.slice(5), streams.slice(0, 5)];
      for (const stream of given) client.reset(stream);
      await client.until(() => left.every((stream) => client.resets.has(stream) || client.complete.has(stream)));
    }
    await bystander.served();
  });

  it('keep others waiting for no more than their turn: headers without end from many sessions', async () => {
    let running = true;
    const flood = async (): Promise<void> => {
      const session = http2.connect(`https://127.0.0.1:${target.port}`, { rejectUnauthorized: false });
      session.on('error', () => undefined);
      clients.push(session);
      const ask = (): Promise<void> =>
        new Promise((resolve) => {
          const stream = session.request({ ':path': '/version', 'x-churn': Math.random().toString(36).repeat(40) });
          stream
            .on('error', () => undefined)
            .on('close', resolve)
            .resume();
        });
      await Promise.all(
        Array.from({ length: 300 }, async () => {
          while (running && !session.destroyed) await ask();
        }),
      );
    };
    const floods = times(4, flood);
    await bystander.served(5);
    running = false;
    for (const client of clients) client.destroy();
    await floods;
  });

  it('keep no connection for ever on which nothing, or half of something, is said', async () => {
    const plain = await times(
      20,
      () =>
        new Promise<{ closed: Promise<void>; destroy(): void }>((resolve) => {
          const socket = net.connect(target.port, '127.0.0.1', () => {
            resolve({
              closed,
              destroy: () => {
                socket.destroy();
              },
            });
          });
          const closed = new Promise<void>((gone) => {
            socket
              .on('error', () => undefined)
              .resume()
              .once('close', () => {
                gone();
              });
          });
        }),
    );
    const silent1 = await times(20, () => RawHttp1.open({ port: target.port }));
    const half1 = await times(20, async () => {
      const client = await RawHttp1.open({ port: target.port });
      client.send('GET /version HTTP/1.1\r\nhost: x\r\n');
      return client;
    });
    const silent2 = await times(20, () => open({ silent: true }));
    const half2 = await times(20, async () => {
      const client = await open({ silent: true });
      const head = headersFrame(1, requestFields('GET', '/version'));
      client.send(
        http2Preface,
        frame(frameTypes.settings, 0, 0, Buffer.alloc(0)),
        frame(frameTypes.headers, flags.endStream, 1, head.subarray(9)),
      );
      return client;
    });
    clients.push(...plain, ...silent1, ...half1);
    await bystander.served();
    await Promise.all([...plain, ...silent1, ...half1, ...silent2, ...half2].map(({ closed }) => closed));
  });

  it('end nothing but their own connection: handshakes that are finished after their time', async () => {
    const errors = async (): Promise<number> => {
      const text = String((await target.admin.request('GET', '/metrics')).body);
      return Number(/^apiserver_tls_handshake_errors_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await errors();
    const ways = [
      { protocol: 'h2', version: 'TLSv1.3' },
      { protocol: 'h2', version: 'TLSv1.2' },
    ] as const;
    const held = await Promise.all(ways.map((way) => HeldHandshake.begin({ port: target.port, ...way })));
    clients.push(...held);
    while ((await errors()) < before + held.length);
    for (const each of held) each.finish(Buffer.concat([http2Preface, settingsFrame({})]));
    await Promise.all(held.map(({ closed }) => closed));
    await target.expectAlive();
    await bystander.served();
  });

  it('leave nothing behind, not even the connections that the attackers did not close', async () => {
    await bystander.stop();
    const after = await target.settled(atRest);
    expect([after.readOnly, after.mutating, after.longRunning]).to.deep.equal([atRest.readOnly, atRest.mutating, atRest.longRunning]);
  });
});
