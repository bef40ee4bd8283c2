import { expect } from 'chai';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { ConnectionTurns } from '../../../../program/port/connections/connectionTurns.js';
import type { ListenerOptions } from '../../../../program/port/listener.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

/** More than socket buffers hold, at 1 KiB each. */
const moreThanKernelsHold = 30_000;

/** Requests on one HTTP/1.1 connection that do not wait for answers. */
describe('pipelined requests', () => {
  let identities: Identities;
  let server: Identity;
  let door: FrontDoor;
  let begun: { readonly url: string; readonly answer: (text?: string) => void; readonly request: IncomingMessage }[];
  let wake: () => void;
  let socket: tls.TLSSocket;
  let received: string;

  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] });
  });
  beforeEach(() => open());
  afterEach(() => shut());
  async function open(times: ListenerOptions['times'] = {}): Promise<void> {
    begun = [];
    wake = () => undefined;
    const handle: ListenerOptions['handle'] = (...accepted) => {
      const [request, response] = accepted as unknown as [IncomingMessage, ServerResponse];
      begun.push({
        url: String(request.url),
        request,
        answer: (text = '') => {
          response.end(text);
        },
      });
      wake();
    };
    door = await openFrontDoor({ identities, server, resources: () => Promise.resolve(), listener: { handle, times } });
    socket = tls.connect({ port: door.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    received = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        received += String(chunk);
      });
    await once(socket, 'secureConnect');
  }
  async function shut(): Promise<void> {
    socket.destroy();
    await door.listener.close();
  }

  const begins = async (count: number): Promise<void> => {
    while (begun.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

  it('have their turn one after the other, and are answered in order', async () => {
    socket.write(get('/one') + get('/two') + get('/three'));
    for (const [at, url] of ['/one', '/two', '/three'].entries()) {
      await begins(at + 1);
      expect(begun.map((each) => each.url)).to.deep.equal(['/one', '/two', '/three'].slice(0, at + 1));
      begun[at]?.answer(`answer to ${url}`);
    }
    while (!received.includes('/three')) await once(socket, 'data');
    expect(received.match(/answer to \/(one|two|three)/g)).to.deep.equal(['answer to /one', 'answer to /two', 'answer to /three']);
  });

  it('keep their bodies, also those that come late', async () => {
    const post = (path: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const long = 'x'.repeat(300_000);
    socket.write(post('/one', 'first') + post('/two', long).slice(0, 1_000));
    await begins(1);
    socket.write(post('/two', long).slice(1_000) + post('/three', 'last'));
    for (const [at, body] of ['first', long, 'last'].entries()) {
      await begins(at + 1);
      let text = '';
      const { request, answer } = begun[at] as (typeof begun)[number];
      for await (const chunk of request) text += String(chunk);
      expect(text === body, `body ${at}`).to.equal(true);
      answer();
    }
  });

  it('are not read any further before they have had their turn, however many are sent', async () => {
    let taken = false;
    socket.write(get(`/flood?${'x'.repeat(1_000)}`).repeat(moreThanKernelsHold), () => {
      taken = true;
    });
    await begins(1);
    // Reading a body and ending a request resume a socket, which must not read further requests.
    for (let turn = 1; turn <= 300; turn += 1) {
      begun[turn - 1]?.request.resume();
      begun[turn - 1]?.answer();
      await begins(turn + 1);
      expect(begun.length).to.equal(turn + 1);
    }
    expect(taken, 'whether everything left the client').to.equal(false);
  });

  describe('behind one that goes on for long', () => {
    beforeEach(async () => {
      await shut();
      await open({ lookMs: 20 });
    });
    const close = (index: number): Promise<void> =>
      new Promise((resolve) => {
        begun[index]!.request.socket.once('close', () => resolve());
      });

    it('do not hide that their client has left', async () => {
      socket.write(get('/long'));
      await begins(1);
      socket.write(get('/behind'));
      const closed = close(0);
      socket.destroy();
      await closed;
      expect(begun.map(({ url }) => url)).to.deep.equal(['/long']);
    });

    it('do not hide a reset either', async () => {
      const plain = net.connect({ port: door.port, host: '127.0.0.1' });
      const resetting = tls.connect({ socket: plain, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }).on('error', () => undefined);
      await once(resetting, 'secureConnect');
      resetting.write(get('/long') + get('/behind'));
      await begins(1);
      const closed = close(0);
      plain.resetAndDestroy();
      await closed;
    });

    it('are begun when their time has come, though their client was looked for meanwhile', async () => {
      const body = 'x'.repeat(100_000);
      socket.write(get('/long'));
      await begins(1);
      socket.write(`POST /behind HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 50)}`);
      socket.write(body.slice(50));
      const { request } = begun[0]!;
      // The next check reads the rest.
      while (request.socket.bytesRead < body.length) await delay(1);
      begun[0]!.answer();
      await begins(2);
      let text = '';
      for await (const chunk of begun[1]!.request) text += String(chunk);
      expect(text === body).to.equal(true);
    });

    it('cost nothing when those before them are merely slow, however many of them there are', async () => {
      const count = 600;
      socket.write(get(`/slow?${'x'.repeat(1_000)}`).repeat(count));
      for (let turn = 1; turn <= count; turn += 1) {
        await begins(turn);
        // Thirty pauses, each longer than a check or two.
        if (turn % 20 === 0) await delay(50);
        begun[turn - 1]!.answer();
      }
      expect(socket.destroyed).to.equal(false);
    });

    it('end the connection when they do not end themselves', async () => {
      socket.write(get('/long'));
      await begins(1);
      const closed = close(0);
      const more = get(`/behind?${'x'.repeat(1_000)}`).repeat(100);
      const sendOn = (): void => {
        while (socket.writable && socket.write(more));
      };
      socket.on('drain', sendOn);
      sendOn();
      await closed;
    });
  });

  it('may not ask for another protocol out of turn: that ends the connection and nothing else', async () => {
    socket.write(`${get('/one')}GET /two HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\n\r\n`);
    await once(socket, 'close');
    expect(begun.map(({ url }) => url)).to.deep.equal(['/one']);
  });

  it('are bounded over all connections: who sends more is cut off', () => {
    const turns = new ConnectionTurns(3);
    const cut: string[] = [];
    const connection = (name: string): Socket & { destroyed: boolean } =>
      ({
        pause: () => undefined,
        resume: () => undefined,
        destroy: () => {
          cut.push(name);
        },
        destroyed: false,
      }) as unknown as Socket & { destroyed: boolean };
    const [greedy, modest, quick] = [connection('greedy'), connection('modest'), connection('quick')];
    const response = {} as ServerResponse;
    let begunTurns = 0;
    const take = (socket: Socket, count: number): void => {
      for (let each = 0; each < count; each += 1)
        turns.take(socket, response, () => {
          begunTurns += 1;
        });
    };
    take(greedy, 4);
    take(modest, 1);
    expect([begunTurns, cut]).to.deep.equal([2, []]);
    take(modest, 1);
    expect(cut).to.deep.equal(['modest']);
    expect([turns.over(greedy), begunTurns]).to.deep.equal([true, 3]);
    take(quick, 2);
    expect([begunTurns, cut]).to.deep.equal([4, ['modest']]);
    // Waiting requests of a closed connection neither begin nor count.
    greedy.destroyed = true;
    expect([turns.over(greedy), turns.has(greedy), begunTurns]).to.deep.equal([false, false, 4]);
    take(quick, 2);
    expect(cut).to.deep.equal(['modest']);
  });
});
