import { expect } from 'chai';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../../deploy/cluster.js';
import { ManagedThread } from '../../../deploy/managedThread.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** A program of one file, and perhaps another one for a thread that it starts. */
function programOf(text: string, inner = ''): ManagedThread {
  const directory = temporaryDirectory('thread');
  const program = path.join(directory, 'program.mjs');
  fs.writeFileSync(program, text);
  fs.writeFileSync(path.join(directory, 'inner.mjs'), inner);
  return new ManagedThread({
    role: 'apiserver',
    name: 'program',
    program,
    args: ['--flag=x'],
    address: null,
    log: path.join(directory, 'log'),
  });
}

describe('deploy/managedThread', () => {
  it('runs a program with its arguments, says when it is ready, logs what it prints, and passes SIGTERM on', async () => {
    const thread = programOf(
      "console.log(process.argv[2]); process.on('SIGTERM', () => { console.error('asked'); process.exit(7); }); process.send('ready'); setInterval(() => {}, 1e6);",
    );
    thread.start();
    await thread.saidReady;
    expect(thread.running).to.equal(true);
    expect(await thread.stop(10_000)).to.equal(true);
    expect(await thread.ended).to.deep.equal({ code: 7, signal: null, expected: true });
    expect(thread.logTail().split('\n')).to.deep.equal(['--flag=x', 'asked']);
    expect(thread.running).to.equal(false);
  });

  it('tells how a program ended that nobody asked to, and starts it again', async () => {
    const thread = programOf("process.send('ready'); setImmediate(() => process.exit(3));");
    for (let turn = 0; turn < 2; turn++) {
      thread.start();
      expect(await thread.ended).to.deep.equal({ code: 3, signal: null, expected: false });
    }
  });

  it('writes an error that nobody caught into the log, and says that the program never was ready', async () => {
    const thread = programOf("throw new Error('no such thing');");
    thread.start();
    expect(
      await thread.saidReady.then(
        () => 'ready',
        (error: Error) => error.message,
      ),
    ).to.equal('program ended before it was ready');
    expect(thread.logTail()).to.contain('no such thing');
  });

  it('kills a program that is deaf, and one that stands still', async () => {
    const deaf = programOf("process.send('ready'); for (;;) {}");
    deaf.start();
    await deaf.saidReady;
    await deaf.kill();
    expect(await deaf.ended).to.deep.equal({ code: null, signal: 'SIGKILL', expected: true });
    const still = programOf("process.send('ready'); setInterval(() => {}, 1e6);");
    still.start();
    await still.saidReady;
    still.pause();
    await still.kill();
    expect(still.running).to.equal(false);
  });

  it('holds every thread of a program until it may go on', async () => {
    // Both threads count; the inner one as the consensus thread of an API server would.
    const thread = programOf(
      `import { Worker } from 'node:worker_threads';
      const counts = new Int32Array(new SharedArrayBuffer(8));
      setInterval(() => Atomics.add(counts, 0, 1), 1);
      new Worker(new URL('./inner.mjs', import.meta.url), { workerData: counts });
      const both = setInterval(() => { if (counts[0] > 0 && counts[1] > 0) { clearInterval(both); process.send({ counts }); process.send('ready'); } }, 1);`,
      "import { workerData } from 'node:worker_threads'; setInterval(() => Atomics.add(workerData, 1, 1), 1);",
    );
    let counts = new Int32Array(2);
    const listening = new ManagedThread(thread.spec, {
      onMessage: (message) => {
        counts = (message as { readonly counts: Int32Array<ArrayBuffer> }).counts;
      },
    });
    listening.start();
    await listening.saidReady;
    listening.pause();
    // Until neither counts any more.
    for (let before = [-1, -1]; counts.some((count, index) => count !== before[index]);) {
      before = [...counts];
      await delay(25);
    }
    const held = [...counts];
    listening.resume();
    while (counts.some((count, index) => count <= held[index]!)) await delay(1);
    await listening.kill();
  });
});

describe('deploy/cluster inProcess', () => {
  let cluster: Cluster | null = null;
  afterEach(async () => {
    await cluster?.discard();
    cluster = null;
  });

  it('runs real API servers in threads, whose leader may be killed and started again', async () => {
    cluster = await startCluster({ dataDirectory: temporaryDirectory('threads'), replicas: 3, inProcess: true, tokenKeys: 'ec' });
    const { pki, address } = cluster;
    const tls = {
      ca: fs.readFileSync(pki.caFile),
      cert: fs.readFileSync(pki.admin.certFile),
      key: fs.readFileSync(pki.admin.keyFile),
      agent: false,
    };
    const ask = (server: string, route: string, method = 'GET', body?: string): Promise<{ readonly code: number; readonly text: string }> =>
      new Promise((resolve, reject) => {
        const request = https.request(
          new URL(route, server),
          { ...tls, method, headers: { 'content-type': 'application/json' } },
          (response) => {
            let text = '';
            response
              .setEncoding('utf8')
              .on('data', (chunk: string) => {
                text += chunk;
              })
              .on('end', () => resolve({ code: response.statusCode ?? 0, text }));
          },
        );
        request.on('error', reject).end(body);
      });
    const create = (name: string): Promise<{ readonly code: number }> =>
      ask(address, '/api/v1/namespaces/default/configmaps', 'POST', JSON.stringify({ metadata: { name } }));
    expect((await create('before')).code).to.equal(201);
    const { leaderId } = JSON.parse((await ask(address, '/raft/v1/status')).text) as { readonly leaderId: string };
    const leader = cluster.members.find(({ id }) => id === leaderId)!;
    await leader.process.kill();
    for (let code = 0; code !== 201;) code = (await create('after').catch(() => ({ code: 0 }))).code;
    await leader.restart();
    expect((await ask(leader.address, '/api/v1/namespaces/default/configmaps/after')).code).to.equal(200);
    await cluster.discard();
    expect(cluster.members.some(({ process }) => process.running)).to.equal(false);
  });
});
