import type { RequestInfo } from '../../api/requestInfo.js';
import type { User } from '../../api/user.js';
import type { Request, Response, Upgrade } from '../../program/port/message.js';
import type { AuditTrail } from '../audit/trail.js';
import type { Encoders } from './encoders/encoders.js';

/** The HTTP layer creates it; the endpoints read it and answer through `response`. */
export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly auditId: string;
  /** Null when the request is not audited. */
  readonly audit?: AuditTrail | null;
  /** The deadline of the response, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Aborts when the client goes away, the deadline passes, or the server stops. */
  readonly signal: AbortSignal;
  /** Cheaper to read than `signal`, which is large and made when it is first read. */
  readonly aborted: boolean;
  /** Calls `action` when `signal` aborts, or at once; it must not throw. */
  onAbort(action: () => void): void;
  /** Calls `action` once the response has no reader any more, or at once; it must not throw. HTTP/2 streams do not always report it. */
  onClose(action: () => void): void;
  /** The body is cached anyway, so that it costs nothing more while it waits for its client. */
  bodyShared?: boolean;
  /** Texts for `Warning: 299` headers; the response writers add each text once. */
  readonly warnings: string[];
  /** The requested protocol switch. A handler of that protocol takes the connection, otherwise the request is answered as usual. */
  readonly upgrade?: Upgrade | null;
  /** Called by the new owner of the connection once the other protocol has begun. */
  switchedProtocols?(): void;
  /** Set by the endpoints before a verb runs. Defaults to those of every server. */
  encoders?: Encoders;
  /** Awaited after the store has answered: when it releases hundreds of requests at once, those of other clients run in between. */
  turn?(): Promise<void> | undefined;
  /** Called by streams once their beginning has been sent, whose state is then released. */
  begun?(): void;
  /** Called by streams that outlast the handler, once the response is complete. */
  answered?(): void;
  /** Reads the body once, up to the limit (3 MiB). Throws StatusError 413 above it and 400 for a broken one. */
  body(): Promise<Buffer>;
}
