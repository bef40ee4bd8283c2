import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import type net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { ConnectionTaker, type HandOverOutcome } from '../../../deploy/handOver.js';
import { startLoadBalancer, type LoadBalancer } from '../../../deploy/loadBalancer.js';
import { ManagedProcess } from '../../../deploy/managedProcess.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { localServingCertificate, reservePort } from '../../fixtures/tlsBackends.js';

const handedServer = fileURLToPath(new URL('../../fixtures/handedServer.js', import.meta.url));

interface Seen {
  readonly pid: number;
  readonly clientPort: number;
}

describe('deploy/handOver', function () {
  let ca: string;
  let servers: ManagedProcess[];
  let balancer: LoadBalancer;
  let port: number;
  let changes: (() => void)[];
  /** Called when the first server has sent a message. */
  let heard = (): void => undefined;
  const agents: https.Agent[] = [];

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => changes.push(resolve));
  };
  const states = (...wanted: string[]): Promise<void> =>
    until(() => JSON.stringify(balancer.backends().map(({ state }) => state)) === JSON.stringify(wanted));
  const pidOf = (index: number): number => servers[index]?.pid ?? 0;

  /** A client with a persistent connection. */
  function client(): { readonly ask: () => Promise<Seen & { readonly ownPort: number }> } {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
    agents.push(agent);
    return {
      ask: () =>
        new Promise((resolve, reject) => {
          https
            .get({ host: '127.0.0.1', port, path: '/', agent }, (response) => {
              const { localPort = 0 } = response.socket;
              let body = '';
              response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
              response.on('end', () => resolve({ ...(JSON.parse(body) as Seen), ownPort: localPort }));
            })
            .on('error', reject);
        }),
    };
  }

  beforeEach(async () => {
    const { ca: authority, pair } = await localServingCertificate();
    ca = authority;
    changes = [];
    const folder = temporaryDirectory('hand-over');
    const files = { cert: path.join(folder, 'cert'), key: path.join(folder, 'key') };
    fs.writeFileSync(files.cert, pair.certificate);
    fs.writeFileSync(files.key, pair.key);
    const ports = [await reservePort(), await reservePort()];
    servers = ports.map((own, index) => {
      const name = `s${index}`;
      return new ManagedProcess(
        {
          role: 'apiserver',
          name,
          program: handedServer,
          args: [String(own), files.cert, files.key],
          address: null,
          log: path.join(folder, name),
        },
        { onMessage: () => heard() },
      );
    });
    for (const server of servers) server.start();
    await Promise.all(servers.map(({ saidReady }) => saidReady));
    balancer = await startLoadBalancer({
      host: '127.0.0.1',
      port: 0,
      ca,
      backends: servers.map((server, index) => ({ host: '127.0.0.1', port: ports[index] ?? 0, taker: () => server.connectionTaker })),
      log: () => {
        for (const resolve of changes.splice(0)) resolve();
      },
    });
    ({ port } = balancer);
    await states('up', 'up');
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.destroy();
    await balancer.close();
    await Promise.all(servers.map((server) => server.kill()));
  });

  it('gives each server as many connections as the others, and they see their clients themselves', async () => {
    const seen: Awaited<ReturnType<ReturnType<typeof client>['ask']>>[] = [];
    for (let each = 0; each < 6; each++) seen.push(await client().ask());
    expect(seen.map(({ clientPort }) => clientPort)).to.deep.equal(seen.map(({ ownPort }) => ownPort));
    for (const server of servers) expect(seen.filter(({ pid }) => pid === server.pid)).to.have.length(3);
  });

  it('serves HTTP/2 and many requests on a connection that was handed over', async () => {
    const session = http2.connect(`https://127.0.0.1:${port}`, { ca });
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const stream = session.request({ ':path': '/' });
        let body = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        await once(stream, 'end');
        return (JSON.parse(body) as Seen).clientPort;
      }),
    );
    expect(new Set(answers)).to.deep.equal(new Set([session.socket.localPort]));
    session.close();
  });

  it('has no part any more in what was handed over: it may end, and its clients go on', async () => {
    const kept = client();
    const before = await kept.ask();
    await balancer.close();
    expect(await kept.ask()).to.deep.equal(before);
  });

  it('counts a connection until its server has closed it', async () => {
    const open = (): number[] => balancer.backends().map(({ connections }) => connections);
    const kept = client();
    const { pid } = await kept.ask();
    const index = servers.findIndex((server) => server.pid === pid);
    // A client of the other server, whose requests give events time to arrive.
    const other = client();
    expect((await other.ask()).pid).not.to.equal(pid);
    expect(open()[index]).to.equal(1);
    agents[0]?.destroy();
    while (open()[index] !== 0) await other.ask();
  });

  it('gives a connection to another server when the one that was sent it ends before it takes it', async () => {
    const [first, other] = balancer.backends();
    if (!first || !other) throw new Error('there are two');
    servers[0]?.pause();
    const asked = client().ask();
    // It waits for the paused server.
    while (first.opened === 0) await new Promise((resolve) => setImmediate(resolve));
    await servers[0]?.kill();
    expect((await asked).pid).to.equal(pidOf(1));
  });

  it('ends connections of a server that stands still, taken or not, while another one is ready; what it gets later finds them ended', async () => {
    const kept = [client(), client()];
    const seen = await Promise.all(kept.map((each) => each.ask()));
    const stuck = kept[seen.findIndex(({ pid }) => pid === pidOf(0))];
    servers[0]?.pause();
    const onItsWay = tls.connect({ host: '127.0.0.1', port, ca }).on('error', () => undefined);
    const ended = new Promise<void>((resolve) => onItsWay.once('close', () => resolve()));
    const failed = stuck?.ask().then(
      () => 'answered',
      () => 'failed',
    );
    await Promise.all([ended, states('down', 'up')]);
    expect(await failed).to.equal('failed');
    expect((await client().ask()).pid).to.equal(pidOf(1));
    servers[0]?.resume();
    await states('up', 'up');
    const back = await Promise.all(Array.from({ length: 4 }, () => client().ask()));
    expect(new Set(back.map(({ pid }) => pid))).to.deep.equal(new Set([pidOf(0), pidOf(1)]));
  });

  it('gives a connection to another server when the chosen one stops, which finishes what it has', async () => {
    const kept = [client(), client()];
    const before = await Promise.all(kept.map((each) => each.ask()));
    expect(new Set(before.map(({ pid }) => pid))).to.deep.equal(new Set([pidOf(0), pidOf(1)]));
    const drains = new Promise<void>((resolve) => (heard = () => resolve()));
    process.kill(pidOf(0), 'SIGTERM');
    await drains;
    for (let each = 0; each < 8; each++) expect((await client().ask()).pid).to.equal(pidOf(1));
  });

  it('lets clients wait while it is paused', async () => {
    balancer.pause();
    let answered = false;
    const asked = client()
      .ask()
      .finally(() => (answered = true));
    const probe = tls.connect({ host: '127.0.0.1', port, ca });
    await once(probe, 'connect');
    expect(answered).to.equal(false);
    balancer.resume();
    expect((await asked).pid).to.be.oneOf([pidOf(0), pidOf(1)]);
    probe.destroy();
  });
});

