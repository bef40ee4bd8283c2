import { readFileSync } from 'node:fs';
import { Http2Client } from '../../bench/http2/client.js';

/** Child process: keeps many streams of several connections busy with reads, without a pause. */
export interface BusyTask {
  readonly ports: readonly number[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly connections: number;
  /** Of each connection. */
  readonly streams: number;
  readonly seconds: number;
  /** What is asked for: each stream always asks for the same. */
  readonly paths: readonly string[];
}

export interface BusyReport {
  readonly answered: number;
  /** Answers other than 200. */
  readonly refused: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as BusyTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
const clients = await Promise.all(
  Array.from({ length: task.connections }, (_, each) =>
    Http2Client.open({ host: '127.0.0.1', port: task.ports[each % task.ports.length] as number, ca, cert, key }),
  ),
);
const end = performance.now() + task.seconds * 1000;
let [answered, refused] = [0, 0];
await Promise.all(
  clients.flatMap((client) =>
    Array.from({ length: task.streams }, async (_, each) => {
      while (performance.now() < end) {
        const { status } = await client.get(task.paths[each % task.paths.length] as string);
        if (status === 200) answered += 1;
        else refused += 1;
      }
    }),
  ),
);
for (const client of clients) client.close();
const report: BusyReport = { answered, refused };
process.send?.(report, () => process.exit(0));
