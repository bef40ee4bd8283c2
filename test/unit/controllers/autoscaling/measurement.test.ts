import { expect } from 'chai';
import type { Pod } from '../../../../api/types/core/v1.js';
import {
  grouped,
  milli,
  replicasByPods,
  replicasByValue,
  requestsOf,
  type PodMetric,
  type PodsQuestion,
} from '../../../../controllers/autoscaling/measurement.js';
import { quantityText, selectorTerms } from '../../../../controllers/autoscaling/proposal.js';

const now = Date.UTC(2026, 0, 1, 1);
interface PodFacts {
  readonly ready?: string;
  readonly phase?: string;
  readonly requests?: string;
  readonly startedAt?: string;
  readonly changedAt?: string;
}
const start = '2026-01-01T00:00:00Z';
const pod = (
  name: string,
  { ready = 'True', phase = 'Running', requests = '100m', startedAt = start, changedAt = startedAt }: PodFacts = {},
): Pod => ({
  metadata: { name, namespace: 'n' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: requests } } }] },
  status: { phase, startTime: startedAt, conditions: [{ type: 'Ready', status: ready, lastTransitionTime: changedAt }] },
});
const metric = (value: number): PodMetric => ({ value, at: now, windowMs: 30_000 });
const periods = { cpuInitializationMs: 300_000, readinessDelayMs: 30_000 };
const tolerances = { up: 0.1, down: 0.1 };
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);

describe('what pods use', () => {
  const ask = (
    used: readonly (number | null)[],
    percent: number,
    more: Partial<PodsQuestion> = {},
    pods = names(used.length).map((name) => pod(name)),
  ): number =>
    replicasByPods({
      pods,
      metrics: new Map(used.flatMap((value, index) => (value === null ? [] : [[`p${index}`, metric(value)] as const]))),
      resource: 'cpu',
      current: used.length,
      periods,
      tolerances,
      now,
      target: { percent, requests: requestsOf(pods, 'cpu', null) },
      ...more,
    }).replicas;

  it('asks for as many as bring it to the target', () => {
    expect(ask([100, 100, 100], 50)).to.equal(6);
    expect(ask([30, 50, 40], 80)).to.equal(2);
    expect(ask([50, 50], 50)).to.equal(2);
  });
  it('changes nothing within the tolerance', () => {
    expect(ask([54, 54], 50)).to.equal(2);
    expect(ask([60, 60], 50)).to.equal(3);
    expect(ask([60, 60], 50, { tolerances: { up: 0.3, down: 0 } })).to.equal(2);
    expect(ask([49, 49], 50, { tolerances: { up: 0.3, down: 0 } })).to.equal(2);
    expect(ask([40, 40, 40, 40, 40], 50, { tolerances: { up: 0.1, down: 0.3 } })).to.equal(5);
  });
  it('takes pods that nothing is known of for what changes least', () => {
    // They count as idle when scaling up: two of four use 100, the others 0.
    expect(ask([100, 100, null, null], 50)).to.equal(4);
    expect(ask([200, 200, null, null], 50)).to.equal(8);
    // They count as busy when scaling down.
    expect(ask([10, 10, null, null], 50)).to.equal(4);
    expect(ask([10, 10, 10, null], 90)).to.equal(2);
  });
  it('does not count pods that start, but gives them room', () => {
    const starting = [pod('p0'), pod('p1', { ready: 'False', startedAt: '2026-01-01T00:59:50Z' })];
    expect(ask([100, 500], 50, {}, starting)).to.equal(2);
    expect(ask([40, 500], 50, {}, starting)).to.equal(1);
  });
  it('knows which pods count', () => {
    const pods = [
      pod('ready'),
      pod('pending', { phase: 'Pending' }),
      pod('failed', { phase: 'Failed' }),
      { ...pod('going'), metadata: { name: 'going', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      pod('unknown'),
      pod('never ready', { ready: 'False', changedAt: '2026-01-01T00:00:05Z' }),
      pod('ready once', { ready: 'False', changedAt: '2026-01-01T00:10:00Z' }),
      pod('young', { startedAt: '2026-01-01T00:59:00Z', changedAt: '2026-01-01T00:59:50Z' }),
    ];
    const metrics = new Map(pods.flatMap(({ metadata: { name = '' } }) => (name === 'unknown' ? [] : [[name, metric(1)] as const])));
    expect(grouped({ pods, metrics, resource: 'cpu', periods, now })).to.deep.equal({
      ready: 2,
      unready: ['pending', 'never ready', 'young'],
      missing: ['unknown'],
      ignored: ['failed', 'going'],
    });
    expect(grouped({ pods, metrics, resource: 'memory', periods, now }).unready).to.deep.equal(['pending']);
  });
  it('is not known without requests, metrics or pods', () => {
    expect(() => requestsOf([{ ...pod('a'), spec: { containers: [{ name: 'c' }] } }], 'cpu', null)).to.throw(
      'missing request for cpu in container c of Pod a',
    );
    expect(() => requestsOf([pod('a')], 'cpu', 'other')).to.throw('container other not present in pod a');
    expect(() => ask([], 50)).to.throw('no pods returned by selector');
    expect(() => ask([null], 50)).to.throw('did not receive metrics');
  });
  it('may be an average', () => {
    expect(ask([30, 50], 0, { target: { milli: 20 }, resource: '' })).to.equal(4);
  });
});

describe('what belongs to all pods', () => {
  const pods = names(4).map((name) => pod(name));
  const ask = (value: number, target: { total: number } | { average: number }, current = 4): number =>
    replicasByValue({ value, target, current, statusReplicas: current, pods, tolerances }).replicas;
  it('is shared', () => {
    expect(ask(20_000, { total: 10_000 })).to.equal(8);
    expect(ask(10_900, { total: 10_000 })).to.equal(4);
    expect(ask(20_000, { average: 4_000 })).to.equal(5);
    expect(ask(15_000, { average: 4_000 })).to.equal(4);
    expect(ask(25_000, { total: 10_000 }, 0)).to.equal(3);
    expect(ask(25_000, { average: 10_000 }, 0)).to.equal(3);
  });
});

describe('words of autoscaling', () => {
  it('are amounts', () => {
    expect(['1', '250m', '1Ki', 'x'].map(milli)).to.deep.equal([1_000, 250, 1_024_000, 0]);
    expect([1_000, 250, 0].map(quantityText)).to.deep.equal(['1', '250m', '0']);
  });
  it('are selectors of scales', () => {
    const of = (text: string, labels: Readonly<Record<string, string>>): boolean | undefined => selectorTerms(text)?.(labels);
    expect(of('a=b,c in (d,e),!f,g', { a: 'b', c: 'e', g: '' })).to.equal(true);
    expect(of('a=b,c in (d,e)', { a: 'b', c: 'f' })).to.equal(false);
    expect(of('a!=b', {})).to.equal(true);
    expect(of('c notin (d)', { c: 'd' })).to.equal(false);
    expect(of('f', {})).to.equal(false);
    expect(selectorTerms('a b c')).to.equal(null);
  });
});
