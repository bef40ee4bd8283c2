import type { AuditEvent } from './event.js';

/** Puts events where they belong: a file, or a service. */
export interface Writer {
  /** Resolves once all of them are written; rejects when none of them is. Called again only after that. */
  write(events: readonly AuditEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Takes events and keeps what its mode promises. */
export interface Sink {
  /** A request that it cannot write down must not go on. */
  readonly strict: boolean;
  /** True when the event is written, or waits where nothing but the end of the process can lose it. Never rejects. */
  process(event: AuditEvent): Promise<boolean>;
  /** Tries to write what could not be written before. True when nothing is owed any more. */
  settle(): Promise<boolean>;
  /** Writes what waits, then closes the writer. */
  close(): Promise<void>;
}

/** Told of every event that was lost, and why. */
export type ReportLoss = (events: number, error: Error) => void;
