import { expect } from 'chai';
import { Bystander } from './bystander.js';
import { Target, type Counts, type User } from './target.js';
import {
  errorCodes,
  flags,
  frame,
  frameTypes,
  goawayFrame,
  headerBlock,
  headersFrame,
  indexedBlock,
  pingFrame,
  RawHttp2,
  requestFields,
  resetFrame,
  settingIds,
  settingsFrame,
  windowUpdateFrame,
  type Fields,
} from './wire/http2Frames.js';

const framesEach = 20_000;
const batch = 100;
const growthMax = 1.5;

/** One kind of flood: the frames of one turn; `wire` for floods that need streams. */
interface Flood {
  readonly what: string;
  readonly turn: (wire: RawHttp2, round: number) => Buffer;
  /** Sent once at the beginning. */ readonly begin?: (wire: RawHttp2) => Buffer;
  readonly turns?: number;
}

const get = (path: string, further: Fields = []): Fields => requestFields('GET', path, further);
const empty = Buffer.alloc(0);
const exclusive = Buffer.from([0x80, 0, 0, 0, 255]);

const floods: readonly Flood[] = [
  {
    what: 'requests that are reset at once (CVE-2023-44487)',
    turn: (wire) => {
      const stream = wire.takeStream();
      return Buffer.concat([headersFrame(stream, get('/version')), resetFrame(stream, errorCodes.cancel)]);
    },
  },
  {
    what: 'requests whose resets the server must send (CVE-2025-8671)',
    turn: (wire) => {
      const stream = wire.takeStream();
      return Buffer.concat([headersFrame(stream, get('/version'), false), windowUpdateFrame(stream, 0)]);
    },
  },
  {
    what: 'requests with more after their end',
    turn: (wire) => {
      const stream = wire.takeStream();
      return Buffer.concat([headersFrame(stream, get('/version')), frame(frameTypes.data, 0, stream, Buffer.from('x'))]);
    },
  },
  {
    what: 'a header block that does not end (CVE-2023-45288)',
    begin: (wire) => frame(frameTypes.headers, 0, wire.takeStream(), headerBlock(get('/version'))),
    turn: (_wire, round) => frame(frameTypes.continuation, 0, 1, headerBlock([[`x-${round}`, 'y'.repeat(100)]])),
  },
  {
    what: 'empty pieces of a header block',
    begin: (wire) => frame(frameTypes.headers, 0, wire.takeStream(), headerBlock(get('/version'))),
    turn: () => frame(frameTypes.continuation, 0, 1, empty),
  },
  { what: 'pings (CVE-2019-9512)', turn: () => pingFrame() },
  { what: 'settings (CVE-2019-9515)', turn: () => settingsFrame({ [settingIds.initialWindowSize]: 65_535 }) },
  {
    what: 'settings that change every window',
    turn: (_wire, round) => settingsFrame({ [settingIds.initialWindowSize]: round % 2 === 0 ? 1 : 1_000_000 }),
  },
  {
    what: 'settings that nobody knows',
    turn: (_wire, round) =>
      settingsFrame(Object.fromEntries(Array.from({ length: 50 }, (_, each) => [1_000 + ((each + round) % 60_000), each]))),
    turns: 2_000,
  },
  { what: 'acknowledgements of nothing', turn: () => frame(frameTypes.settings, flags.ack, 0, empty) },
  {
    what: 'empty data (CVE-2019-9518)',
    begin: (wire) => headersFrame(wire.takeStream(), requestFields('POST', '/version'), false),
    turn: () => frame(frameTypes.data, 0, 1, empty),
  },
  {
    what: 'padding alone',
    begin: (wire) => headersFrame(wire.takeStream(), requestFields('POST', '/version'), false),
    turn: () => frame(frameTypes.data, flags.padded, 1, Buffer.concat([Buffer.from([200]), Buffer.alloc(200)])),
  },
  { what: 'priorities (CVE-2019-9513)', turn: (_wire, round) => frame(frameTypes.priority, 0, 1 + 2 * (round % 1_000), exclusive) },
  { what: 'priorities of ever new streams', turn: (_wire, round) => frame(frameTypes.priority, 0, 1 + 2 * round, exclusive) },
  { what: 'windows of the connection by a byte', turn: () => windowUpdateFrame(0, 1) },
  {
    what: 'windows of a stream that is over',
    begin: (wire) => headersFrame(wire.takeStream(), get('/version')),
    turn: () => windowUpdateFrame(1, 1),
  },
  {
    what: 'empty headers (CVE-2019-9516)',
    turn: (wire) => headersFrame(wire.takeStream(), [...get('/version'), ...Array.from({ length: 100 }, (): [string, string] => ['', ''])]),
    turns: 2_000,
  },
  {
    what: 'headers that fill the table',
    turn: (wire, round) =>
      frame(
        frameTypes.headers,
        flags.endHeaders | flags.endStream,
        wire.takeStream(),
        indexedBlock(get('/version', [[`x-${round}`, 'y'.repeat(3_000)]])),
      ),
    turns: 2_000,
  },
  {
    what: 'headers by reference, again and again (CVE-2016-6581)',
    begin: (wire) =>
      frame(
        frameTypes.headers,
        flags.endHeaders | flags.endStream,
        wire.takeStream(),
        indexedBlock([...get('/version'), ['x', 'y'.repeat(3_500)]]),
      ),
    turn: (wire) =>
      frame(
        frameTypes.headers,
        flags.endHeaders | flags.endStream,
        wire.takeStream(),
        Buffer.concat([headerBlock(get('/version')), Buffer.alloc(2_000, 0xbe)]),
      ),
    turns: 500,
  },
  {
    what: 'a table that changes its size',
    turn: (wire) =>
      frame(
        frameTypes.headers,
        flags.endHeaders | flags.endStream,
        wire.takeStream(),
        Buffer.concat([Buffer.from([0x20, 0x3f, 0xe1, 0x1f]), headerBlock(get('/version'))]),
      ),
    turns: 5_000,
  },
  { what: 'farewells', turn: () => goawayFrame(0, errorCodes.none) },
  { what: 'frames that nobody knows', turn: (_wire, round) => frame(0x20 + (round % 200), round % 256, round % 7, Buffer.alloc(100)) },
  {
    what: 'requests beyond the limit of streams',
    turn: (wire) => headersFrame(wire.takeStream(), requestFields('POST', '/version'), false),
    turns: 5_000,
  },
  {
    what: 'watches and logs that nobody may have',
    turn: (wire) => headersFrame(wire.takeStream(), get('/api/v1/pods?watch=true')),
    turns: 3_000,
  },
];

