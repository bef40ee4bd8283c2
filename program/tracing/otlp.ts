import type { Client } from '@grpc/grpc-js';
import { messageTypes } from '../grpc/messageType.js';
import type { Span } from './tracer.js';

const types = messageTypes({
  Request: { fields: { resourceSpans: { rule: 'repeated', type: 'ResourceSpans', id: 1 } } },
  Response: { fields: {} },
  ResourceSpans: { fields: { resource: { type: 'Resource', id: 1 }, scopeSpans: { rule: 'repeated', type: 'ScopeSpans', id: 2 } } },
  Resource: { fields: { attributes: { rule: 'repeated', type: 'KeyValue', id: 1 } } },
  ScopeSpans: { fields: { scope: { type: 'Scope', id: 1 }, spans: { rule: 'repeated', type: 'Span', id: 2 } } },
  Scope: { fields: { name: { type: 'string', id: 1 } } },
  KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
  AnyValue: {
    oneofs: { value: { oneof: ['stringValue', 'intValue'] } },
    fields: { stringValue: { type: 'string', id: 1 }, intValue: { type: 'int64', id: 3 } },
  },
  Status: { fields: { message: { type: 'string', id: 2 }, code: { type: 'int32', id: 3 } } },
  Span: {
    fields: {
      traceId: { type: 'bytes', id: 1 },
      spanId: { type: 'bytes', id: 2 },
      traceState: { type: 'string', id: 3 },
      parentSpanId: { type: 'bytes', id: 4 },
      name: { type: 'string', id: 5 },
      kind: { type: 'int32', id: 6 },
      startTimeUnixNano: { type: 'fixed64', id: 7 },
      endTimeUnixNano: { type: 'fixed64', id: 8 },
      attributes: { rule: 'repeated', type: 'KeyValue', id: 9 },
      status: { type: 'Status', id: 15 },
    },
  },
});

export interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly object[] }[];
  }[];
}
export const exportRequest = types<ExportRequest>('Request');
export const exportResponse = types<object>('Response');
export const exportPath = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

const kinds = { server: 2, client: 3 } as const;
const statusError = 2;
/** Nanoseconds in decimal digits: too large for a number. */
const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n);
const keyValue = ([key, value]: readonly [string, string | number]): object => ({
  key,
  value: typeof value === 'number' ? { intValue: Math.round(value) } : { stringValue: value },
});

const requestOf = (spans: readonly Span[], service: Readonly<Record<string, string>>): ExportRequest => ({
  resourceSpans: [
    {
      resource: { attributes: Object.entries(service).map(keyValue) },
      scopeSpans: [
        {
          scope: { name: 'raftplane' },
          spans: spans.map(({ context, parentId, name, kind, startedAt, endedAt, attributes, failure }) => ({
            traceId: Buffer.from(context.traceId, 'hex'),
            spanId: Buffer.from(context.spanId, 'hex'),
            traceState: context.state,
            parentSpanId: Buffer.from(parentId, 'hex'),
            name,
            kind: kinds[kind],
            startTimeUnixNano: nanoseconds(startedAt),
            endTimeUnixNano: nanoseconds(endedAt),
            attributes: Object.entries(attributes).map(keyValue),
            ...(failure === null ? {} : { status: { code: statusError, message: failure } }),
          })),
        },
      ],
    },
  ],
});

/** Further spans are dropped, since requests do not wait for a collector. */
const waitingMax = 2_048;
const batchMax = 512;
const intervalMs = 1_000;
const timeoutMs = 10_000;

export interface ExporterOptions {
  readonly endpoint: string;
  readonly service: Readonly<Record<string, string>>;
  readonly report: (error: unknown) => void;
}

/** Sends spans to a collector in batches. */
export class OtlpExporter {
  readonly #options: ExporterOptions;
  #waiting: Span[] = [];
  #client: Promise<Client> | null = null;
  #sending: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      void this.flush();
    }, intervalMs).unref();
  }

  add(span: Span): void {
    if (this.#waiting.length < waitingMax) this.#waiting.push(span);
    if (this.#waiting.length >= batchMax) void this.flush();
  }

  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    (await this.#client)?.close();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      try {
        await this.#send(batch);
      } catch (error) {
        this.#options.report(error);
        return;
      }
    }
  }

  async #send(batch: readonly Span[]): Promise<void> {
    const { endpoint, service } = this.#options;
    const { Client, credentials } = await import('../grpc/client.js');
    const client = await (this.#client ??= Promise.resolve(new Client(endpoint, credentials.createInsecure())));
    await new Promise<void>((resolve, reject) => {
      const call = client.makeUnaryRequest(
        exportPath,
        exportRequest.encode,
        exportResponse.decode,
        requestOf(batch, service),
        {},
        (error) => {
          clearTimeout(timer);
          if (error === null) resolve();
          else reject(error);
        },
      );
      const timer = setTimeout(() => {
        call.cancel();
      }, timeoutMs);
    });
  }
}
