import { readFileSync } from 'node:fs';
import { Connection, request, type Endpoint } from '../../bench/connection.js';
import { Http2Client } from '../../bench/http2/client.js';

/** Child process: keeps many streams of several connections busy with reads. */
export interface BusyTask {
  readonly ports: readonly number[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly connections: number;
  /** Streams of each connection. */
  readonly streams: number;
  readonly seconds: number;
  /** Paths; each stream reads one. */
  readonly paths: readonly string[];
  /** With HTTP/1.1 each stream is a connection. */
  readonly protocol: 'HTTP/1.1' | 'HTTP/2';
}

export interface BusyReport {
  readonly answered: number;
  /** Answers other than 200. */
  readonly refused: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as BusyTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
interface Asker {
  get(path: string): Promise<{ readonly status: number }>;
  close(): void;
}

async function askersOver(endpoint: Endpoint): Promise<readonly Asker[]> {
  if (task.protocol === 'HTTP/2') {
    const client = await Http2Client.open(endpoint);
    return Array.from({ length: task.streams }, () => client);
  }
  const connections = await Promise.all(Array.from({ length: task.streams }, () => Connection.open(endpoint)));
  return connections.map((connection) => ({
    get: (path) => connection.send(request('GET', path)),
    close: () => {
      connection.close();
    },
  }));
}

const askers = await Promise.all(
  Array.from({ length: task.connections }, (_, each) =>
    askersOver({ host: '127.0.0.1', port: task.ports[each % task.ports.length] as number, ca, cert, key }),
  ),
);
const end = performance.now() + task.seconds * 1000;
let [answered, refused] = [0, 0];
await Promise.all(
  askers.flatMap((streams) =>
    streams.map(async (asker, each) => {
      while (performance.now() < end) {
        const { status } = await asker.get(task.paths[each % task.paths.length] as string);
        if (status === 200) answered += 1;
        else refused += 1;
      }
    }),
  ),
);
for (const asker of askers.flat()) asker.close();
const report: BusyReport = { answered, refused };
process.send?.(report, () => process.exit(0));