/** Frames that violate the protocol, each on its own connection: the connection ends, or goes on unchanged. */
const breaches: Readonly<Record<string, (wire: RawHttp2) => Buffer>> = {
  'data on the connection': () => frame(frameTypes.data, 0, 0, Buffer.from('x')),
  'headers on the connection': () => frame(frameTypes.headers, flags.endHeaders, 0, headerBlock(get('/version'))),
  'headers on a stream of the server': () => headersFrame(2, get('/version')),
  'headers on a stream that is lower': (wire) => {
    const [low, high] = [wire.takeStream(), wire.takeStream()];
    return Buffer.concat([headersFrame(high, get('/version')), headersFrame(low, get('/version'))]);
  },
  'data on a stream that is idle': () => frame(frameTypes.data, 0, 99, Buffer.from('x')),
  'a reset of a stream that is idle': () => resetFrame(99, 8),
  'a continuation of nothing': () => frame(frameTypes.continuation, flags.endHeaders, 1, headerBlock(get('/version'))),
  'another frame within a header block': (wire) =>
    Buffer.concat([frame(frameTypes.headers, 0, wire.takeStream(), headerBlock(get('/version'))), pingFrame()]),
  'a promise of a client': () =>
    frame(frameTypes.pushPromise, flags.endHeaders, 1, Buffer.concat([Buffer.alloc(4), headerBlock(get('/version'))])),
  'a ping of seven bytes': () => frame(frameTypes.ping, 0, 0, Buffer.alloc(7)),
  'settings of five bytes': () => frame(frameTypes.settings, 0, 0, Buffer.alloc(5)),
  'settings on a stream': () => frame(frameTypes.settings, 0, 1, Buffer.alloc(6)),
  'a window beyond all': () => Buffer.concat([windowUpdateFrame(0, 0x7fffffff), windowUpdateFrame(0, 0x7fffffff)]),
  'a window of nothing': () => windowUpdateFrame(0, 0),
  'a first window beyond all': () => settingsFrame({ [settingIds.initialWindowSize]: 0xffffffff }),
  'a frame size that is none': () => settingsFrame({ [settingIds.maxFrameSize]: 1 }),
  'a frame of 16 MiB': () => Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]), Buffer.alloc(100_000)]),
  'padding beyond the frame': (wire) =>
    frame(
      frameTypes.headers,
      flags.endHeaders | flags.endStream | flags.padded,
      wire.takeStream(),
      Buffer.concat([Buffer.from([255]), headerBlock(get('/version'))]),
    ),
  'a header block that cannot be read': (wire) =>
    frame(frameTypes.headers, flags.endHeaders | flags.endStream, wire.takeStream(), Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x0f])),
  'a stream that depends on itself': (wire) => {
    const stream = wire.takeStream();
    return frame(
      frameTypes.headers,
      flags.endHeaders | flags.endStream | flags.priority,
      stream,
      Buffer.concat([Buffer.from([0, 0, 0, stream, 10]), headerBlock(get('/version'))]),
    );
  },
  'no method': (wire) =>
    headersFrame(wire.takeStream(), [
      [':scheme', 'https'],
      [':path', '/version'],
    ]),
  'two paths': (wire) => headersFrame(wire.takeStream(), [...get('/version'), [':path', '/metrics']]),
  'a pseudo field behind others': (wire) =>
    headersFrame(wire.takeStream(), [
      [':method', 'GET'],
      [':scheme', 'https'],
      ['x', 'y'],
      [':path', '/version'],
    ]),
  'a pseudo field that nobody knows': (wire) => headersFrame(wire.takeStream(), [...get('/version'), [':user', 'admin']]),
  'a field in capitals': (wire) => headersFrame(wire.takeStream(), get('/version', [['X-Remote-User', 'admin']])),
  'a line end in a value': (wire) => headersFrame(wire.takeStream(), get('/version', [['x', 'a\r\nimpersonate-user: admin']])),
  'a NUL in a value': (wire) => headersFrame(wire.takeStream(), get('/version', [['x', 'a\u0000b']])),
  'fields of the connection': (wire) =>
    headersFrame(
      wire.takeStream(),
      get('/version', [
        ['connection', 'upgrade'],
        ['transfer-encoding', 'chunked'],
      ]),
    ),
  "a length that is not the body's": (wire) => {
    const stream = wire.takeStream();
    return Buffer.concat([
      headersFrame(stream, requestFields('POST', '/version', [['content-length', '100']]), false),
      frame(frameTypes.data, flags.endStream, stream, Buffer.from('x')),
    ]);
  },
  'a path of another form': (wire) => headersFrame(wire.takeStream(), get('https://elsewhere/api/v1/secrets')),
  'an empty path': (wire) => headersFrame(wire.takeStream(), get('')),
  'CONNECT with a path': (wire) => headersFrame(wire.takeStream(), requestFields('CONNECT', '/version')),
  'trailers that do not end': (wire) => {
    const stream = wire.takeStream();
    return Buffer.concat([headersFrame(stream, requestFields('POST', '/version'), false), headersFrame(stream, [['x', 'y']], false)]);
  },
  'headers of 1 MiB': (wire) =>
    Buffer.concat([
      frame(frameTypes.headers, 0, wire.takeStream(), headerBlock(get('/version'))),
      ...Array.from({ length: 64 }, (_, each) =>
        frame(frameTypes.continuation, each === 63 ? flags.endHeaders : 0, 1, headerBlock([['x', 'y'.repeat(16_000)]])),
      ),
    ]),
};

