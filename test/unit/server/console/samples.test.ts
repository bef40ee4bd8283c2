import { expect } from 'chai';
import { Gauge, Registry } from 'prom-client';
import type { Replica, ReplicaStatus } from '../../../../raft/replicaApi.js';
import { Samples, samplesWindowMs } from '../../../../server/console/samples.js';
import { createMetrics, type ObservedRequest } from '../../../../server/http/metrics.js';

describe('console/samples', () => {
  const status = {
    memberId: 'r1',
    role: 'leader',
    term: 3,
    commitIndex: 100,
    appliedIndex: 98,
    figures: { snapshotsInstalled: 1 },
    members: [
      { id: 'r1', progress: null },
      { id: 'r2', progress: { match: 95, state: 'replicate', active: true, snapshot: null } },
    ],
  } as unknown as ReplicaStatus;
  const replica = { status: () => Promise.resolve(status) } as Pick<Replica, 'status'>;
  const open: Samples[] = [];
  const samplesOf = (options: ConstructorParameters<typeof Samples>[0]): Samples => {
    const samples = new Samples(options);
    open.push(samples);
    return samples;
  };
  afterEach(() => {
    for (const samples of open.splice(0)) samples.stop();
  });

  it('takes nothing before somebody asks, and ends when nobody has asked for as long as charts go back', async () => {
    let now = 1_000_000;
    let taken = 0;
    const registry = new Registry();
    new Gauge({ name: 'raftplane_raft_log_bytes', help: 'x', registers: [registry], collect: () => void taken++ });
    const samples = samplesOf({ registry, replica, now: () => now });
    expect([samples.running, taken]).to.deep.equal([false, 0]);
    expect(await samples.after(0)).to.have.length(1);
    expect([samples.running, taken]).to.deep.equal([true, 1]);
    now += samplesWindowMs;
    await samples.turn();
    expect([samples.running, taken], 'still remembered').to.deep.equal([true, 2]);
    now += 1;
    await samples.turn();
    expect([samples.running, taken], 'nobody came back').to.deep.equal([false, 2]);
    expect(
      (await samples.after(0)).map(({ at }) => at),
      'begins anew',
    ).to.deep.equal([now]);
  });

  it('keeps what charts show and no more, and gives each asker what he has not', async () => {
    let now = 0;
    const samples = samplesOf({ registry: new Registry(), replica: null, now: () => now });
    await samples.after(0);
    for (let turn = 1; turn <= 1_000; turn++) {
      now = turn * 2_000;
      if (turn % 100 === 0) await samples.after(now);
      await samples.turn();
    }
    const kept = await samples.after(0);
    expect([kept.length, kept.at(-1)?.at]).to.deep.equal([samplesWindowMs / 2_000, now]);
    expect((await samples.after(now - 4_000)).map(({ at }) => at)).to.deep.equal([now - 2_000, now]);
  });

  it('names the members of an etcd where objects are kept there', async () => {
    const metrics = createMetrics();
    metrics.gauges('apiserver_storage_size_bytes', 'x', { label: 'storage_cluster_id' }, () =>
      Promise.resolve(new Map([['etcd-0', 20_480]])),
    );
    const [sample] = await samplesOf({ registry: metrics.registry, replica: null }).after(0);
    expect(sample).to.deep.include({ raft: null, stores: [{ name: 'etcd-0', bytes: 20_480 }] });
  });

  it('reads what charts need from the metrics and the replica', async () => {
    const metrics = createMetrics();
    const info = { isResource: true, verb: 'list', group: '', version: 'v1', resource: 'pods', subresource: '', namespace: '', name: '' };
    const observe = (verb: string, seconds: number, long: boolean): void =>
      metrics.requests.observe({
        info: { ...info, verb } as unknown as ObservedRequest['info'],
        method: 'GET',
        code: 200,
        seconds,
        longRunning: long,
        answerBytes: null,
        bodyBytes: null,
        terminated: false,
      });
    observe('list', 0.01, false);
    observe('list', 0.3, false);
    observe('watch', 50, true);
    metrics.gauge('raftplane_raft_log_bytes', 'x', () => 4_096);
    const [sample] = await samplesOf({ registry: metrics.registry, replica }).after(0);
    expect(sample).to.deep.include({
      requests: 3,
      logBytes: 4_096,
      raft: { role: 'leader', term: 3, commitIndex: 100, appliedIndex: 98, snapshotsInstalled: 1, behind: { r1: 2, r2: 5 } },
    });
    const counts = new Map(sample!.latency);
    expect([counts.get(0.005), counts.get(0.025), counts.get(0.4), counts.get(null)]).to.deep.equal([0, 1, 2, 2]);
  });
});
