import type { AuditEvent } from './event.js';

export interface Writer {
  /** Resolves once all are written; rejects if none is. Calls do not overlap. */
  write(events: readonly AuditEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Accepts events with the guarantees of its mode. */
export interface Sink {
  /** A request that cannot be recorded must not go on. */
  readonly strict: boolean;
  /** Resolves with true when the event is written, or can be lost only by the process's end. Never rejects. */
  process(event: AuditEvent): Promise<boolean>;
  /** Writes kept events. True when none are left. */
  settle(): Promise<boolean>;
  /** Writes pending events, then closes the writer. */
  close(): Promise<void>;
}

/** Receives every loss of events and its reason. */
export type ReportLoss = (events: number, error: Error) => void;
