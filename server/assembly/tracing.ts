import type { Logger } from '../observability/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { TracingConfiguration } from '../tracing/configuration.js';
import { OtlpExporter } from '../tracing/otlp.js';
import { Tracer } from '../tracing/tracer.js';

export interface Tracing {
  readonly tracer: Tracer;
  readonly exporter: OtlpExporter;
}

/** Requests as parts of traces, sent to a collector. */
export function tracingOf({ endpoint, ratePerMillion }: TracingConfiguration, options: ApiServerOptions, log: Logger): Tracing {
  const service = { 'service.name': 'apiserver', 'service.instance.id': options['raft-member-id'] };
  const exporter = new OtlpExporter({
    endpoint,
    service,
    report: (error) => {
      log.named('tracing').warn('spans cannot be sent, and are dropped', { error });
    },
  });
  const tracer = new Tracer({
    ratePerMillion,
    now: () => performance.timeOrigin + performance.now(),
    export: (span) => {
      exporter.add(span);
    },
  });
  return { tracer, exporter };
}
