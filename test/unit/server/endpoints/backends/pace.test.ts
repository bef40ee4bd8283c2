import { expect } from 'chai';
import fc from 'fast-check';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { joined } from '../../../../../server/endpoints/backends/joined.js';
import { Pace } from '../../../../../server/endpoints/backends/pace.js';

describe('the pace of connections (--max-connection-bytes-per-sec)', () => {
  it('changes no byte, and lets nothing pass beyond the first second before the rest has been waited for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), { minLength: 1, maxLength: 8 }),
        async (rate, chunks) => {
          let waited = 0;
          const pace = new Pace(rate, (ms) => {
            waited += ms;
            return Promise.resolve();
          });
          const passed: Buffer[] = [];
          pace.on('data', (chunk: Buffer) => passed.push(chunk));
          for (const chunk of chunks) pace.write(Buffer.from(chunk));
          const ended = new Promise((resolve) => pace.once('end', resolve));
          pace.end();
          await ended;
          const all = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
          expect(Buffer.concat(passed).equals(all)).to.equal(true);
          expect(passed.every((chunk) => chunk.length <= rate)).to.equal(true);
          // The first second has no wait. A real wait refills the bucket, but this one does not, so chunks count again.
          if (all.length <= rate) expect(waited).to.equal(0);
          else expect(waited).to.be.greaterThan(0);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a connection that is joined with a backend', () => {
  const listening = async (taken: (socket: Socket) => void): Promise<{ readonly server: net.Server; readonly port: number }> => {
    const server = net.createServer(taken).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };
  /** A client's connection to `backend`, and its end. */
  const joinedWith = async (
    backend: (socket: Socket) => void,
    between: () => readonly Transform[] = () => [],
  ): Promise<{ readonly client: Socket; readonly over: Promise<void>; readonly stop: () => void }> => {
    const behind = await listening(backend);
    let tellOver = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      tellOver = resolve;
    });
    const front = await listening((socket) => {
      const towards = net.connect(behind.port, '127.0.0.1');
      void joined(socket, towards, between).then(() => {
        socket.destroy();
        towards.destroy();
        tellOver();
      });
    });
    const client = net.connect(front.port, '127.0.0.1');
    const stop = (): void => {
      client.destroy();
      for (const { server } of [front, behind]) server.close();
    };
    return { client, over, stop };
  };

  for (const [what, between] of [
    ['as it is', (): readonly Transform[] => []],
    ['at a pace', (): readonly Transform[] => [new Pace(400_000)]],
  ] as const)
    it(`hands the client all that a backend said before it ended, ${what}`, async () => {
      const sent = Buffer.alloc(500_000, 'abcdefg');
      const { client, over, stop } = await joinedWith((socket) => socket.resume().end(sent), between);
      const received: Buffer[] = [];
      client.pause().on('data', (chunk: Buffer) => received.push(chunk));
      client.write('question');
      client.resume();
      await Promise.all([once(client, 'end'), over]);
      expect(Buffer.concat(received).equals(sent)).to.equal(true);
      stop();
    });

  it('is over when the client goes, and the backend hears of it', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const { client, over, stop } = await joinedWith((socket) => {
      socket.resume().on('error', () => undefined);
      socket.write('hello');
      gone = once(socket, 'close');
    });
    await once(client, 'data');
    client.destroy();
    await over;
    await gone;
    stop();
  });

  it('is over when the backend breaks off', async () => {
    const { client, over, stop } = await joinedWith((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    client.on('error', () => undefined);
    client.write('question');
    client.resume();
    await Promise.all([once(client, 'close'), over]);
    stop();
  });
});
