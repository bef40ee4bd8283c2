import type { MessagePort } from 'node:worker_threads';
import type { ReplicaTicket } from '../../raft/index.js';
import type { Loopback } from '../assembly/loopback.js';
import type { AuditEvent } from '../audit/event.js';
import type { Exported, Exposition } from '../../program/metrics/sums.js';
import type { ApiServerOptions } from '../options/flags.js';

/** The protocol between the first and another thread: see DESIGN.md. */

export interface ThreadStart {
  readonly options: ApiServerOptions;
  /** The thread number, from 1, as the first thread needs no start. */
  readonly thread: number;
  readonly threads: number;
  readonly socket: number;
  readonly ticketKeys: Uint8Array;
  readonly loopback: Loopback;
  readonly replica: ReplicaTicket;
  readonly shared: SharedMemory;
  /** Ports to the other serving threads: see `SharedForms`. */
  readonly peers: readonly MessagePort[];
}

export interface SharedMemory {
  /** The process's progress: see `progress.ts`. */
  readonly progress: SharedArrayBuffer;
  /** Seats of priority levels: see `SharedSeats`. */
  readonly seats: SharedArrayBuffer;
  /** Requests in flight: see `SharedCount`. */
  readonly inflight: SharedArrayBuffer;
  /** Places of shared forms: see `SharedForms`. */
  readonly forms: SharedArrayBuffer;
}

export interface ToThread {
  readonly counts: readonly [Exposition, readonly Exported[]];
  readonly resetMetrics: readonly [Exposition, null];
  /** Stops serving without losing an answer. */
  readonly drain: readonly [null, null];
  readonly stop: readonly [null, null];
  /** Closes the shared socket: see `closeOnAll`. */
  readonly release: readonly [null, null];
}

export interface ToFirst {
  readonly log: readonly [{ readonly level: 'error' | 'info'; readonly line: string }, null];
  readonly listens: readonly [null, null];
  readonly synced: readonly [null, null];
  /** Returns the whole process's `/metrics` or `/metrics/slis`. */
  readonly exposition: readonly [Exposition, string];
  readonly resetMetrics: readonly [Exposition, null];
  /** False if a strict backend failed. */
  readonly audit: readonly [AuditEvent, boolean];
  readonly settleAudit: readonly [null, boolean];
  /** Counts an event under these keys; returns which limits it exceeds. */
  readonly countEvent: readonly [readonly string[], readonly boolean[]];
}
