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

  /** Resolves once a server has done it. Servers may refuse while they elect a leader (503, 504) or are full (429). */
  async send(bytes: Buffer): Promise<void> {
    for (;;) {
      const status = await this.#attempt(bytes);
      // A create whose first answer was lost finds its object.
      if (status !== null && (status < 400 || status === 409)) return;
      if (status !== null && status < 429) throw new Error(`a server answered ${status}`);
      await delay(10);
    }
  }

  /** The status of the answer; null when the connection broke. */
  async #attempt(bytes: Buffer): Promise<number | null> {
    try {
      this.#open ??= await Connection.open({ ...endpoints[this.#at % endpoints.length]!, ca, cert, key });
      return (await this.#open.send(bytes)).status;
    } catch {
      this.#open = null;
      this.#at += 1;
      return null;
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
    await client.send(next(round));
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
