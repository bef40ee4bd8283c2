import type { ActiveTrace } from './activeTrace.js';
import { contextHeaders, isSampled, newSpanId, newTraceId, parseContext, type TraceContext } from './context.js';

export type Attributes = Readonly<Record<string, string | number>>;
export type SpanKind = 'server' | 'client';

/** Times are milliseconds since 1970. */
export interface Span {
  readonly context: TraceContext;
  readonly parentId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly failure: string | null;
}

export interface TracerOptions {
  readonly ratePerMillion: number;
  readonly now: () => number;
  readonly export: (span: Span) => void;
}

export interface OpenSpan extends ActiveTrace {
  end(more?: Attributes, failure?: string | null): void;
}

export class Tracer {
  readonly #options: TracerOptions;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /** Begins in the headers' trace, or in a new one. */
  begin(name: string, headers: Readonly<Record<string, unknown>>, attributes: Attributes): OpenSpan {
    const [parentText, stateText] = [headers['traceparent'], headers['tracestate']].map((each) =>
      typeof each === 'string' ? each : undefined,
    );
    const parent = parseContext(parentText, stateText);
    const traceId = parent?.traceId ?? newTraceId();
    const sampled = parent?.sampled ?? isSampled(traceId, this.#options.ratePerMillion);
    return this.#open(
      { traceId, spanId: newSpanId(), sampled, state: parent?.state ?? '' },
      { parentId: parent?.spanId ?? '', name, kind: 'server', attributes },
    );
  }

  #open(context: TraceContext, { parentId, name, kind, attributes }: Pick<Span, 'parentId' | 'name' | 'kind' | 'attributes'>): OpenSpan {
    const startedAt = this.#options.now();
    const headers = contextHeaders(context);
    return {
      headers,
      child: (childName, childAttributes) => {
        const span = this.#open(
          { ...context, spanId: newSpanId() },
          { parentId: context.spanId, name: childName, kind: 'client', attributes: childAttributes },
        );
        return {
          headers: span.headers,
          end: (failure) => {
            span.end({}, failure === undefined ? null : String(failure));
          },
        };
      },
      end: (more = {}, failure = null) => {
        if (context.sampled)
          this.#options.export({
            context,
            parentId,
            name,
            kind,
            startedAt,
            endedAt: this.#options.now(),
            attributes: { ...attributes, ...more },
            failure,
          });
      },
    };
  }
}