async function send({ begin, turn, turns = framesEach }: Flood, port: number): Promise<void> {
  const wire = await RawHttp2.open({ port });
  if (begin) wire.send(begin(wire));
  for (let round = 0; round < turns && !wire.ended && wire.goaway === null; round += batch) {
    wire.send(...Array.from({ length: batch }, (_, each) => turn(wire, round + each)));
    await wire.drained();
  }
  // Whatever was sent has been looked at when this is answered, unless the connection is over.
  const pings = wire.counts.get(frameTypes.ping) ?? 0;
  wire.send(pingFrame());
  if (wire.goaway === null) await wire.until(() => wire.goaway !== null || (wire.counts.get(frameTypes.ping) ?? 0) > pings);
  wire.destroy();
}

describe('attacks/http2Floods', function () {
  let target: Target;
  let low: User;
  let bystander: Bystander;
  let calm: Counts;

  before(async () => {
    target = await Target.start();
    low = await target.user('low');
    bystander = await Bystander.start(target);
    await bystander.served(5);
    calm = Bystander.beside(await target.counts());
    // The one-time cost of every flood, such as compilation.
    for (const flood of floods) await send({ ...flood, turns: 500 }, target.port);
  });
  after(async () => {
    await bystander?.stop();
    await target?.stop();
  });

  describe('frames against the rules', () => {
    for (const [what, breach] of Object.entries(breaches)) {
      it(what, async () => {
        const wire = await RawHttp2.open(low.wire);
        wire.send(breach(wire), pingFrame());
        await wire.until(
          () => wire.goaway !== null || wire.frames.some((each) => each.type === frameTypes.ping && (each.flags & flags.ack) !== 0),
        );
        for (const [stream, body] of wire.bodies) expect(body, `stream ${stream}`).not.to.match(/process_resident|"kind":"Secret/);
        wire.destroy();
        await bystander.served(1);
      });
    }
  });

  it('connections that break the rules, again and again from one port', async () => {
    const admin = await target.user('watcher', { group: 'system:masters' });
    const first = await RawHttp2.open(admin.wire);
    const { localPort } = first;
    for (let [round, wire] = [0, first]; round < 20; round += 1, wire = await RawHttp2.open({ ...admin.wire, localPort })) {
      const watch = wire.request('GET', '/api/v1/namespaces?watch=true');
      await wire.until(() => wire.statuses.has(watch));
      wire.send(frame(frameTypes.data, 0, 0, Buffer.from('x')));
      await wire.until(() => wire.goaway !== null);
      wire.abort();
      await wire.closed;
    }
    // The last of them ends when it is looked at, the others have ended with the next.
    expect((await target.counts()).longRunning - calm.longRunning).to.be.at.most(3);
  });

  for (const flood of floods) {
    it(flood.what, async () => {
      const resident = target.residentBytes();
      await send(flood, target.port);
      await bystander.served(2);
      await target.settled({ ...calm, longRunning: Infinity, openFiles: Infinity });
      expect(target.residentBytes() / resident, 'growth of memory').to.be.below(growthMax);
    });
  }

  // Node reads nothing more of a session that violated the protocol, not even its end: the server finds these when it checks connections.
  it('leaves a server that knows nothing more of it', async () => {
    await target.settled(calm);
    await target.expectAlive();
    await bystander.served(5);
    expect(target.log()).not.to.match(/unhandled|uncaught|InternalError/i);
  });
});
