import { readFileSync } from 'node:fs';
import { percentiles } from '../load.js';
import { Http2Client } from './client.js';

/** Child process of `reads.ts`: keeps streams busy with GETs during each requested slice. Connections stay open between slices. */
export interface ReadLoadTask {
  readonly port: number;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly connections: number;
  /** Concurrent requests of each connection. */
  readonly streams: number;
}

export interface ReadSlice {
  readonly path: string;
  readonly seconds: number;
}

export interface ReadReport {
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as ReadLoadTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
const clients = await Promise.all(
  Array.from({ length: task.connections }, () => Http2Client.open({ host: '127.0.0.1', port: task.port, ca, cert, key })),
);

async function run({ path, seconds }: ReadSlice): Promise<ReadReport> {
  const started = performance.now();
  const end = started + seconds * 1000;
  const latencies: number[] = [];
  let bytes = 0;
  await Promise.all(
    clients.flatMap((client) =>
      Array.from({ length: task.streams }, async () => {
        for (let sent = performance.now(); sent < end; sent = performance.now()) {
          const answer = await client.get(path);
          if (answer.status !== 200) throw new Error(`${path} was refused`);
          latencies.push(performance.now() - sent);
          bytes += answer.bytes;
        }
      }),
    ),
  );
  return { requests: latencies.length, bytes, seconds: (performance.now() - started) / 1000, ...percentiles(latencies) };
}

process.on('message', (slice: ReadSlice) => {
  void run(slice).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));
process.send?.('open');
