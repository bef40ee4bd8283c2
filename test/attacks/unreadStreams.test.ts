import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import { startWithBackends, type TargetWithBackends } from './backends.js';
import type { User } from './target.js';

/** Long streams (exec, attach, port-forward) whose clients do not read the container's output. */

const clients = 8;
/** More than the kernel's socket buffers hold on the two connections between container and client: some 20 MiB. */
const bytesOfEach = 64 * 1024 * 1024;
const frame = Buffer.alloc(64 * 1024, 1);
/** Answers to another client that show that an idle container is blocked. */
const patience = 100;
/** The memory limit for all these clients; the whole output is eight times as much. */
const keptBytesMax = 64 * 1024 * 1024;

/** A container that writes as fast as it can. */
interface Output {
  written: number;
  readonly done: Promise<void>;
}

describe('attacks/unreadStreams', function () {
  let backends: TargetWithBackends;
  let sockets: WebSocketServer;
  let outputs: Output[];
  let user: User;

  before(async () => {
    backends = await startWithBackends();
    user = await backends.target.user('worker', {
      namespace: 'default',
      rules: [{ verbs: ['get', 'create'], resources: ['pods/exec', 'pods/attach'] }],
    });
    sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
    backends.node.upgrade = (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (container) => {
        outputs.push(writeAll(container));
      });
    };
  });
  beforeEach(() => {
    outputs = [];
  });
  after(async () => {
    sockets.close();
    await backends.stop();
  });

  function writeAll(container: WebSocket): Output {
    const output: { written: number; done: Promise<void> } = { written: 0, done: Promise.resolve() };
    output.done = (async () => {
      while (output.written < bytesOfEach) {
        await new Promise<void>((resolve, reject) => {
          container.send(frame, (error) => {
            if (error) reject(error);
            else resolve();
          });
        });
        output.written += frame.length;
      }
      container.close(1000);
    })();
    // A connection that the test ends is no failure.
    output.done.catch(() => undefined);
    return output;
  }

  async function open(path: string): Promise<WebSocket> {
    const socket = new WebSocket(
      `${backends.target.url.replace('https', 'wss')}/api/v1/namespaces/default/pods/p/${path}`,
      ['v5.channel.k8s.io'],
      {
        cert: user.certificate,
        key: user.key,
        rejectUnauthorized: false,
      },
    );
    await new Promise<void>((resolve, reject) => {
      socket
        .once('open', () => {
          socket.pause();
          resolve();
        })
        .once('error', reject);
    });
    return socket;
  }

  /** Resolves once all containers are blocked while others are answered. */
  async function heldUp(): Promise<void> {
    const total = (): number => outputs.reduce((sum, { written }) => sum + written, 0);
    for (let quiet = 0, before = total(); quiet < patience; before = total()) {
      expect((await backends.target.anonymous.request('GET', '/livez')).status).to.equal(200);
      quiet = total() === before ? quiet + 1 : 0;
    }
  }

  for (const path of ['exec?command=sh&stdout=1', 'attach?stdout=1'])
    it(`hold up the container, and keep little in the server: ${path.split('?')[0]}`, async () => {
      const before = backends.target.residentBytes();
      const opened = await Promise.all(Array.from({ length: clients }, () => open(path)));
      await heldUp();
      expect(outputs.length).to.equal(clients);
      for (const { written } of outputs) expect(written).to.be.lessThan(bytesOfEach / 2);
      expect(backends.target.residentBytes() - before).to.be.lessThan(keptBytesMax);

      const received = await Promise.all(opened.map((socket) => receiveAll(socket)));
      expect(received).to.deep.equal(opened.map(() => bytesOfEach));
    });
});

/** Reads until the server closes. Returns the received bytes. */
function receiveAll(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
    });
    socket.once('close', () => {
      resolve(bytes);
    });
    socket.resume();
  });
}
