import { Connection, type Endpoint } from './connection.js';

export interface LoadOptions {
  readonly endpoints: readonly Endpoint[];
  readonly connections: number;
  readonly seconds: number;
  /** The next request of a connection; `round` counts from 0. */
  readonly next: (connection: number, round: number) => Buffer;
  readonly expect: number;
  /** Called when all connections are open. */
  readonly opened?: (() => void) | undefined;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly bytesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const warmUpShare = 0.2;

/** Keeps every connection busy with one request at a time, for a bounded time. An unexpected status is an error. */
export async function load({ endpoints, connections, seconds, next, expect, opened }: LoadOptions): Promise<LoadResult> {
  const open = await Promise.all(
    Array.from({ length: connections }, (_, each) => Connection.open(endpoints[each % endpoints.length] as Endpoint)),
  );
  opened?.();
  const start = performance.now();
  const countFrom = start + seconds * 1000 * warmUpShare;
  const end = countFrom + seconds * 1000;
  const latencies: number[] = [];
  let bytes = 0;
  await Promise.all(
    open.map(async (connection, each) => {
      for (let round = 0; ; round += 1) {
        const sent = performance.now();
        if (sent >= end) break;
        const answer = await connection.send(next(each, round));
        if (answer.status !== expect) throw new Error(`expected status ${expect}, got ${answer.status}`);
        if (sent < countFrom) continue;
        latencies.push(performance.now() - sent);
        bytes += answer.bytes;
      }
      connection.close();
    }),
  );
  const measured = (performance.now() - countFrom) / 1000;
  return { perSecond: latencies.length / measured, bytesPerSecond: bytes / measured, ...percentiles(latencies) };
}

/** Median and 99th percentile, in the unit of the values. */
export interface Percentiles {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
