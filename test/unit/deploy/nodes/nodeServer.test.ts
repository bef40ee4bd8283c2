import { expect } from 'chai';
import { on, once } from 'node:events';
import https from 'node:https';
import { WebSocket } from 'ws';
import type { Pod } from '../../../../api/types/core/v1.js';
import { createAuthority } from '../../../../deploy/certificates.js';
import { channels } from '../../../../deploy/nodes/channels.js';
import { serveNodes, type NodeServer } from '../../../../deploy/nodes/nodeServer.js';
import { logOf, logText, ran } from '../../../../deploy/nodes/output.js';

const container = { name: 'c', image: 'i', env: [{ name: 'COLOR', value: 'red' }] };
const startedAt = '2026-01-01T00:00:00Z';

const podWith = (annotations: Record<string, string> = {}, phase = 'Running'): Pod => ({
  metadata: { name: 'p', namespace: 'n', annotations },
  spec: { containers: [container] },
  status: {
    phase,
    containerStatuses: [
      {
        name: 'c',
        image: 'i',
        imageID: '',
        ready: true,
        restartCount: 0,
        state:
          phase === 'Running' ? { running: { startedAt } } : { terminated: { exitCode: 3, startedAt, finishedAt: '2026-01-01T00:00:09Z' } },
      },
    ],
  },
});

/** One pod that the test changes. */
class OnePod {
  #pod: Pod;
  readonly #seen = new Set<(pod: Pod) => void>();

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  get(key: string): Pod | undefined {
    return key === 'n/p' ? this.#pod : undefined;
  }

  get listeners(): number {
    return this.#seen.size;
  }

  onChange(seen: (pod: Pod) => void): () => void {
    this.#seen.add(seen);
    return () => this.#seen.delete(seen);
  }

