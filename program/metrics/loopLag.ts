import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, collectDefaultMetrics, type Registry } from 'prom-client';

const readings = {
  min: { of: 'The minimum', read: ({ min }: Delays) => min },
  max: { of: 'The maximum', read: ({ max }: Delays) => max },
  mean: { of: 'The mean', read: ({ mean }: Delays) => mean },
  stddev: { of: 'The standard deviation', read: ({ stddev }: Delays) => stddev },
  p50: { of: 'The 50th percentile', read: (delays: Delays) => delays.percentile(50) },
  p90: { of: 'The 90th percentile', read: (delays: Delays) => delays.percentile(90) },
  p99: { of: 'The 99th percentile', read: (delays: Delays) => delays.percentile(99) },
} as const;

interface Delays {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  percentile(percent: number): number;
  reset(): void;
  enable(): unknown;
  disable(): unknown;
}

const resolutionMs = 10;
/** Measurement stops then. Scrapers read every minute at the latest. */
const idleMs = 150_000;
const never = 2 ** 31 - 1;
const nanoseconds = 1e9;

/**
 * Measures event loop delays only while they are read: a hundred samples a second are more than half of a standby manager's cost. The first reading after a
 * pause is empty.
 */
export function collectProcessMetrics(registry: Registry, delays: Delays = monitorEventLoopDelay({ resolution: resolutionMs })): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: never });
  let idleTimer: NodeJS.Timeout | null = null;
  const measure = (): void => {
    if (idleTimer === null) {
      delays.enable();
      idleTimer = setTimeout(() => {
        idleTimer = null;
        delays.disable();
        delays.reset();
      }, idleMs).unref();
    } else idleTimer.refresh();
  };
  for (const [name, { of, read }] of Object.entries(readings)) {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    registry.removeSingleMetric(metric);
    new Gauge({
      name: metric,
      help: `${of} of the recorded delays of the event loop.`,
      registers: [registry],
      collect() {
        if (name === 'min') measure();
        if (delays.count > 0) this.set(read(delays) / nanoseconds);
        else this.reset();
        if (name === 'p99') delays.reset();
      },
    });
  }
}
