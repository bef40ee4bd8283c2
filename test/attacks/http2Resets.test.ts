import { expect } from 'chai';
import { Target, type User } from './target.js';
import { frame, frameTypes, goawayFrame, headersFrame, pingFrame, RawHttp2, requestFields } from './wire/http2Frames.js';

const rounds = 400;
const streamsEach = 4;
const pieces = 40;

/** Clients that reset the connection while Node has both something to write and something to read (`http/nestedReads`). */
describe('attacks/http2Resets', function () {
  this.timeout(240_000);
  let target: Target;
  let user: User;

  before(async () => {
    target = await Target.start();
    user = await target.user('leaving', { group: 'system:masters' });
  });
  after(async () => {
    await target?.stop();
  });
  const survives = async (): Promise<void> => {
    await target.expectAlive();
    await target.admin.expect(200, 'GET', '/api/v1/namespaces');
    expect(target.log()).not.to.match(/unexpected error|unhandled|uncaught/i);
  };
  const isOver = (): boolean => !target.member().process.running;

  it('as soon as the handshake is over', async () => {
    for (let round = 0; round < rounds && !isOver(); round += 1) {
      const wires = await Promise.all(Array.from({ length: 4 }, () => RawHttp2.open(user.wire)));
      for (const wire of wires) wire.abort();
      await Promise.all(wires.map(({ closed }) => closed));
    }
    await survives();
  });

  /** Bodies that continue during their answers; a GOAWAY in between ends the session, or lets it end. */
  const leave = async (round: number, path: string, farewell: number | null): Promise<void> => {
    const wire = await RawHttp2.open(user.wire);
    const streams = Array.from({ length: streamsEach }, () => wire.takeStream());
    wire.send(...streams.map((stream) => headersFrame(stream, requestFields('GET', path), false)));
    await wire.until(() => wire.statuses.size > 0);
    const pings = (): number => wire.counts.get(frameTypes.ping) ?? 0;
    const before = pings();
    for (let piece = 0; piece < pieces; piece += 1) {
      const said = farewell === null || piece !== pieces / 2 ? [] : [goawayFrame(0, farewell)];
      const asked = said.map(() => headersFrame(wire.takeStream(), requestFields('GET', '/livez')));
      const data = streams.flatMap((stream) => [frame(frameTypes.data, 0, stream, Buffer.alloc(100, 0x7b)), pingFrame(), pingFrame()]);
      wire.send(...data, ...said, ...asked);
    }
    if (round % 3 > 0) await wire.until(() => pings() > before + (round % 7) * 10);
    if (round % 2 === 0) wire.abort();
    else wire.destroy();
    await wire.closed;
  };
  const kinds: readonly (readonly [what: string, path: string, farewell: number | null])[] = [
    ['long answers wait', '/openapi/v2', null],
    ['short answers wait', '/livez', null],
    ['a farewell lets the session end', '/openapi/v2', 0],
    ['a farewell ends the session', '/openapi/v2', 2],
  ];
  for (const [what, path, farewell] of kinds)
    it(`in the midst of bodies, while ${what}`, async () => {
      for (let round = 0; round < rounds && !isOver(); round += 1) await leave(round, path, farewell);
      await survives();
    });
});
