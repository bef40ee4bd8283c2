import { expect } from 'chai';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { pass } from '../../../../server/endpoints/backends/relay.js';
import type { RequestContext } from '../../../../server/endpoints/context.js';
import { send, sendParts, sendShared } from '../../../../server/endpoints/sending.js';
import { openResponse } from '../../../../server/endpoints/watch/response.js';
import { WatchStream, type StreamOptions } from '../../../../server/endpoints/watch/stream.js';
import { plain } from '../../../../server/endpoints/watch/transport.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { socketQueueOf } from '../../../../program/port/connections/socketQueue.js';
import type { Watch, WatchEvent } from '../../../../server/storage/contract.js';
import { plainRequest, RawHttp1 } from '../../../attacks/wire/http1.js';
import { RawHttp2, settingIds, windowUpdateFrame } from '../../../attacks/wire/http2Frames.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

const widestWindow = 0x7fff_ffff;
const documentBytes = 2_000_000;
/** The queue limit of a connection, with heads and frames. */
const queuedBytesMax = 1.25 * 1024 * 1024;
const requests = 100;

/** Letters that reveal missing, repeated or misplaced bytes. */
function bodyOf(bytes: number, seed = 0): string {
  const line = Array.from({ length: 251 }, (_, each) => String.fromCharCode(97 + ((each * (seed + 7)) % 26))).join('');
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

const document = Buffer.from(bodyOf(documentBytes));

type Answer = (context: RequestContext, bytes: Buffer) => Promise<void> | void;

/** Ways to send an answer. */
const ways: Readonly<Record<string, Answer>> = {
  document: (context, bytes) => sendShared(context, 200, 'text/plain', bytes),
  object: (context, bytes) => send(context, 200, 'text/plain', bytes),
  list: (context, bytes) => sendParts(context, 'text/plain', { parts: slices(bytes, 10_007), size: bytes.length }, false),
  relay: (context, bytes) => {
    context.response.writeHead(200, { 'content-type': 'text/plain' });
    return pass(Readable.from(slices(bytes, 60_000)), context);
  },
  watch: (context, bytes) => {
    const stream = watchOf(context);
    for (const frame of slices(bytes, 3_001)) stream.event({ frame: () => frame } as unknown as WatchEvent);
    if (bytes.length < documentBytes) stream.stop('Aborted');
  },
};

function slices(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, each) => bytes.subarray(each * size, (each + 1) * size));
}

function watchOf(context: RequestContext): WatchStream {
  const stream = new WatchStream({
    resource: { group: '', version: 'v1', resource: 'things' },
    representation: { encoder: { mediaType: 'application/json', streamType: null }, form: { form: 'object' } },
    framing: plain,
    resourceVersion: '',
    initialEventsEnd: false,
    bookmarks: false,
    timeoutMs: 3_600_000,
  } as unknown as StreamOptions);
  const started = { version: 1, stop: () => undefined, fallBehind: () => undefined } as unknown as Watch;
  stream.run(started, openResponse(context, 'application/json'), () => context.answered?.());
  context.onAbort(() => stream.stop('Aborted'));
  return stream;
}

