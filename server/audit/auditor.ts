import { internalError } from '../../api/status.js';
import { attributesOf } from '../authorization/authorizer.js';
import type { Response } from '../../program/port/message.js';
import type { Sink } from './contract.js';
import type { Stage } from './event.js';
import { AuditRecord, type Audited } from './record.js';
import type { Extent } from './rules.js';

/** What the way of a request has to offer besides its facts. */
export interface AuditedRequest extends Audited {
  readonly response: Response;
  readonly longRunning: boolean;
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  onClose(action: () => void): void;
  /** Calls `action` when the connection goes on in another protocol; from then on the code of the answer is 101. */
  onSwitch(action: () => void): void;
  readonly switched: boolean;
}

export interface Auditor {
  /**
   * Begins the record of a request, once it is known who asks. Null when nothing is to be written. Rejects with a StatusError when a strict
   * sink cannot write: the request must not go on.
   */
  begin(request: AuditedRequest): Promise<AuditRecord | null>;
  /**
   * Begins the record of a request that is refused before it is known who sends it. It has one event, when the answer starts. `attempted` names the
   * ways in which credentials were tried; null where nobody has looked at them.
   */
  beginRefused(request: AuditedRequest, tried: { readonly attempted: string | null }): AuditRecord | null;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** An auditor that says where its events go. */
export interface OpenAuditor extends Auditor {
  /** All backends as one. */
  readonly sink: Sink;
}

export interface AuditorOptions {
  readonly extentOf: (attributes: ReturnType<typeof attributesOf>) => Extent;
  readonly sinks: readonly Sink[];
  readonly metrics: AuditMetrics;
}

export interface AuditMetrics {
  event(level: string): void;
  rejected(): void;
}

/** Writes the events of requests to all sinks, at the stages that the policy asks for. */
export function createAuditor({ extentOf, sinks, metrics }: AuditorOptions): OpenAuditor {
  const sink = allOf(sinks);
  const emit = async (record: AuditRecord, stage: Stage, code: number | null): Promise<boolean> => {
    if (!record.wants(stage)) return true;
    const event = record.event(stage, code, Date.now());
    metrics.event(event.level);
    return sink.process(event);
  };
  const recordOf = (request: AuditedRequest): AuditRecord | null => {
    const extent = extentOf(attributesOf(request.user, request.info, request.method));
    return extent.level === 'None' ? null : new AuditRecord(request, extent, Date.now() - (performance.now() - request.startedAt));
  };
  const follow = (request: AuditedRequest, record: AuditRecord): void => {
    const complete = once(() => emit(record, record.ending, codeOf(request)));
    if (request.longRunning) {
      const started = (code: number): void => {
        void emit(record, 'ResponseStarted', code);
      };
      beforeHead(request.response, started);
      request.onSwitch(() => {
        started(switchingProtocols);
      });
    } else holdEnd(request.response, complete);
    request.onClose(() => {
      void complete();
    });
  };
  return {
    begin: async (request) => {
      const record = recordOf(request);
      if (record === null) return null;
      if (!(await emit(record, 'RequestReceived', null)) || !(await sink.settle())) {
        metrics.rejected();
        throw internalError(new Error('failed to store audit event'));
      }
      follow(request, record);
      return record;
    },
    beginRefused: (request, { attempted }) => {
      const record = recordOf(request);
      if (record === null) return null;
      if (attempted !== null) record.failedAuthentication(attempted);
      let written: Promise<unknown> = Promise.resolve();
      beforeHead(request.response, (code) => {
        written = emit(record, 'ResponseStarted', code);
      });
      holdEnd(request.response, () => written);
      return record;
    },
    sink,
    close: () => sink.close(),
  };
}

const switchingProtocols = 101;

const codeOf = ({ switched, response }: AuditedRequest): number =>
  switched ? switchingProtocols : response.headersSent ? response.statusCode : 0;

/** Several sinks as one: what a strict one cannot write is not written. */
function allOf(sinks: readonly Sink[]): Sink {
  const everywhere = async (done: (sink: Sink) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(sinks.map(done))).every(Boolean);
  return {
    strict: true,
    process: (event) => everywhere(async (sink) => (await sink.process(event)) || !sink.strict),
    settle: () => everywhere(async (sink) => !sink.strict || sink.settle()),
    close: async () => {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

function once<T>(action: () => T): () => T {
  let result: { readonly value: T } | null = null;
  return () => (result ??= { value: action() }).value;
}

/**
 * Lets the last bytes of an answer wait for its event: who has the answer can rely on it being written down. Only the first end counts;
 * the head goes out at once, so that nothing else is answered meanwhile.
 */
function holdEnd(response: Response, before: () => Promise<unknown>): void {
  const end = response.end.bind(response) as (...rest: readonly unknown[]) => unknown;
  let held = false;
  const hold = (...rest: readonly unknown[]): Response => {
    if (held) return response;
    held = true;
    if (!response.headersSent) response.writeHead(response.statusCode);
    void before().then(() => {
      end(...rest);
    });
    return response;
  };
  Object.defineProperty(response, 'end', { value: hold, configurable: true, writable: true });
}

/** Tells the status code of a stream when its head goes out. */
function beforeHead(response: Response, started: (code: number) => void): void {
  const writeHead = response.writeHead.bind(response) as (...rest: readonly unknown[]) => unknown;
  const tell = (code: number, ...rest: readonly unknown[]): Response => {
    if (!response.headersSent) started(code);
    writeHead(code, ...rest);
    return response;
  };
  Object.defineProperty(response, 'writeHead', { value: tell, configurable: true, writable: true });
}
