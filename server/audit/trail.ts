import type { Status } from '../../api/status.js';

/** Takes what the audit log may tell of a request beyond its head. Bodies that nobody asked for cost nothing. */
export interface AuditTrail {
  /** The decoded body, before anything changes it. */
  requestBody(value: unknown): void;
  /** Whether the body of the answer is written. */
  readonly wantsResponse: boolean;
  /** The answer as JSON, in whatever encoding the client gets it. */
  responseBody(makeJson: () => Buffer): void;
  /** The request was refused with this status. */
  refused(status: Status): void;
  /** With `Request`, only where bodies are told of; such a text is as long as a body may be. */
  annotate(key: string, value: string, level?: 'Request'): void;
}
