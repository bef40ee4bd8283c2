import { internalError } from '../../api/status.js';
import { attributesOf } from '../authorization/authorizer.js';
import type { RequestLatency } from '../../program/tracing/requestLatency.js';
import type { Response } from '../../program/port/message.js';
import type { Sink } from './contract.js';
import type { Stage } from './event.js';
import { AuditRecord, type Audited } from './record.js';
import type { Extent } from './rules.js';

export interface AuditedRequest extends Audited {
  readonly response: Response;
  readonly longRunning: boolean;
  /** The time of arrival, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly latency?: RequestLatency;
  onClose(action: () => void): void;
  /** Calls `action` on a protocol switch, after which the response code is 101. */
  onSwitch(action: () => void): void;
  readonly switched: boolean;
}

export interface Auditor {
  /**
   * Starts the record of an authenticated request; null when nothing is to be written. Rejects with a StatusError when a strict sink cannot write, which must
   * end the request.
   */
  begin(request: AuditedRequest): Promise<AuditRecord | null>;
  /**
   * Starts the record of a request refused before authentication, with one event when the response starts. `attempted` names the tried authentication methods;
   * null for none.
   */
  beginRefused(request: AuditedRequest, tried: { readonly attempted: string | null }): AuditRecord | null;
  close(): Promise<void>;
}

export interface OpenAuditor extends Auditor {
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

export function createAuditor({ extentOf, sinks, metrics }: AuditorOptions): OpenAuditor {
  const sink = allOf(sinks);
  const emit: Emit = async (record, stage, code) => {
    if (!record.wants(stage)) return true;
    const event = record.event(stage, code, Date.now());
    metrics.event(event.level);
    return sink.process(event);
  };
  const recordOf = (request: AuditedRequest): AuditRecord | null => {
    const extent = extentOf(attributesOf(request.user, request.info, request.method));
    return extent.level === 'None' ? null : new AuditRecord(request, extent, Date.now() - (performance.now() - request.startedAt));
  };
  return {
    begin: async (request) => {
      const record = recordOf(request);
      if (record === null) return null;
      if (!(await emit(record, 'RequestReceived', null)) || !(await sink.settle())) {
        metrics.rejected();
        throw internalError(new Error('failed to store audit event'));
      }
      follow(request, record, emit);
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

type Emit = (record: AuditRecord, stage: Stage, code: number | null) => Promise<boolean>;

function follow(request: AuditedRequest, record: AuditRecord, emit: Emit): void {
  const complete = once(async () => {
    annotateLatency(request, record);
    const code = codeOf(request);
    if (code !== 0) return emit(record, record.ending, code);
    record.closedEarly();
    if (request.longRunning) await emit(record, 'ResponseStarted', okCode);
    return emit(record, record.ending, okCode);
  });
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
}

/** The reference adds latency annotations to slower requests. */
const quickMs = 500;

function annotateLatency({ startedAt, latency }: AuditedRequest, record: AuditRecord): void {
  const total = performance.now() - startedAt;
  if (total <= quickMs || latency === undefined) return;
  for (const [key, text] of Object.entries(latency.annotations(total))) record.annotate(key, text);
}

const switchingProtocols = 101;
const okCode = 200;

const codeOf = ({ switched, response }: AuditedRequest): number =>
  switched ? switchingProtocols : response.headersSent ? response.statusCode : 0;

/** Combines sinks: an event not written by a strict one counts as not written. */
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
 * Delays the last bytes of a response until its event is written, so that clients can rely on the record. The head goes out at once, so that no other response
 * replaces this one.
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

/** Calls with a stream's status code when its head is sent. */
function beforeHead(response: Response, started: (code: number) => void): void {
  const writeHead = response.writeHead.bind(response) as (...rest: readonly unknown[]) => unknown;
  const tell = (code: number, ...rest: readonly unknown[]): Response => {
    if (!response.headersSent) started(code);
    writeHead(code, ...rest);
    return response;
  };
  Object.defineProperty(response, 'writeHead', { value: tell, configurable: true, writable: true });
}
