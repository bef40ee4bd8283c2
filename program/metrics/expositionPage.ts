import type { Registry } from 'prom-client';

/** A page of metrics of the process: `/metrics` or `/metrics/slis`. */
export interface ExpositionPage {
  readonly contentType: string;
  metrics(): Promise<string>;
  reset(): Promise<void> | void;
}

export const pageOf = (registry: Registry): ExpositionPage => ({
  contentType: registry.contentType,
  metrics: () => registry.metrics(),
  reset: () => resetSeries(registry),
});

interface Resettable {
  readonly labelNames: readonly string[];
  reset(): void;
}

/** Keeps metrics without labels, as the reference does (`KubeRegistry.Reset`). */
export function resetSeries(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray() as unknown as readonly Resettable[]) if (metric.labelNames.length > 0) metric.reset();
}
