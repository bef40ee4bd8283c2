import { expect } from 'chai';
import { Registry } from 'prom-client';
import { collectProcessMetrics } from '../../../../program/metrics/loopLag.js';

/** A histogram that records calls. */
class Delays {
  steps: string[] = [];
  count = 0;
  min = 1e7;
  max = 5e7;
  mean = 2e7;
  stddev = 1e6;
  percentile(percent: number): number {
    return percent * 1e6;
  }
  reset(): void {
    this.steps.push('reset');
    this.count = 0;
  }
  enable(): void {
    this.steps.push('enable');
  }
  disable(): void {
    this.steps.push('disable');
  }
}

describe('observability/loopLag', () => {
  const lags = async (registry: Registry): Promise<Record<string, number>> =>
    Object.fromEntries(
      [...(await registry.metrics()).matchAll(/^nodejs_eventloop_lag_(\w+)_seconds (\S+)$/gm)].map(([, name, value]) => [
        name!,
        Number(value),
      ]),
    );

  it('looks at the loop from the first question on, and tells each time what it has seen since the last', async () => {
    const registry = new Registry();
    const delays = new Delays();
    collectProcessMetrics(registry, delays);
    expect(delays.steps).to.deep.equal([]);
    await registry.metrics();
    expect(delays.steps).to.deep.equal(['enable', 'reset']);
    delays.count = 3;
    expect(await lags(registry)).to.deep.equal({ min: 0.01, max: 0.05, mean: 0.02, stddev: 0.001, p50: 0.05, p90: 0.09, p99: 0.099 });
    expect(delays.steps).to.deep.equal(['enable', 'reset', 'reset']);
  });

  it('keeps the other metrics about the process', async () => {
    const registry = new Registry();
    collectProcessMetrics(registry, new Delays());
    const text = await registry.metrics();
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_gc_duration_seconds',
    ])
      expect(text).to.match(new RegExp(`^# TYPE ${name} `, 'm'));
  });
});
