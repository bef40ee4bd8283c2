import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { TracingConfiguration } from '../../program/tracing/configuration.js';
import { OtlpExporter } from '../../program/tracing/otlp.js';
import { Tracer } from '../../program/tracing/tracer.js';

export interface Tracing {
  readonly tracer: Tracer;
  readonly exporter: OtlpExporter;
}

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
