import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../../deploy/cluster.js';
import { ManagedThread } from '../../../deploy/managedThread.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** A program of one file, with an optional file for a thread. */
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
    // Both threads count, the inner one like an API server's consensus thread.
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
    // Waits until neither counts.
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

/** An HTTP/2 server that echoes bodies, and a client that sends it bodies over many connections as fast as possible. */
const floodedServer = `import http2 from 'node:http2';
const server = http2.createServer();
server.on('sessionError', () => {});
server.on('stream', (stream) => stream.on('error', () => {}).pipe(stream));
server.listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
  process.send('ready');
});
process.on('SIGTERM', () => process.exit(0));`;

const flood = `import http2 from 'node:http2';
process.on('disconnect', () => process.exit());
process.on('message', ({ port }) => {
  for (let connection = 0; connection < 8; connection++) {
    const session = http2.connect('http://127.0.0.1:' + port).on('error', () => {});
    const ask = () => {
      if (session.closed || session.destroyed) return;
      session.request({ ':method': 'POST' }).on('error', () => {}).on('close', ask).on('data', () => process.connected && process.send('answered')).end('body'.repeat(50));
    };
    session.on('connect', () => Array.from({ length: 16 }, ask));
  }
});`;

/** Repeatedly starts the server as a thread and ends it during work. */
const launcher = (managedThread: string): string => `import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { ManagedThread } from ${JSON.stringify(managedThread)};
const client = fork(new URL('./flood.mjs', import.meta.url));
const ends = {
  kill: (thread) => thread.kill(),
  stop: (thread) => thread.stop(30_000),
  killAtStandstill: async (thread) => { thread.pause(); for (let i = 0; i < 20; i++) await turn(); await thread.kill(); },
  // Only the last one ends with the process.
  leave: () => undefined,
};
for (const end of process.argv.slice(2)) {
  let port = 0;
  const spec = { role: 'apiserver', name: 'server', program: new URL('./program.mjs', import.meta.url).pathname, args: [], address: null, log: '/dev/null' };
  const thread = new ManagedThread(spec, { onMessage: (message) => { port = message.port; } });
  thread.start();
  await thread.saidReady;
  client.send({ port });
  for (let answers = 0; answers < 500; answers++) await once(client, 'message');
  await ends[end](thread);
}
process.exit(0);`;

describe('deploy/managedThread under requests', () => {
  for (const end of ['kill', 'stop', 'killAtStandstill', 'leave'])
    it(`ends a server amid requests, and the process of the launcher lives on: ${end}`, async () => {
      const directory = temporaryDirectory('flooded');
      const files = { program: floodedServer, flood, launcher: launcher(path.join(packageRoot, 'dist/deploy/managedThread.js')) };
      for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(directory, `${name}.mjs`), text);
      const child = spawn(process.execPath, [
        path.join(directory, 'launcher.mjs'),
        ...Array.from({ length: end === 'leave' ? 1 : 10 }, () => end),
      ]);
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      expect(await once(child, 'exit'), errors).to.deep.equal([0, null]);
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
