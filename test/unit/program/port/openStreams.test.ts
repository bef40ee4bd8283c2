import { once } from 'node:events';
import http2, { type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { keepStreamsApart, OpenStreams, UnnumberedStreams } from '../../../../program/port/connections/openStreams.js';

describe('open streams of a session', () => {
  const commands = fc.array(
    fc.oneof(
      { weight: 30, arbitrary: fc.record({ command: fc.constant('set' as const), id: fc.nat({ max: 60 }) }) },
      { weight: 20, arbitrary: fc.record({ command: fc.constant('delete' as const), id: fc.nat({ max: 60 }) }) },
      { weight: 1, arbitrary: fc.record({ command: fc.constant('clear' as const), id: fc.constant(0) }) },
    ),
    { maxLength: 600 },
  );

  it('are found, counted and gone through like those of a map', () => {
    fc.assert(
      fc.property(commands, fc.constantFrom(1, 2, 64, 1024), (steps, stride) => {
        const [open, map] = [new OpenStreams<string>(), new Map<number, string>()];
        for (const [at, { command, id: number }] of steps.entries()) {
          const id = number * stride;
          if (command === 'set') for (const each of [open, map]) each.set(id, `${at}`);
          else if (command === 'delete') expect(open.delete(id)).to.equal(map.delete(id));
          else for (const each of [open, map]) each.clear();
          expect([open.size, open.get(id), open.has(id)]).to.deep.equal([map.size, map.get(id), map.has(id)]);
        }
        for (let number = 0; number <= 60; number += 1) expect(open.get(number * stride)).to.equal(map.get(number * stride));
        expect(new Map(open)).to.deep.equal(
          new Map([...map].sort(([one], [other]) => [...open.keys()].indexOf(one) - [...open.keys()].indexOf(other))),
        );
        expect([...open.values()]).to.have.members([...map.values()]);
      }),
    );
  });

  it('may end while they are gone through', () => {
    const open = new OpenStreams<string>();
    for (const id of [1, 3, 5, 17, 33, 49]) open.set(id, String(id));
    const seen: string[] = [];
    open.forEach((stream, id, all) => {
      seen.push(stream);
      all.delete(id);
    });
    expect([seen.sort(), open.size]).to.deep.equal([['1', '17', '3', '33', '49', '5'], 0]);
  });

  it('without a number are each there once', () => {
    const unnumbered = new UnnumberedStreams<string>().add('a').add('b').add('a');
    expect([unnumbered.size, unnumbered.has('a'), unnumbered.delete('a'), unnumbered.delete('a')]).to.deep.equal([2, true, true, false]);
    unnumbered.forEach((stream, same, all) => all.delete(stream === same ? same : ''));
    expect([...unnumbered]).to.deep.equal([]);
  });

  describe('in a session of Node', () => {
    let server: Http2Server;
    let session: Promise<ServerHttp2Session>;
    let kept: boolean;
    let client: http2.ClientHttp2Session;
    const streams: ServerHttp2Stream[] = [];

    beforeEach(async () => {
      streams.length = 0;
      server = http2.createServer();
      session = new Promise((resolve) => {
        server.once('session', (made) => {
          kept = keepStreamsApart(made);
          resolve(made);
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    afterEach(async () => {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    /** Opens streams and resolves when the server has them. */
    const open = async (count: number): Promise<http2.ClientHttp2Stream[]> => {
      const all = new Promise<void>((resolve) => {
        server.on('stream', (stream) => {
          stream.on('error', () => undefined);
          streams.push(stream);
          if (streams.length === count) resolve();
        });
      });
      const opened = Array.from({ length: count }, () =>
        client.request({ ':path': '/' }, { endStream: false }).on('error', () => undefined),
      );
      await all;
      return opened;
    };

    it('are kept so, and answered', async () => {
      const asked = await open(50);
      expect(kept).to.equal(true);
      for (const [at, stream] of streams.entries()) {
        stream.respond({ ':status': 200 });
        stream.end(String(at));
      }
      const texts = await Promise.all(
        asked.map(async (stream) => {
          stream.end();
          let text = '';
          for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
          return text;
        }),
      );
      expect(texts.map(Number).sort((one, other) => one - other)).to.deep.equal(Array.from({ length: 50 }, (_, at) => at));
    });

    it('end with the session', async () => {
      await open(20);
      const closed = Promise.all(streams.map((stream) => once(stream, 'close')));
      (await session).destroy();
      await closed;
      expect(streams.every(({ destroyed }) => destroyed)).to.equal(true);
    });

    it('keep a session open that closes, until the last of them is over', async () => {
      const [asked] = await open(1);
      const served = await session;
      const closed = once(served, 'close');
      served.close();
      expect(served.destroyed).to.equal(false);
      streams[0]?.respond({ ':status': 200 }, { endStream: true });
      asked?.resume().end();
      await closed;
    });

    it('stay where they are in a session that has some already', async () => {
      await open(1);
      expect(keepStreamsApart(await session)).to.equal(false);
    });
  });
});
