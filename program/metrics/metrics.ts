import { Counter, Gauge, type Registry } from 'prom-client';
import { ChosenMetrics, type MetricChoice } from './chosenMetrics.js';
import { ReadHistogram, type Durations } from './durations.js';
import { HealthIndicators } from './healthIndicators.js';
import { collectProcessMetrics } from './loopLag.js';

export interface ProcessMetrics {
  readonly registry: Registry;
  readonly indicators: HealthIndicators;
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The keys of `read` are the label's values; a missing key removes its series. */
  gauges(name: string, help: string, by: { readonly label: string }, read: () => Promise<ReadonlyMap<string, number>>): void;
  counter(name: string, help: string, read: () => Promise<number>): void;
  histogram(name: string, help: string, read: () => Promise<Durations>): void;
}

/** `ofProcess` includes the process's metrics, which only one thread has. */
export function createProcessMetrics(choice: MetricChoice, ofProcess: boolean): ProcessMetrics {
  const registry = new ChosenMetrics(choice);
  const registers = [registry];
  if (ofProcess) collectProcessMetrics(registry);
  return {
    registry,
    indicators: new HealthIndicators(),
    gauge: (name, help, read) => {
      new Gauge({ name, help, registers, collect: setToRead(read) });
    },
    gauges: (name, help, { label }, read) => {
      new Gauge({ name, help, labelNames: [label], registers, collect: setToReadBy(label, read) });
    },
    counter: (name, help, read) => {
      new Counter({ name, help, registers, collect: countToRead(read) });
    },
    histogram: (name, help, read) => {
      new ReadHistogram({ name, help, registers }, read);
    },
  };
}

function setToRead(read: () => number | Promise<number>) {
  return async function (this: Gauge): Promise<void> {
    const value = await Promise.resolve()
      .then(read)
      .catch(() => null);
    if (value !== null) this.set(value);
  };
}

function setToReadBy(label: string, read: () => Promise<ReadonlyMap<string, number>>) {
  return async function (this: Gauge): Promise<void> {
    const values = await read().catch(() => null);
    if (values === null) return;
    this.reset();
    for (const [key, value] of values) this.set({ [label]: key }, value);
  };
}

function countToRead(read: () => Promise<number>) {
  return async function (this: Counter): Promise<void> {
    const value = await read().catch(() => null);
    if (value === null) return;
    this.reset();
    this.inc(value);
  };
}
