import { activeTrace } from '../../../program/tracing/activeTrace.js';
import type { Tracer } from '../../../program/tracing/tracer.js';
import type { Exchange } from '../exchange.js';

const untraced = (exchange: Exchange): boolean =>
  exchange.longRunning || (!exchange.info.isResource && /^\/(?:livez|readyz|healthz|metrics)/.test(exchange.info.path));

/** Handles a request in a span, possibly of the client's trace. */
export function traceFilter(tracer: Tracer, work: (exchange: Exchange) => Promise<void>): (exchange: Exchange) => Promise<void> {
  return (exchange) => {
    if (untraced(exchange)) return work(exchange);
    const { info, request } = exchange;
    const span = tracer.begin('KubernetesAPI', request.headers, {
      'http.method': exchange.method,
      'http.target': request.url ?? '',
      'audit-id': exchange.auditId,
      'http.user_agent': String(request.headers['user-agent'] ?? ''),
      ...(info.isResource ? { 'k8s.verb': info.verb, 'k8s.resource': info.resource, 'k8s.group': info.group } : {}),
    });
    exchange.onClose(() => {
      const code = exchange.response.headersSent ? exchange.response.statusCode : 0;
      span.end({ 'http.status_code': code }, code >= 500 ? `answered ${code}` : null);
    });
    return activeTrace.run(span, work, exchange);
  };
}
