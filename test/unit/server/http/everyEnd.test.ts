import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RequestContext } from '../../../../server/endpoints/context.js';
import { sendParts } from '../../../../server/endpoints/sending.js';
import { plain } from '../../../../server/endpoints/watch/transport.js';
import { openResponse } from '../../../../server/endpoints/watch/response.js';
import { WatchStream, type StreamOptions } from '../../../../server/endpoints/watch/stream.js';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import type { Watch, WatchEvent } from '../../../../server/storage/contract.js';
import { plainRequest, RawHttp1 } from '../../../attacks/wire/http1.js';
import { errorCodes, frame, frameTypes, goawayFrame, RawHttp2, settingIds } from '../../../attacks/wire/http2Frames.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

/** The total number of requests, over all endings and phases. */
const rounds = 10_000;
/** The memory that 10,000 requests may retain after garbage collection: a kilobyte each would be 10 MB. */
const heldBytesMax = 6 * 1024 * 1024;

/** Incompressible. */
const longPart = randomBytes(200_000);
/** Longer than all time limits of the server here. */
const timeLimitMs = 120_000;

const phases = ['authentication', 'authorization', 'audit', 'body', 'queue', 'read', 'write', 'list', 'gzip', 'watch', 'untaken'] as const;
type Phase = (typeof phases)[number];

/** Ways to end an HTTP/2 connection or its open `streams`. */
const ends: Readonly<Record<string, (client: RawHttp2, streams: readonly number[]) => void>> = {
  'an error of the protocol': (client) => {
    client.send(frame(frameTypes.data, 0, 0, Buffer.from('x')));
  },
  'an error of the protocol, and the end of the connection': (client) => {
    client.send(frame(frameTypes.data, 0, 0, Buffer.from('x')));
    client.destroy();
  },
  'a header block that cannot be read': (client) => {
    client.send(frame(frameTypes.headers, 5, 9_001, Buffer.alloc(50, 0xff)));
  },
  'GOAWAY, and the end of the connection': (client) => {
    client.send(goawayFrame(0, errorCodes.none));
    client.destroy();
  },
  'RST_STREAM of each': (client, streams) => {
    for (const stream of streams) client.reset(stream);
  },
  'a destroyed socket': (client) => {
    client.destroy();
  },
  'a half close': (client) => {
    client.socket.end();
  },
  // Does nothing: the server detects an absent client or a timeout.
  silence: (client) => {
    client.socket.pause();
  },
};

/** Lets all waiters continue at once. */
class Gate {
  entered = 0;
  #waiting: (() => void)[] = [];