/** Deterministic numbers (a linear congruential generator of Numerical Recipes). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('what a client does not take', function () {
  let identities: Identities;
  let alice: Identity;
  let door: FrontDoor;
  let asked: Exchange[];
  /** The maximum of a socket's queue. */
  let mostQueued: number;

  const openDoor = async (times: Record<string, number> = {}): Promise<void> => {
    door = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] }),
      resources: async (context) => {
        asked.push(context as Exchange);
        const [, way = '', bytes = '', seed = '0'] = /\/(\w+)-(\d+)-(\d+)/.exec(context.info.path) ?? [];
        const size = Number(bytes);
        await ways[way]?.(context, size === documentBytes ? document : Buffer.from(bodyOf(size, Number(seed))));
      },
      listener: { times },
      chain: { inflight: { readOnlyMax: 0, mutatingMax: 0 }, authorize: () => Promise.resolve({ decision: 'allow', reason: '' }) },
    });
  };
  before(async () => {
    identities = await createIdentities();
    alice = await identities.issue({ name: 'alice' });
  });
  beforeEach(() => {
    asked = [];
    mostQueued = 0;
  });
  afterEach(async () => {
    await door.listener.close();
    while (door.memory.unsent.bytes > 0) await turn();
  });

  const pathOf = (way: string, bytes: number, seed = 0): string =>
    `/api/v1/things/${way}-${bytes}-${seed}${way === 'watch' ? '?watch=1' : ''}`;
  const open2 = async (settings: Record<number, number> = {}): Promise<RawHttp2> => {
    const client = await RawHttp2.open({ port: door.port, cert: alice.cert, key: alice.key, settings });
    client.send(windowUpdateFrame(0, widestWindow - 65_535));
    return client;
  };
  const look = (): void => {
    for (const { connection } of asked)
      if (connection !== null) mostQueued = Math.max(mostQueued, socketQueueOf(connection.socket)?.queuedBytes ?? 0);
  };
  /** Waits for that many requests whose answers stand still because kernel buffers are full. */
  const standStill = async (count: number): Promise<void> => {
    let still = 0;
    let before = -1;
    while (asked.length < count || still < 100) {
      look();
      await turn();
      const now = asked.reduce((sum, { unsentBytes: left }) => sum + left, asked.length);
      still = now === before && mostQueued > 0 ? still + 1 : 0;
      before = now;
    }
  };

  for (const way of ['document', 'list', 'relay', 'watch'])
    it(`is bounded by connection, however wide its windows: ${way}`, async () => {
      await openDoor();
      const client = await open2({ [settingIds.initialWindowSize]: widestWindow });
      client.socket.pause();
      for (let each = 0; each < requests; each += 1) client.request('GET', pathOf(way, documentBytes));
      await standStill(requests);
      expect(mostQueued).to.be.within(1, queuedBytesMax);
      client.destroy();
    });

  it('is bounded where windows are opened at once that were shut', async () => {
    await openDoor();
    const client = await open2({ [settingIds.initialWindowSize]: 0 });
    for (let each = 0; each < requests; each += 1) client.request('GET', pathOf('document', documentBytes));
    while (asked.length < requests) await turn();
    client.socket.pause();
    for (let each = 0; each < requests; each += 1) client.send(windowUpdateFrame(2 * each + 1, widestWindow));
    await standStill(requests);
    expect(mostQueued).to.be.within(1, queuedBytesMax);
    client.destroy();
  });

  it('stays counted when its streams are reset, so that others do not add to it', async () => {
    await openDoor();
    const client = await open2({ [settingIds.initialWindowSize]: widestWindow });
    client.socket.pause();
    for (let round = 1; round <= 5; round += 1) {
      const streams = Array.from({ length: 20 }, () => client.request('GET', pathOf('document', documentBytes)));
      await standStill(round * streams.length);
      expect(asked[0]?.connection?.unsentBytes).to.be.greaterThan(0);
      for (const stream of streams) client.reset(stream);
      while (asked.some(({ closed }) => !closed)) {
        look();
        await turn();
      }
    }
    expect(mostQueued).to.be.within(1, queuedBytesMax);
    client.destroy();
  });

  it('is bounded over HTTP/1.1', async () => {
    await openDoor();
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => RawHttp1.open({ port: door.port, cert: alice.cert, key: alice.key })),
    );
    for (const client of clients) {
      client.socket.pause();
      client.send(plainRequest('GET', pathOf('document', 10 * documentBytes)));
    }
    await standStill(clients.length);
    expect(mostQueued).to.be.within(1, queuedBytesMax);
    for (const client of clients) client.destroy();
  });

  for (const way of ['document', 'watch', 'relay'])
    it(`ends with the whole connection when nothing is taken for long: ${way}`, async () => {
      await openDoor({ takingMs: 200, streamTakingMs: 200, relayTakingMs: 200, lookMs: 20 });
      const client = await open2({ [settingIds.initialWindowSize]: widestWindow });
      client.socket.pause();
      for (let each = 0; each < 10; each += 1) client.request('GET', pathOf(way, documentBytes));
      const one = await RawHttp1.open({ port: door.port, cert: alice.cert, key: alice.key });
      one.socket.pause();
      one.send(plainRequest('GET', pathOf(way, 10 * documentBytes)));
      while (door.listener.connections > 0) await turn();
      expect(door.memory.unsent.bytes).to.equal(0);
      expect(asked.every(({ closed }) => closed)).to.equal(true);
      client.destroy();
      one.destroy();
    });

  it('costs whoever has most of it the connection, when it is too much: answers that are kept for their client alone', async () => {
    await openDoor();
    const greedy = await open2({ [settingIds.initialWindowSize]: widestWindow });
    greedy.socket.pause();
    const bob = await identities.issue({ name: 'bob' });
    const modest = await RawHttp2.open({ port: door.port, cert: bob.cert, key: bob.key });
    modest.socket.pause();
    const stream = modest.request('GET', pathOf('object', documentBytes));
    while (asked.length < 1) await turn();
    for (let each = 0; each < requests; each += 1) greedy.request('GET', pathOf('object', documentBytes));
    while (door.listener.connections > 1) await turn();
    modest.socket.resume();
    expect(await modest.answer(stream)).to.equal(200);
    expect(modest.bodies.get(stream) === document.toString()).to.equal(true);
    greedy.destroy();
    modest.destroy();
  });

  describe('and takes slowly', () => {
    const sizes = [0, 1, 4_096, 4_097, 16_384, 16_385, 65_536, 131_072, 131_073, 300_001, 1_500_000, 1_900_000];
    const windows = [1_000, 16_384, 65_535, 1_000_000, widestWindow];

    /** Sometimes pauses reading for some turns of the event loop. */
    async function pausing(socket: RawHttp2['socket'], pick: (below: number) => number, done: () => boolean): Promise<void> {
      while (!done()) {
        socket.pause();
        for (let turns = pick(8); turns > 0; turns -= 1) await turn();
        socket.resume();
        for (let turns = 1 + pick(8); turns > 0; turns -= 1) await turn();
      }
    }

    for (let seed = 1; seed <= 12; seed += 1)
      it(`comes whole and in order over HTTP/2, many at a time (${seed})`, async () => {
        await openDoor();
        const pick = numbersFrom(seed);
        const window = windows[seed % windows.length] ?? 65_535;
        const client = await RawHttp2.open({
          port: door.port,
          cert: alice.cert,
          key: alice.key,
          settings: { [settingIds.initialWindowSize]: window },
        });
        const expected = Array.from({ length: 12 }, (_, each) => {
          const way = Object.keys(ways)[pick(Object.keys(ways).length)] ?? 'document';
          const size = sizes[pick(window < 16_384 ? 8 : sizes.length)] ?? 0;
          return { stream: client.request('GET', pathOf(way, size, each)), body: bodyOf(size, each) };
        });
        const isOver = (stream: number): boolean => client.complete.has(stream) || client.resets.has(stream);
        await pausing(client.socket, pick, () => client.ended || expected.every(({ stream }) => isOver(stream)));
        expect(client.resets).to.deep.equal(new Map());
        for (const { stream, body } of expected) expect((client.bodies.get(stream) ?? '') === body, `stream ${stream}`).to.equal(true);
        client.destroy();
      });

    for (let seed = 1; seed <= 4; seed += 1)
      it(`comes whole and in order over HTTP/1.1 (${seed})`, async () => {
        await openDoor();
        const pick = numbersFrom(seed);
        const client = await RawHttp1.open({ port: door.port, cert: alice.cert, key: alice.key });
        const expected = Array.from({ length: 12 }, (_, each) => {
          const way = Object.keys(ways)[pick(Object.keys(ways).length)] ?? 'document';
          const size = sizes[pick(sizes.length)] ?? 0;
          client.send(plainRequest('GET', pathOf(way, size, each)));
          return bodyOf(size, each);
        });
        await pausing(client.socket, pick, () => client.ended || client.answers.length === expected.length);
        for (const [each, body] of expected.entries()) expect(client.answers[each]?.body === body, `answer ${each}`).to.equal(true);
        client.destroy();
      });
  });
});
