import type { RequestInfo } from '../../api/requestInfo.js';
import type { User } from '../../api/user.js';
import type { Request, Response, Upgrade } from '../../program/port/message.js';
import type { RequestLatency } from '../../program/tracing/requestLatency.js';
import type { AuditTrail } from '../../api/auditTrail.js';
import type { Encoders } from './encoders/encoders.js';

/** The HTTP layer creates it; the endpoints read it and answer through `response`. */
export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly auditId: string;
  readonly audit?: AuditTrail | null;
  readonly latency?: RequestLatency | undefined;
  /** The deadline of the response, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Cheaper than `signal`, which is made when first read. */
  readonly aborted: boolean;
  /** Calls `action` when `signal` aborts, or at once; it must not throw. */
  onAbort(action: () => void): void;
  /** `action` must not throw. HTTP/2 streams do not always report it. */
  onClose(action: () => void): void;
  /** The body costs nothing while waiting, because it is cached. */
  bodyShared?: boolean;
  /** Texts for `Warning: 299` headers; the response writers add each text once. */
  readonly warnings: string[];
  /** Requests are answered as usual if no handler takes the connection. */
  readonly upgrade?: Upgrade | null;
  switchedProtocols?(): void;
  encoders?: Encoders;
  /** Awaited after the store's answer, which may release hundreds of requests at once. */
  turn?(): Promise<void> | undefined;
  begun?(): void;
  /** Called by streams that outlast the handler, at the end of the response. */
  answered?(): void;
  /** Throws StatusError 413 above the limit and 400 for a broken body. */
  body(): Promise<Buffer>;
}
