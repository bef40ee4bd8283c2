import type { MessagePort } from 'node:worker_threads';
import type { ReplicaTicket } from '../../raft/index.js';
import type { AuditEvent } from '../audit/event.js';
import type { Exported, Exposition } from '../../program/metrics/sums.js';
import type { ApiServerOptions } from '../options/flags.js';

/** What the first thread and another one say to each other: see DESIGN.md. */

/** What a serving thread is started with. */
export interface ThreadStart {
  readonly options: ApiServerOptions;
  /** From 1: the first thread is not started by itself. */
  readonly thread: number;
  readonly threads: number;
  /** The number of the socket on which the first thread listens. */
  readonly socket: number;
  readonly ticketKeys: Uint8Array;
  readonly replica: ReplicaTicket;
  readonly shared: SharedMemory;
  /** To each of the other serving threads: see `SharedForms`. */
  readonly peers: readonly MessagePort[];
}

/** Counts that all threads read and change. */
export interface SharedMemory {
  /** Where the process stands: see `progress.ts`. */
  readonly progress: SharedArrayBuffer;
  /** Seats of priority levels: see `SharedSeats`. */
  readonly seats: SharedArrayBuffer;
  /** Requests in flight: see `SharedCount`. */
  readonly inflight: SharedArrayBuffer;
  /** Where the forms of objects lie that threads have in common: see `SharedForms`. */
  readonly forms: SharedArrayBuffer;
}

/** What the first thread asks the others. */
export interface ToThread {
  /** What this thread has counted. */
  readonly counts: readonly [Exposition, readonly Exported[]];
  /** Stops serving without losing an answer. */
  readonly drain: readonly [null, null];
  /** Gives up everything else. */
  readonly stop: readonly [null, null];
  /** Closes the socket that threads share: see `closeOnAll`. */
  readonly release: readonly [null, null];
}

/** What the others ask the first one. */
export interface ToFirst {
  /** A line of the log. */
  readonly log: readonly [{ readonly level: 'error' | 'info'; readonly line: string }, null];
  /** Listens. */
  readonly listens: readonly [null, null];
  /** Has loaded everything that requests need. */
  readonly synced: readonly [null, null];
  /** What `/metrics` or `/metrics/slis` says, of the whole process. */
  readonly exposition: readonly [Exposition, string];
  /** Writes an event down. False where a strict backend has not written it. */
  readonly audit: readonly [AuditEvent, boolean];
  readonly settleAudit: readonly [null, boolean];
  /** Counts an event under these keys: which limits it exceeds. */
  readonly countEvent: readonly [readonly string[], readonly boolean[]];
}
