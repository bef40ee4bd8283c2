import { Counter, exponentialBuckets, type Registry } from 'prom-client';
import { DurationHistogram } from '../../program/metrics/durations.js';

/** Durations of changes to the node authorizer's graph, by kind of change. */
export function createGraphMetrics(registry: Registry): (operation: string) => (seconds: number) => void {
  const durations = new DurationHistogram({
    name: 'node_authorizer_graph_actions_duration_seconds',
    help: 'Time that it took to bring what nodes may see up to a change, in seconds.',
    labelNames: ['operation'],
    buckets: exponentialBuckets(0.0001, 2, 12),
    registers: [registry],
  });
  return (operation) => {
    const series = durations.of({ operation });
    return (seconds) => {
      series.observe(seconds);
    };
  };
}

export interface DecisionCount {
  allowed: number;
  denied: number;
}

export function createDecisionCounts(registry: Registry): (type: string, name: string) => DecisionCount {
  const counts = new Map<string, { readonly type: string; readonly name: string; readonly count: DecisionCount }>();
  new Counter({
    name: 'apiserver_authorization_decisions_total',
    help: 'Decisions that settled a request, by authorizer.',
    labelNames: ['type', 'name', 'decision'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { type, name, count } of counts.values())
        for (const decision of ['allowed', 'denied'] as const) if (count[decision] > 0) this.inc({ type, name, decision }, count[decision]);
    },
  });
  return (type, name) => {
    const key = JSON.stringify([type, name]);
    const known = counts.get(key) ?? { type, name, count: { allowed: 0, denied: 0 } };
    counts.set(key, known);
    return known.count;
  };
}