  change(pod: Pod): void {
    this.#pod = pod;
    for (const seen of [...this.#seen]) seen(pod);
  }
}

describe('deploy/nodes/output', () => {
  const cases: readonly (readonly [words: readonly string[], stdin: string, stdout: string, exitCode: number])[] = [
    [['echo', 'a', 'b'], '', 'a b\n', 0],
    [['cat'], 'x\ny', 'x\ny', 0],
    [['/bin/hostname'], '', 'p\n', 0],
    [['env'], '', 'HOSTNAME=p\nCOLOR=red\n', 0],
    [['sh', '-c', "echo 'a'; echo b && exit 7; echo c"], '', 'a\nb\n', 7],
    [['bash'], 'pwd\nfalse\n', '/\n', 1],
    [['exit', '300'], '', '', 44],
    [['constructor'], '', '', 127],
  ];
  for (const [words, stdin, stdout, exitCode] of cases) {
    it(`runs ${words.join(' ')}`, () => {
      const outcome = ran(words, { pod: podWith(), container, stdin });
      expect([Buffer.from(outcome.stdout as string).toString(), outcome.exitCode]).to.deep.equal([stdout, exitCode]);
    });
  }

  it('says what a script says, and passes over a script that cannot be read', () => {
    const script = JSON.stringify([
      { command: 'psql -l', stdout: 'tables', exitCode: 1 },
      { command: '*', stderr: 'other' },
    ]);
    expect(ran(['psql', '-l'], { pod: podWith({ 'fake-node/exec': script }), container })).to.deep.equal({
      stdout: 'tables',
      stderr: '',
      exitCode: 1,
    });
    expect(ran(['x'], { pod: podWith({ 'fake-node/exec': script }), container })).to.include({ stderr: 'other', exitCode: 0 });
    expect(ran(['pwd'], { pod: podWith({ 'fake-node/exec': '{' }), container })).to.include({ stdout: '/\n' });
  });

  it('writes logs from the start to the end of a container, or what they are said to be', () => {
    expect(logOf(podWith({}, 'Pending'), { ...container, name: 'other' })).to.deep.equal([]);
    const lines = logOf(podWith({}, 'Failed'), container);
    expect(logText(lines, { tailLines: 1, timestamps: true })).to.equal('2026-01-01T00:00:09Z c has ended with code 3\n');
    expect(logText(logOf(podWith({ 'fake-node/logs': 'a\nb\n' }), container), { tailLines: null, timestamps: false })).to.equal('a\nb\n');
  });
});

describe('deploy/nodes/nodeServer', () => {
  let pods: OnePod;
  let server: NodeServer;
  beforeEach(async () => {
    const { certificate: cert, key } = await createAuthority('nodes');
    pods = new OnePod(podWith());
    server = await serveNodes(pods, { cert, key });
  });
  afterEach(() => server.close());

  const get = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const request = https.get({ port: server.port, host: '127.0.0.1', path, rejectUnauthorized: false, agent: false });
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode ?? 0, text };
  };

  interface Stream {
    readonly socket: WebSocket;
    /** All output by channel, after the end. */
    readonly all: Promise<Readonly<Record<number, string>>>;
    next(): Promise<Buffer>;
  }
  const open = (path: string, protocol = 'v5.channel.k8s.io'): Stream => {
    const socket = new WebSocket(`wss://127.0.0.1:${server.port}${path}`, [protocol], { rejectUnauthorized: false });
    const came: Record<number, string> = {};
    socket.on('message', (data: Buffer) => {
      came[data[0] ?? 0] = (came[data[0] ?? 0] ?? '') + data.subarray(1).toString();
    });
    const all = once(socket, 'close').then(([code]) => {
      expect(code).to.equal(1000);
      return came;
    });
    const messages = on(socket, 'message');
    return { socket, all, next: async () => ((await messages.next()).value as [Buffer])[0] };
  };

  it('gives logs, in part, with times, and follows them to their end', async () => {
    expect(await get('/containerLogs/n/p/c')).to.deep.equal({ status: 200, text: 'c of i has started\n' });
    expect((await get('/containerLogs/n/p/c?limitBytes=4')).text).to.equal('c of');
    expect((await get('/containerLogs/n/p/c?timestamps=true')).text).to.equal(`${startedAt} c of i has started\n`);
    expect((await get('/containerLogs/n/p/c?previous=true')).status).to.equal(400);
    const following = get('/containerLogs/n/p/c?follow=true');
    while (pods.listeners === 0) await new Promise(setImmediate);
    pods.change(podWith({}, 'Failed'));
    expect((await following).text).to.equal('c of i has started\nc has ended with code 3\n');
  });

  it('knows no other pods, containers and paths', async () => {
    for (const path of ['/containerLogs/n/q/c', '/containerLogs/n/p/d', '/pods', '/'])
      expect([path, (await get(path)).status]).to.deep.equal([path, 404]);
    const lost = new WebSocket(`wss://127.0.0.1:${server.port}/exec/n/q/c`, ['v5.channel.k8s.io'], { rejectUnauthorized: false });
    expect(String(((await once(lost, 'error')) as [Error])[0])).to.match(/404/);
    const unknown = new WebSocket(`wss://127.0.0.1:${server.port}/exec/n/p/c`, ['v9.channel.k8s.io'], { rejectUnauthorized: false });
    expect(String(((await once(unknown, 'error')) as [Error])[0])).to.match(/400/);
  });

  it('runs commands with input, and says how they ended', async () => {
    const silent = await open('/exec/n/p/c?command=echo&command=hi').all;
    expect(silent[channels.stdout]).to.equal('hi\n');
    expect(JSON.parse(silent[channels.error] ?? '')).to.include({ status: 'Success' });
    const failing = await open('/exec/n/p/c?command=false').all;
    expect(JSON.parse(failing[channels.error] ?? '')).to.deep.include({
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '1' }] },
    });
    const { socket, all } = open('/exec/n/p/c?command=cat&input=1');
    await once(socket, 'open');
    socket.send(Buffer.from('\0text'));
    socket.send(Buffer.of(channels.close, channels.stdin));
    expect((await all)[channels.stdout]).to.equal('text');
  });

  it('attaches until the container has ended', async () => {
    const { all, next } = open('/attach/n/p/c');
    expect((await next()).toString()).to.equal('\u0001c of i has started\n');
    pods.change(podWith({}, 'Failed'));
    const came = await all;
    expect(came[channels.stdout]).to.match(/ended with code 3\n$/);
    expect(JSON.parse(came[channels.error] ?? '')).to.include({ reason: 'NonZeroExitCode' });
    expect(pods.listeners).to.equal(0);
  });

  it('answers at each port of a pod that is forwarded', async () => {
    pods.change(podWith({ 'fake-node/port-81': 'scripted' }));
    const { socket, next } = open('/portForward/n/p?port=80,81', 'v4.channel.k8s.io');
    const heads = [await next(), await next(), await next(), await next()];
    expect(heads.map((head) => [head[0], head.readUInt16LE(1)])).to.deep.equal([
      [0, 80],
      [1, 80],
      [2, 81],
      [3, 81],
    ]);
    socket.send(Buffer.from('\u0002x'));
    expect((await next()).toString()).to.equal('\u0002scripted');
    socket.send(Buffer.from('\0GET / HTTP/1.1\r\n\r\n'));
    expect((await next()).toString()).to.match(/^\0HTTP\/1.1 200 OK[\s\S]*n\/p port 80\n$/);
    socket.close();
  });
});
