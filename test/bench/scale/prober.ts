import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Latencies } from '../../fixtures/latencies.js';
import { Connection, request, type Endpoint } from '../connection.js';

/** Child process of the bench of scale: sends single requests of three kinds and lists of all pods until the parent asks for the report. */

export interface ProberTask {
  readonly endpoints: readonly Pick<Endpoint, 'host' | 'port'>[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface ProbeReport {
  readonly probe: string;
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

interface Probe {
  readonly name: string;
  readonly pauseMs: number;
  readonly next: (round: number) => Buffer;
}

const collection = '/api/v1/namespaces/default/configmaps';
const map = (name: string, round: number): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { round: String(round) } });
const run = process.pid.toString(36);

const probes: readonly Probe[] = [
  { name: 'creates', pauseMs: 50, next: (round) => request('POST', collection, map(`probe-${run}-${round}`, round)) },
  { name: 'updates', pauseMs: 50, next: (round) => request('PUT', `${collection}/probe`, map('probe', round)) },
  { name: 'gets', pauseMs: 50, next: () => request('GET', `${collection}/probe`) },
  { name: 'lists of all pods', pauseMs: 1_000, next: () => request('GET', '/api/v1/pods') },
];

const { endpoints, caFile, certFile, keyFile } = JSON.parse(process.argv[2] ?? '') as ProberTask;
const [ca, cert, key] = [caFile, certFile, keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
const stopping = new AbortController();

/** Uses the next server when a connection breaks; a latency includes these attempts. */
class Client {
  #at: number;
  #open: Connection | null = null;

  constructor(first: number) {
    this.#at = first;
  }

  /** Resolves with false for a refusal. */
  async send(bytes: Buffer): Promise<boolean> {
    for (;;) {
      try {
        this.#open ??= await Connection.open({ ...endpoints[this.#at % endpoints.length]!, ca, cert, key });
        const { status } = await this.#open.send(bytes);
        // A create whose first answer was lost finds its object.
        return status < 400 || status === 409;
      } catch {
        this.#open = null;
        this.#at += 1;
        await delay(10);
      }
    }
  }

  close(): void {
    this.#open?.close();
  }
}

async function measure({ name, pauseMs, next }: Probe, position: number): Promise<ProbeReport> {
  const client = new Client(position);
  const latencies = new Latencies();
  let count = 0;
  for (let round = 0; !stopping.signal.aborted; round += 1) {
    const from = performance.now();
    if (!(await client.send(next(round)))) throw new Error(`a server refused one of the ${name}`);
    latencies.add(performance.now() - from);
    count += 1;
    await delay(pauseMs);
  }
  client.close();
  return { probe: name, count, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99), longestMs: latencies.at(1) };
}

process.once('message', () => stopping.abort());
const first = new Client(0);
await first.send(request('POST', collection, map('probe', 0)));
first.close();
const reports = await Promise.all(probes.map(measure));
process.send?.(reports, () => process.disconnect());
