import type { Status } from './status.js';

/** Receives audit content beyond the head. Unrequested bodies cost nothing. */
export interface AuditTrail {
  /** The decoded body, before any change. */
  requestBody(value: unknown): void;
  readonly wantsResponse: boolean;
  /** The response as JSON, whatever the client's encoding. */
  responseBody(makeJson: () => Buffer): void;
  refused(status: Status): void;
  /** `Request` limits the annotation to events with bodies; such a text may be as long as a body. */
  annotate(key: string, value: string, level?: 'Request'): void;
}