  async pass(): Promise<void> {
    this.entered += 1;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  open(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe('whatever is under way when a connection or a request ends', function () {
  let identities: Identities;
  let alice: Identity;
  let door: FrontDoor;
  let gate: Gate;
  let watches: number;

  const phaseOf = (url: string): Phase => phases.find((phase) => url.includes(`/${phase}`)) ?? 'read';
  const waitIn = (phase: Phase, url: string): Promise<void> | null => (url.includes(`/${phase}`) ? gate.pass() : null);

  before(async () => {
    identities = await createIdentities();
    alice = await identities.issue({ name: 'alice' });
    gate = new Gate();
    watches = 0;
    const user = { name: 'alice', uid: '', groups: ['system:authenticated'], extra: {} };
    door = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] }),
      resources,
      listener: {
        times: { firstRequestMs: 2_000, silenceMs: 100, pongMs: 100, takingMs: 100, lookMs: 20, idleHttp1Ms: 500, idleHttp2Ms: 500 },
      },
      chain: {
        inflight: { readOnlyMax: 1_000, mutatingMax: 1_000 },
        requestTimeoutMs: 400,
        authenticate: async ({ url = '' }) => {
          await waitIn('authentication', url);
          return { outcome: 'user', user };
        },
        authorize: async (attributes) => {
          if (attributes.isResource) await waitIn('authorization', `/${attributes.name}`);
          return { decision: 'allow', reason: '' };
        },
        audit: {
          begin: async (request) => {
            await waitIn('audit', `/${'name' in request.info ? request.info.name : ''}`);
            return null;
          },
          beginRefused: () => null,
          close: () => Promise.resolve(),
        },
      },
    });
  });
  after(async () => {
    await door.listener.close();
  });

  async function resources(context: RequestContext): Promise<void> {
    const phase = phaseOf(context.info.path);
    if (phase === 'body') gate.entered += 1;
    if (context.request.method === 'POST') await context.body();
    if (phase === 'read' || phase === 'write') await gate.pass();
    if (phase === 'watch') return watch(context);
    if (phase === 'list' || phase === 'gzip') return list(context, phase === 'gzip');
    if (phase === 'untaken') gate.entered += 1;
    writeJson(context as Exchange, 200, { text: 'x'.repeat(1_000) });
  }

  /** More than a connection and both of its ends buffer. */
  async function list(context: RequestContext, compress: boolean): Promise<void> {
    gate.entered += 1;
    const parts = (function* () {
      for (let part = 0; part < 60; part += 1) yield longPart;
    })();
    await sendParts(context, 'text/plain', { parts, size: null }, compress);
  }

  async function watch(context: RequestContext): Promise<void> {
    gate.entered += 1;
    watches += 1;
    let stopped = false;
    const started = {
      version: 1,
      stop: () => {
        if (!stopped) watches -= 1;
        stopped = true;
      },
    } as unknown as Watch;
    const representation = { encoder: { mediaType: 'application/json', streamType: null }, form: { form: 'object' } };
    const stream = new WatchStream({
      resource: { group: '', version: 'v1', resource: 'things' },
      representation,
      framing: plain,
      resourceVersion: '',
      initialEventsEnd: false,
      bookmarks: true,
      timeoutMs: 3_600_000,
    } as unknown as StreamOptions);
    stream.event({ frame: () => Buffer.from('{}\n') } as unknown as WatchEvent);
    stream.run(started, openResponse(context, 'application/json'), () => context.answered?.());
    context.onAbort(() => stream.stop('Aborted'));
  }

  const left = async (): Promise<Record<string, number>> => ({
    ...(await door.counts()),
    active: door.chain.active.size,
    connections: door.listener.connections,
    watches,
    bodies: door.memory.bodies.bytes,
    untaken: door.memory.unsent.bytes,
    timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
    handles: process.getActiveResourcesInfo().filter((kind) => /TCP|TLS/.test(kind)).length,
  });
  /** Resolves when nothing is left; a timeout shows the last state. */
  const settled = async (before: Readonly<Record<string, number>>, what: string): Promise<void> => {
    const until = performance.now() + timeLimitMs;
    for (;;) {
      const now = await left();
      const more = Object.entries(now).filter(([name, count]) => count > (before[name] ?? Infinity));
      if (more.length === 0) return;
      if (performance.now() > until) throw new Error(`${what} leaves ${JSON.stringify(more)} behind`);
      await turn();
    }
  };
  /** Exchanges end while the work waits; it then notices and releases the rest. The connection closes last. */
  const givenBack = async (before: Readonly<Record<string, number>>, what: string, leave: () => void): Promise<void> => {
    const { active = 0, connections: _connections, handles: _handles, ...rest } = before;
    await settled({ active }, what);
    gate.open();
    await settled(rest, what);
    leave();
    await settled(before, `${what}, and the end of the connection`);
  };

  const pathOf = (phase: Phase): string => `/api/v1/things/${phase}${phase === 'watch' ? '?watch=1' : ''}`;
  const methodOf = (phase: Phase): string => (phase === 'body' || phase === 'write' ? 'POST' : 'GET');

  function ask(client: RawHttp2, phase: Phase, count: number): number[] {
    return Array.from({ length: count }, () => {
      const fields = phase === 'gzip' ? [['accept-encoding', 'gzip'] as const] : [];
      const stream = client.request(methodOf(phase), pathOf(phase), { endStream: methodOf(phase) === 'GET', fields });
      if (phase === 'body') client.data(stream, '{"half', false);
      if (phase === 'write') client.data(stream, '{}', true);
      return stream;
    });
  }

  const combinations = phases.flatMap((phase) => Object.keys(ends).map((end) => ({ phase, end })));
  const long: readonly Phase[] = ['list', 'gzip'];
  const each = Math.ceil(rounds / combinations.filter(({ phase }) => !long.includes(phase)).length);
  const collect = (): number => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed;
  };
  let held = 0;
  for (const { phase, end } of combinations) {
    it(`is given back: ${phase}, ${end}`, async () => {
      if (held === 0) held = collect();
      const before = await left();
      gate.entered = 0;
      const settings: Record<number, number> = ['list', 'gzip', 'untaken'].includes(phase) ? { [settingIds.initialWindowSize]: 0 } : {};
      const client = await RawHttp2.open({ port: door.port, cert: alice.cert, key: alice.key, settings, polite: end !== 'silence' });
      // Lists are long, so a few suffice.
      const count = long.includes(phase) ? 20 : each;
      const streams = ask(client, phase, count);
      while (phase !== 'queue' && gate.entered < count && !client.ended) await turn();
      ends[end]?.(client, streams);
      await givenBack(before, `${phase}, ${end}`, () => {
        client.destroy();
      });
    });
  }

  for (const how of ['a destroyed socket', 'a half close', 'half of the next request', 'silence'] as const) {
    // A watch sends nothing by itself: over HTTP/1.1 it stays for its time.
    for (const phase of phases.filter((name) => name !== 'queue' && (name !== 'watch' || how.startsWith('a ')))) {
      it(`is given back over HTTP/1.1: ${phase}, ${how}`, async () => {
        const before = await left();
        gate.entered = 0;
        const clients = await Promise.all(
          Array.from({ length: 4 }, () => RawHttp1.open({ port: door.port, cert: alice.cert, key: alice.key })),
        );
        const body = phase === 'write' ? '{}' : phase === 'body' ? '{"half' : '';
        const headers = [
          ...(body === '' ? [] : [`content-length: ${phase === 'body' ? 100 : 2}`]),
          ...(phase === 'gzip' ? ['accept-encoding: gzip'] : []),
        ];
        for (const client of clients) {
          if (phase === 'list' || phase === 'gzip') client.socket.pause();
          client.send(plainRequest(methodOf(phase), pathOf(phase), headers, body));
        }
        // On a busy machine a request or connection may time out earlier.
        const over = (): number => clients.filter(({ ended, answers }) => ended || answers.length > 0).length;
        while (gate.entered + over() < clients.length) await turn();
        for (const { socket } of clients) {
          if (how === 'a destroyed socket') socket.destroy();
          else if (how === 'a half close') socket.end();
          else if (how === 'half of the next request') socket.write('GET /half');
          else socket.pause();
        }
        await givenBack(before, `${phase}, ${how}`, () => {
          for (const client of clients) client.destroy();
        });
      });
    }
  }

  it('is no memory either, after all of these', () => {
    expect(collect() - held).to.be.below(heldBytesMax);
  });
});

describe('a connection that Node no longer reads', function () {
  it('ends with its client, however patient the server is', async () => {
    const identities = await createIdentities();
    const hour = 3_600_000;
    const door = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] }),
      resources: () => Promise.resolve(),
      listener: {
        times: { firstRequestMs: hour, silenceMs: hour, pongMs: hour, takingMs: hour, lookMs: 20, idleHttp1Ms: hour, idleHttp2Ms: hour },
      },
      chain: {},
    });
    const client = await RawHttp2.open({ port: door.port });
    for (let each = 0; each < 100; each += 1) client.request('GET', '/version');
    client.send(frame(frameTypes.data, 0, 0, Buffer.from('x')));
    await client.until(() => client.goaway !== null);
    expect(door.listener.connections).to.equal(1);
    client.destroy();
    while (door.listener.connections > 0) await turn();
    expect(door.chain.active.size).to.equal(0);
    await door.listener.close();
  });
});
