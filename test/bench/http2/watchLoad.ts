import { readFileSync } from 'node:fs';
import { Http2Client } from './client.js';

/** Child process of `watchers.ts`: opens watches, counts events and measures their delay. */
export interface WatchLoadTask {
  readonly ports: readonly number[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly connections: number;
  readonly watchers: number;
  /** `{}` in it becomes the number of the watcher. */
  readonly path: string;
}

export interface WatchLoadReport {
  readonly events: number;
  readonly ended: number;
  /** A sample of the watchers. */
  readonly latenciesMs: readonly number[];
}

/** `report` is sent after so many events since the last `reset`, or when the time is over. */
export type WatchLoadMessage = { readonly ask: 'report'; readonly events: number; readonly withinMs: number } | { readonly ask: 'reset' };
const checkMs = 4;
const stampMark = Buffer.from('"stamp":"');
const stampDigitsMax = 20;

const task = JSON.parse(process.argv[2] ?? '{}') as WatchLoadTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
/** Only every n-th watcher is parsed; others count bytes, since all see the same. */
const sampled = Math.max(1, Math.floor(task.watchers / 100));
let bytes = new Float64Array(task.watchers);
let events = new Uint32Array(task.watchers);
let latencies: number[] = [];
let ended = 0;

function onData(watcher: number, chunk: Buffer, from: number, to: number): void {
  bytes[watcher] = (bytes[watcher] as number) + to - from;
  if (watcher % sampled !== 0) return;
  const part = chunk.subarray(from, to);
  for (let at = part.indexOf(stampMark); at >= 0; at = part.indexOf(stampMark, at + 1)) {
    const start = at + stampMark.length;
    const stamp = Number.parseInt(part.toString('latin1', start, start + stampDigitsMax), 10);
    latencies.push((Number(process.hrtime.bigint() / 1000n) - stamp) / 1000);
    events[watcher] = (events[watcher] as number) + 1;
  }
}

function report(): WatchLoadReport {
  const eventBytes = (bytes[0] ?? 0) / Math.max(1, events[0] ?? 0);
  const all = bytes.reduce(
    (sum, count, watcher) => sum + (watcher % sampled === 0 ? (events[watcher] as number) : Math.round(count / Math.max(1, eventBytes))),
    0,
  );
  return { events: all, ended, latenciesMs: latencies };
}

function reportWhen(wanted: number, end: number): void {
  const found = report();
  if (found.events >= wanted || performance.now() >= end) process.send?.(found);
  else setTimeout(reportWhen, checkMs, wanted, end);
}

process.on('message', (message: WatchLoadMessage) => {
  if (message.ask === 'report') reportWhen(message.events, performance.now() + message.withinMs);
  else {
    bytes = new Float64Array(task.watchers);
    events = new Uint32Array(task.watchers);
    latencies = [];
    process.send?.('reset');
  }
});
process.on('disconnect', () => process.exit(0));

const clients = await Promise.all(
  Array.from({ length: task.connections }, (_, each) =>
    Http2Client.open({ host: '127.0.0.1', port: task.ports[each % task.ports.length] ?? 0, ca, cert, key }),
  ),
);
await Promise.all(
  Array.from(
    { length: task.watchers },
    (_, watcher) =>
      new Promise<void>((resolve, reject) => {
        clients[watcher % clients.length]?.request('GET', task.path.replace('{}', String(watcher)), {
          headers: (status) => {
            if (status === 200) resolve();
            else reject(new Error('a watch was refused'));
          },
          data: (chunk, start, end) => {
            onData(watcher, chunk, start, end);
          },
          end: () => {
            ended++;
          },
        });
      }),
  ),
);
process.send?.('open');
