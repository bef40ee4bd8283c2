import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../fixtures/apiClient.js';

/** A server's active work according to `/metrics`. */
export interface Counts {
  /** Requests being worked on, the one for `/metrics` included where the server counts it. */
  readonly readOnly: number;
  readonly mutating: number;
  /** Watches, proxied connections and other long-running requests. */
  readonly longRunning: number;
  readonly handles: number;
  readonly openFiles: number;
  readonly residentBytes: number;
}

/** The interval of polls for events that a server does not report. */
const pollMs = 50;

export async function readCounts(client: ApiClient): Promise<Counts> {
  const { status, body } = await client.request('GET', '/metrics');
  if (status !== 200 || typeof body !== 'string') throw new Error(`/metrics answered ${status}`);
  return countsIn(body);
}

export async function settledCounts(client: ApiClient, before: Counts): Promise<Counts> {
  for (;;) {
    // A server that refuses or does not answer has not settled.
    const now = await readCounts(client).catch(() => null);
    if (
      now !== null &&
      now.readOnly <= before.readOnly &&
      now.mutating <= before.mutating &&
      now.longRunning <= before.longRunning &&
      now.openFiles <= before.openFiles + connectionsOfClients
    )
      return now;
    await delay(pollMs);
  }
}

/** The clients of the test itself may have opened another connection since. */
const connectionsOfClients = 4;

/** From the text of `/metrics`. */
function countsIn(metrics: string): Counts {
  const sum = (pattern: RegExp): number => [...metrics.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    readOnly: sum(/^apiserver_current_inflight_requests\{[^}]*request_kind="readOnly"[^}]*\} (\S+)/gm),
    mutating: sum(/^apiserver_current_inflight_requests\{[^}]*request_kind="mutating"[^}]*\} (\S+)/gm),
    longRunning: sum(/^apiserver_longrunning_requests(?:\{[^}]*\})? (\S+)/gm),
    handles: sum(/^nodejs_active_handles_total(?:\{[^}]*\})? (\S+)/gm),
    openFiles: sum(/^process_open_fds(?:\{[^}]*\})? (\S+)/gm),
    residentBytes: sum(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)/gm),
  };
}
