import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles, type Percentiles } from '../../bench/load.js';
import { mainThreadCpuMs } from '../../bench/processorTime.js';
import { Http2Client } from '../../bench/http2/client.js';

/** Child process: gets one object occasionally, and measures each answer. */
export interface TrickleTask {
  readonly port: number;
  readonly pid: number;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly path: string;
  readonly everyMs: number;
  readonly seconds: number;
}

export interface TrickleReport {
  /** Processor time of the server's main thread between request and answer, which other load does not change. */
  readonly cpu: Percentiles;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Answers other than 200. */
  readonly refused: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as TrickleTask;
const [ca, cert, key] = [task.caFile, task.certFile, task.keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
const client = await Http2Client.open({ host: '127.0.0.1', port: task.port, ca, cert, key });
const tookMs: number[] = [];
const tookCpuMs: number[] = [];
let refused = 0;
const end = performance.now() + task.seconds * 1000;
while (performance.now() < end) {
  const cpuBefore = mainThreadCpuMs(task.pid);
  const began = performance.now();
  const { status } = await client.get(task.path);
  tookMs.push(performance.now() - began);
  tookCpuMs.push(mainThreadCpuMs(task.pid) - cpuBefore);
  if (status !== 200) refused += 1;
  await delay(task.everyMs);
}
client.close();
const report: TrickleReport = { ...percentiles(tookMs), cpu: percentiles(tookCpuMs), maxMs: Math.max(...tookMs), refused };
process.send?.(report, () => process.exit(0));
