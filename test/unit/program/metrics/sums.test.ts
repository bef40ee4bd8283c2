import { expect } from 'chai';
import { Counter, Gauge, Registry } from 'prom-client';
import { DurationHistogram } from '../../../../program/metrics/durations.js';
import { HealthIndicators } from '../../../../program/metrics/healthIndicators.js';
import { summed, textOf, type Exported } from '../../../../program/metrics/sums.js';

/** The metrics of one thread: requests, durations, open connections, and shared values. */
async function reading(
  requests: Readonly<Record<string, number>>,
  seconds: readonly number[],
  open: number,
  first: boolean,
): Promise<Exported[]> {
  const registers = [new Registry()];
  const total = new Counter({ name: 'apiserver_request_total', help: 'h', labelNames: ['verb'], registers });
  for (const [verb, count] of Object.entries(requests)) total.inc({ verb }, count);
  const histogram = new DurationHistogram({ name: 'seconds', help: 'h', labelNames: ['verb'], buckets: [1, 5], registers });
  for (const each of seconds) histogram.of({ verb: 'GET' }).observe(each);
  new Gauge({ name: 'apiserver_longrunning_requests', help: 'h', registers }).set(open);
  new Gauge({ name: 'kubernetes_build_info', help: 'h', registers }).set(1);
  new Counter({ name: 'apiserver_encryption_config_controller_automatic_reloads_total', help: 'h', registers }).inc(2);
  if (first) new Gauge({ name: 'process_resident_memory_bytes', help: 'h', registers }).set(77);
  return (await registers[0]!.getMetricsAsJSON()) as unknown as Exported[];
}

describe('observability/sums', () => {
  it('adds up what threads count each, and shows once what they have in common', async () => {
    const text = await textOf(
      summed([await reading({ GET: 3, POST: 1 }, [0.5, 2], 2, true), await reading({ GET: 4, PUT: 5 }, [0.1, 9], 3, false)]),
    );
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.sort()).to.deep.equal(
      [
        'apiserver_request_total{verb="GET"} 7',
        'apiserver_request_total{verb="POST"} 1',
        'apiserver_request_total{verb="PUT"} 5',
        'seconds_bucket{le="1",verb="GET"} 2',
        'seconds_bucket{le="5",verb="GET"} 3',
        'seconds_bucket{le="+Inf",verb="GET"} 4',
        'seconds_sum{verb="GET"} 11.6',
        'seconds_count{verb="GET"} 4',
        'apiserver_longrunning_requests 5',
        'kubernetes_build_info 1',
        'apiserver_encryption_config_controller_automatic_reloads_total 2',
        'process_resident_memory_bytes 77',
      ].sort(),
    );
  });

  it('shows a health check as failed while it fails on any thread, whichever of them looked', async () => {
    const looked = async (checks: Readonly<Record<string, boolean>>): Promise<Exported[]> => {
      const indicators = new HealthIndicators();
      for (const [name, passed] of Object.entries(checks)) indicators.observe('readyz', name, passed);
      return (await indicators.registry.getMetricsAsJSON()) as unknown as Exported[];
    };
    const text = await textOf(summed([await looked({ etcd: true }), await looked({ etcd: false, ping: true }), await looked({})]));
    expect(text.split('\n').filter((line) => line.startsWith('kubernetes_'))).to.have.members([
      'kubernetes_healthcheck{name="etcd",type="readyz"} 0',
      'kubernetes_healthcheck{name="ping",type="readyz"} 1',
      'kubernetes_healthchecks_total{name="etcd",type="readyz",status="success"} 1',
      'kubernetes_healthchecks_total{name="etcd",type="readyz",status="error"} 1',
      'kubernetes_healthchecks_total{name="ping",type="readyz",status="success"} 1',
    ]);
  });
});
