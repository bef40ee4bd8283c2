import type { RequestInfo } from '../../api/requestInfo.js';
import type { User } from '../../api/user.js';
import type { Request, Response, Upgrade } from '../../program/port/message.js';
import type { AuditTrail } from '../audit/trail.js';
import type { Encoders } from './encoders/encoders.js';

/** Everything that travels with one request. Created by the HTTP layer; the endpoints read it and answer through `response`. */
export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly auditId: string;
  /** Null when nothing is written of this request. */
  readonly audit?: AuditTrail | null;
  /** When the request must have been answered, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Aborts when the client goes away, the deadline passes, or the server stops. */
  readonly signal: AbortSignal;
  /** Whether `signal` has been aborted. To be asked instead of it: a signal is made when somebody asks for it, and is large. */
  readonly aborted: boolean;
  /** Calls `action` when `signal` is aborted, at once when it is; it must not throw. */
  onAbort(action: () => void): void;
  /** Calls `action` once nobody reads the answer any more, at once when that is so already; it must not throw. Streams of HTTP/2 do not always tell. */
  onClose(action: () => void): void;
  /** Set where the body of the answer is kept in any case: it costs nothing more while it waits for its client. */
  bodyShared?: boolean;
  /** Texts for `Warning: 299` headers; the response writers add them, each text once. */
  readonly warnings: string[];
  /** Set when the request asks for another protocol; whoever speaks it takes the connection, and otherwise the request is answered as usual. */
  readonly upgrade?: Upgrade | null;
  /** Called by whoever has taken the connection over, once the other protocol has begun. */
  switchedProtocols?(): void;
  /** What the server speaks about resources: set by the endpoints before a verb runs. Absent: what every server speaks. */
  encoders?: Encoders;
  /**
   * To be waited for when the store has answered: where it lets hundreds of requests go on at once, those of other clients get their turn between them.
   * Undefined where nobody else waits.
   */
  turn?(): Promise<void> | undefined;
  /** Called by who streams, once its beginning has been sent: from then on it costs next to nothing, and what only the beginning needed is forgotten. */
  begun?(): void;
  /** Called by who streams after the work on the request is over, once the answer is complete. */
  answered?(): void;
  /** Reads the whole body, once, up to the limit (3 MiB); throws StatusError 413 above it and 400 for a broken one. */
  body(): Promise<Buffer>;
}
