import { expect } from 'chai';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoadBalancer, type LoadBalancer } from '../../../deploy/loadBalancer.js';
import { get, localServingCertificate, reservePort, TlsBackend } from '../../fixtures/tlsBackends.js';

describe('deploy/loadBalancer', () => {
  let ca: string;
  let backends: TlsBackend[];
  let balancer: LoadBalancer;
  let changes: (() => void)[];
  const stops: (() => Promise<void> | void)[] = [];

  /** Resolves when the backends have these states. */
  async function states(...wanted: string[]): Promise<void> {
    while (JSON.stringify(balancer.backends().map(({ state }) => state)) !== JSON.stringify(wanted)) {
      await new Promise<void>((resolve) => changes.push(resolve));
    }
  }
  const names = async (count: number): Promise<string[]> => {
    const all: string[] = [];
    for (let i = 0; i < count; i++) all.push(await get(balancer.port, ca));
    return all;
  };

  beforeEach(async () => {
    const { ca: authority, pair } = await localServingCertificate();
    ca = authority;
    changes = [];
    backends = await Promise.all(['a', 'b', 'c'].map((name) => TlsBackend.start(name, pair)));
    balancer = await startLoadBalancer({
      host: '127.0.0.1',
      port: 0,
      ca,
      backends: backends.map(({ port }) => ({ host: '127.0.0.1', port })),
      log: () => {
        for (const resolve of changes.splice(0)) resolve();
      },
    });
    stops.push(() => balancer.close(), ...backends.map((backend) => () => backend.die().catch(() => undefined)));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  it('spreads concurrent connections over all ready backends', async () => {
    await states('up', 'up', 'up');
    const answers = await Promise.all(Array.from({ length: 9 }, () => get(balancer.port, ca)));
    expect(new Set(answers)).to.deep.equal(new Set(['a', 'b', 'c']));
  });

  it('serves every connection while a backend is dead, and uses it again when it is back', async () => {
    await states('up', 'up', 'up');
    await backends[0]?.die();
    for (const answer of await names(6)) expect(answer).to.be.oneOf(['b', 'c']);
    await states('down', 'up', 'up');
    await backends[0]?.listen();
    await states('up', 'up', 'up');
    const answers = await Promise.all(Array.from({ length: 9 }, () => get(balancer.port, ca)));
    expect(answers).to.include('a');
  });

  it('sends no new connection to a backend that is not ready', async () => {
    await states('up', 'up', 'up');
    for (const backend of backends.slice(1)) backend.ready = false;
    await states('up', 'down', 'down');
    expect(new Set(await names(4))).to.deep.equal(new Set(['a']));
  });

  it('lets clients hear a server when none is ready, and cuts no session then', async () => {
    await states('up', 'up', 'up');
    const client = net.connect(balancer.port, '127.0.0.1');
    await once(client, 'connect');
    for (const backend of backends) backend.ready = false;
    await states('down', 'down', 'down');
    expect(await get(balancer.port, ca)).to.be.oneOf(['a', 'b', 'c']);
    expect(client.destroyed).to.equal(false);
    client.destroy();
  });

  it('rejects when its port is taken, and names it', async () => {
    const error = await startLoadBalancer({ host: '127.0.0.1', port: balancer.port, backends: [], log: () => undefined }).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).to.contain('EADDRINUSE').and.contain(String(balancer.port));
  });
});

describe('deploy/loadBalancer sessions', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** A balancer in front of one TCP server. */
  async function inFrontOf(onConnection: (socket: net.Socket) => void): Promise<number> {
    const sockets = new Set<net.Socket>();
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket.on('error', () => undefined));
      onConnection(socket);
    });
    const port = await reservePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const balancer = await startLoadBalancer({ host: '127.0.0.1', port: 0, backends: [{ host: '127.0.0.1', port }], log: () => undefined });
    closing.push(
      () => balancer.close(),
      () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        }),
    );
    return balancer.port;
  }

  it('delivers an answer that is sent after the client has ended its side', async () => {
    const port = await inFrontOf((socket) => {
      let received = '';
      socket
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          received += chunk;
        })
        .on('end', () => socket.end(`got ${received}`));
    });
    const client = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.end('all of it');
    let answer = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    await once(client, 'end');
    expect(answer).to.equal('got all of it');
  });

  it('carries large transfers whole while the reader is slow, with bounded memory', async () => {
    const size = 64 * 1024 * 1024;
    let sent = 0;
    const port = await inFrontOf((socket) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const push = (): void => {
        while (sent < size) {
          sent += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', push);
        }
        socket.end();
      };
      // Health checks connect too; only the client sends "go".
      socket.once('data', (data) => {
        if (data.toString() === 'go') push();
      });
    });
    const client = net.connect(port, '127.0.0.1');
    client.write('go');
    // The client does not read: the kernel buffers some MiB, then the sender must wait.
    for (let before = -1; sent === 0 || before !== sent;) {
      before = sent;
      await delay(100);
    }
    expect(sent).to.be.greaterThan(0).and.lessThan(size);
    let received = 0;
    client.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(client, 'end');
    expect(received).to.equal(size);
  });

  it('passes a broken connection on to the client', async () => {
    const port = await inFrontOf((socket) => socket.resetAndDestroy());
    const client = net.connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    client.resume();
    await once(client, 'close');
  });
});