describe('deploy/handOver ConnectionTaker', () => {
  /** A minimal socket, and a server with set behaviour. */
  const socket = (): net.Socket => {
    const fake = {
      destroyed: false,
      destroy: () => {
        fake.destroyed = true;
      },
    };
    return fake as unknown as net.Socket;
  };
  let sent: number[];
  let taker: ConnectionTaker;
  const outcomes = new Map<net.Socket, HandOverOutcome>();
  const give = (client: net.Socket): Promise<unknown> => taker.give(client).then((outcome) => outcomes.set(client, outcome));
  beforeEach(() => {
    sent = [];
    outcomes.clear();
    taker = new ConnectionTaker(({ handsOver }) => sent.push(handsOver));
  });

  it('sends the next one when the one before is taken, so that all others can still go elsewhere', async () => {
    const [a, b, c] = [socket(), socket(), socket()];
    const all = [a, b, c].map(give);
    expect(sent).to.deep.equal([1]);
    taker.heard({ taken: 1 });
    expect(sent).to.deep.equal([1, 2]);
    taker.heard({ refused: 2 });
    taker.end();
    await Promise.all(all);
    expect([a, b, c].map((each) => outcomes.get(each))).to.deep.equal(['taken', 'refused', 'gone']);
    expect([a, b, c].map(({ destroyed }) => destroyed)).to.deep.equal([true, false, false]);
  });

  it('sends those that wait for one that is not taken elsewhere, and never that one itself', async () => {
    const [stuck, behind, later, last] = [socket(), socket(), socket(), socket()];
    const given = give(stuck);
    await give(behind);
    await give(later);
    expect([outcomes.get(stuck), outcomes.get(behind), outcomes.get(later)]).to.deep.equal([undefined, 'busy', 'busy']);
    taker.heard({ taken: 1 });
    await given;
    void give(last);
    expect(sent).to.deep.equal([1, 2]);
    taker.end();
  });

  it('keeps a socket until the server has closed it, and no longer', async () => {
    const client = socket();
    const given = give(client);
    taker.heard({ taken: 1 });
    await given;
    expect(client.destroyed).to.equal(false);
    taker.heard({ closed: 1 });
    expect(client.destroyed).to.equal(true);
  });

  it('lets go of a connection that was over before it came', async () => {
    const client = socket();
    const given = give(client);
    taker.heard({ closed: 1 });
    await given;
    expect([outcomes.get(client), client.destroyed]).to.deep.equal(['taken', true]);
  });

  it('says that the server is gone when it cannot be notified', async () => {
    taker = new ConnectionTaker((_message, _client, failed) => failed());
    expect(await taker.give(socket())).to.equal('gone');
  });
});
