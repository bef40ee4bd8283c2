import { readFileSync } from 'node:fs';
import tls from 'node:tls';

/**
 * Child process: offers a fixed rate of requests. It pipelines prepared HTTP/1.1 requests and reads only the status, so that one core exceeds the servers'
 * capacity.
 */
export interface OfferTask {
  readonly ports: readonly number[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** Complete requests, sent in turn. */
  readonly requests: readonly string[];
}

export interface OfferReport {
  /** The number due by the end. */
  readonly offered: number;
  /** Requests written to sockets; servers that did not read held back the rest. */
  readonly sent: number;
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Connections closed by servers, which were reopened. */
  readonly closed: number;
}

const requestsEach = 20;
const turnMs = 5;
/** The limit of unsent bytes before a connection gets nothing more. */
const unsentBytesMax = 256 * 1024;
/** The wait for pending answers after the end. */
const timeLimitMs = 5_000;
const statusLine = Buffer.from('HTTP/1.1 ');

const task = JSON.parse(process.argv[2] ?? '{}') as OfferTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
const answers: Record<string, number> = {};
let [sent, answered, closed, over] = [0, 0, 0, false];

class Offering {
  readonly #port: number;
  #socket: tls.TLSSocket | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #session: Buffer | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  open(): Promise<void> {
    return new Promise((resolve) => {
      const socket = tls.connect({
        host: '127.0.0.1',
        port: this.#port,
        ca,
        cert,
        key,
        ALPNProtocols: ['http/1.1'],
        servername: 'localhost',
        ...(this.#session ? { session: this.#session } : {}),
      });
      socket
        .on('error', () => undefined)
        .on('session', (session) => {
          this.#session = session;
        });
      socket.once('secureConnect', () => {
        this.#socket = socket;
        resolve();
      });
      socket.on('data', (chunk: Buffer) => {
        this.#count(chunk);
      });
      socket.once('close', () => {
        this.#socket = null;
        this.#rest = Buffer.alloc(0);
        resolve();
        if (over) return;
        closed += 1;
        setTimeout(() => {
          void this.open();
        }, 50);
      });
    });
  }

  offer(block: Buffer): boolean {
    if (this.#socket === null || this.#socket.writableLength > unsentBytesMax) return false;
    this.#socket.write(block);
    return true;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #count(chunk: Buffer): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = statusLine.length + 3;
    let from = 0;
    for (let at = all.indexOf(statusLine); at >= 0 && at + end <= all.length; at = all.indexOf(statusLine, from)) {
      const status = all.toString('latin1', at + statusLine.length, at + end);
      answers[status] = (answers[status] ?? 0) + 1;
      answered += 1;
      from = at + end;
    }
    this.#rest = Buffer.from(all.subarray(Math.max(from, all.length - end + 1)));
  }
}

const connections = Array.from({ length: task.connections }, (_, each) => new Offering(task.ports[each % task.ports.length] as number));
await Promise.all(connections.map((connection) => connection.open()));
const blocks = Array.from({ length: task.requests.length }, (_, first) =>
  Buffer.from(Array.from({ length: requestsEach }, (__, at) => task.requests[(first + at) % task.requests.length]).join('')),
);
process.send?.('open');

const began = performance.now();
let [next, offered] = [0, 0];
await new Promise<void>((resolve) => {
  const turn = setInterval(() => {
    const elapsed = Math.min((performance.now() - began) / 1000, task.seconds);
    for (; offered + requestsEach <= elapsed * task.perSecond; offered += requestsEach) {
      next += 1;
      const block = blocks[next % blocks.length] as Buffer;
      if (connections[next % connections.length]?.offer(block) === true) sent += requestsEach;
    }
    if (elapsed < task.seconds) return;
    clearInterval(turn);
    resolve();
  }, turnMs);
});
process.send?.('offered');
const late = performance.now() + timeLimitMs;
while (answered < sent && performance.now() < late)
  await new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
over = true;
for (const connection of connections) connection.close();
const report: OfferReport = { offered, sent, answers, closed };
process.send?.(report, () => process.exit(0));
