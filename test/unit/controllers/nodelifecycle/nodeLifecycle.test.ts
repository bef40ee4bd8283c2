import { expect } from 'chai';
import fc from 'fast-check';
import { timeText } from '../../../../api/time.js';
import { type Lease, leases } from '../../../../api/types/coordination/v1.js';
import { type Node, nodes, type Pod, pods, type Taint } from '../../../../api/types/core/v1.js';
import { executionTaints, taintUrgency } from '../../../../controllers/nodelifecycle/executionTaints.js';
import { judged } from '../../../../controllers/nodelifecycle/heartbeat.js';
import { missingLabels } from '../../../../controllers/nodelifecycle/nodeLabels.js';
import { Turns } from '../../../../controllers/nodelifecycle/turns.js';
import { rateOf, zoneOf, zoneStateOf, type Rates } from '../../../../controllers/nodelifecycle/zones.js';
import { entryOf } from '../../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number): number => start + seconds * 1000;
const grace = { startupMs: 60_000, runningMs: 50_000 };
const node = (name: string, ready?: 'True' | 'False', seconds = 0, more: Partial<Node> = {}): Node => ({
  metadata: { name, creationTimestamp: timeText(start), ...more.metadata },
  spec: more.spec ?? {},
  ...(ready
    ? { status: { conditions: [{ type: 'Ready', status: ready, reason: 'K', message: 'm', lastHeartbeatTime: timeText(at(seconds)) }] } }
    : {}),
});
const lease = (name: string, seconds: number): Lease => ({
  metadata: { name, namespace: 'kube-node-lease' },
  spec: { renewTime: timeText(at(seconds)) },
});
const pod = (name: string, nodeName: string): Pod => ({
  metadata: { name, namespace: 'n' },
  spec: { nodeName },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

describe('signs of life of nodes', () => {
  it('are counted from when they were seen, whatever the clock of the node says', () => {
    const first = judged(node('a', 'True', -500), {}, grace, at(0));
    expect(first.health.seenAt).to.equal(at(0));
    const same = judged(node('a', 'True', -500), { known: first.health }, grace, at(50));
    expect(same).to.include({ ready: 'True', conditions: null });
    const late = judged(node('a', 'True', -500), { known: first.health }, grace, at(51));
    expect(late).to.deep.include({ before: 'True', ready: 'Unknown' });
    expect(late.conditions?.map(({ type, reason, status }) => [type, reason, status])).to.deep.equal([
      ['Ready', 'NodeStatusUnknown', 'Unknown'],
      ['MemoryPressure', 'NodeStatusNeverUpdated', 'Unknown'],
      ['DiskPressure', 'NodeStatusNeverUpdated', 'Unknown'],
      ['PIDPressure', 'NodeStatusNeverUpdated', 'Unknown'],
    ]);
  });

  it('of a node that never spoke are counted from when it was made', () => {
    expect(judged(node('a'), {}, grace, at(60)).conditions).to.equal(null);
    expect(judged(node('a'), {}, grace, at(61)).conditions?.[0]?.message).to.equal('Kubelet never posted node status.');
  });

  it('are leases as well', () => {
    const first = judged(node('a', 'True'), { lease: lease('a', 0) }, grace, at(0));
    const renewed = judged(node('a', 'True'), { lease: lease('a', 40), known: first.health }, grace, at(40));
    expect(judged(node('a', 'True'), { lease: lease('a', 40), known: renewed.health }, grace, at(90)).ready).to.equal('True');
    expect(judged(node('a', 'True'), { lease: lease('a', 40), known: renewed.health }, grace, at(91)).ready).to.equal('Unknown');
  });
});

describe('taints that drive pods away', () => {
  const taint = (name: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect: 'NoExecute' });
  const mine = { key: 'mine', effect: 'NoExecute' };
  const of = (...taints: Taint[]): Node => node('a', undefined, 0, { spec: { taints } });
  it('come in turn, change at once, and go at once', () => {
    expect(taintUrgency(of(mine), 'True')).to.equal('none');
    expect(taintUrgency(of(mine), 'Unknown')).to.equal('in turn');
    expect(taintUrgency(of(taint('unreachable')), 'Unknown')).to.equal('none');
    expect(taintUrgency(of(taint('unreachable')), 'False')).to.equal('now');
    expect(taintUrgency(of(taint('unreachable')), 'True')).to.equal('now');
    expect(executionTaints(of(mine, taint('unreachable')), 'False', start)).to.deep.equal([
      mine,
      { ...taint('not-ready'), timeAdded: timeText(start) },
    ]);
    expect(executionTaints(of(mine, taint('unreachable')), 'True', start)).to.deep.equal([mine]);
  });
});

describe('zones of nodes', () => {
  const rates: Rates = { usual: 0.1, reduced: 0.01, smallMax: 4, unhealthyShare: 0.55 };
  const zone = (ready: number, silent: number): ReturnType<typeof zoneStateOf> =>
    zoneStateOf([...Array<'True'>(ready).fill('True'), ...Array<'Unknown'>(silent).fill('Unknown')], rates);
  it('are disrupted by their share of silent nodes', () => {
    expect([zone(3, 0), zone(1, 2), zone(3, 3), zone(2, 3), zone(0, 1)].map(({ state }) => state)).to.deep.equal([
      'Normal',
      'Normal',
      'Normal',
      'PartialDisruption',
      'FullDisruption',
    ]);
  });
  it('evict as fast as that allows', () => {
    expect(rateOf(zone(3, 0), false, rates)).to.equal(0.1);
    expect(rateOf(zone(2, 3), false, rates)).to.equal(0.01);
    expect(rateOf(zone(1, 3), false, rates)).to.equal(0);
    expect(rateOf(zone(0, 3), false, rates)).to.equal(0.1);
    expect(rateOf(zone(0, 3), true, rates)).to.equal(0);
  });
  it('are known by labels', () => {
    const labelled = (labels: Readonly<Record<string, string>>): string => zoneOf({ metadata: { name: 'a', labels } });
    expect(labelled({})).to.equal('');
    expect(labelled({ 'topology.kubernetes.io/zone': 'z' })).to.not.equal(labelled({ 'topology.kubernetes.io/region': 'z' }));
    expect(labelled({ 'failure-domain.beta.kubernetes.io/zone': 'z' })).to.equal(labelled({ 'topology.kubernetes.io/zone': 'z' }));
  });
});

describe('turns', () => {
  it('never come faster than their rate, nor lose a name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ waitMs: fc.nat(30_000), name: fc.constantFrom('a', 'b', 'c', 'd'), rate: fc.constantFrom(0, 0.1, 1) }), {
          maxLength: 40,
        }),
        async (steps) => {
          const clock = new FakeClock();
          const turns = new Turns(clock, 0.1);
          const expected = new Set<string>();
          let last = -Infinity;
          for (const { waitMs, name, rate } of steps) {
            await clock.advance(waitMs);
            turns.setRate(rate);
            turns.add(name);
            expected.add(name);
            const taken = turns.take();
            if (taken === null) continue;
            expect(rate).to.be.greaterThan(0);
            // A faster rate shortens a wait to at most one interval of the new rate.
            expect(clock.elapsed() - last).to.be.at.least(Math.min(1000 / rate, 1000));
            last = clock.elapsed();
            expect(expected.delete(taken)).to.equal(true);
          }
          expect(turns.size).to.equal(expected.size);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('labels of nodes', () => {
  it('are there under their older names', () => {
    const of = (labels: Readonly<Record<string, string>>): unknown => missingLabels({ metadata: { name: 'a', labels } });
    expect(of({})).to.equal(null);
    expect(of({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' })).to.deep.equal({
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
    });
    expect(of({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' })).to.equal(null);
  });
});

describe('the node life cycle', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const started = (): Promise<void> => world.start(entryOf('node-lifecycle-controller').make);
  const taintsOf = (name: string): string[] =>
    (world.api.peek(nodes, name)?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort();
  const readyOf = (name: string): string | undefined =>
    world.api.peek(nodes, name)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const unreachable = ['node.kubernetes.io/unreachable:NoExecute', 'node.kubernetes.io/unreachable:NoSchedule'];

  it('taints a node that falls silent, and marks its pods', async () => {
    world.api.seed(nodes, node('a', 'True'), node('b', 'True'));
    world.api.seed(leases, lease('b', 0));
    world.api.seed(pods, pod('p', 'a'), pod('q', 'b'));
    await started();
    for (let seconds = 10; seconds <= 70; seconds += 10) {
      await world.advance(10_000);
      world.api.change(leases, 'kube-node-lease/b', () => lease('b', seconds));
    }
    expect(readyOf('a')).to.equal('Unknown');
    expect(readyOf('b')).to.equal('True');
    expect(taintsOf('a')).to.deep.equal(unreachable);
    expect(taintsOf('b')).to.deep.equal([]);
    expect(world.api.peek(pods, 'n/p')?.status?.conditions?.[0]?.status).to.equal('False');
    expect(world.api.peek(pods, 'n/q')?.status?.conditions?.[0]?.status).to.equal('True');
    expect(world.events).to.include('Normal NodeNotReady a: Node a status is now: NodeNotReady');
    expect(world.events).to.include('Warning NodeNotReady n/p: Node is not ready');
    expect(world.errors).to.deep.equal([]);
  });

  it('leaves a node of which nothing is known yet, and its pods, in peace until its time is over', async () => {
    const taints = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }];
    world.api.seed(nodes, node('new', undefined, 0, { spec: { taints } }), node('b', 'True'));
    world.api.seed(leases, lease('b', 0));
    world.api.seed(pods, pod('p', 'new'));
    await started();
    for (let seconds = 10; seconds <= 50; seconds += 10) {
      await world.advance(10_000);
      world.api.change(leases, 'kube-node-lease/b', () => lease('b', seconds));
    }
    expect(taintsOf('new')).to.deep.equal([]);
    expect(world.api.peek(pods, 'n/p')?.status?.conditions?.[0]?.status).to.equal('True');
    for (let seconds = 60; seconds <= 80; seconds += 10) {
      await world.advance(10_000);
      world.api.change(leases, 'kube-node-lease/b', () => lease('b', seconds));
    }
    expect(readyOf('new')).to.equal('Unknown');
    expect(taintsOf('new')).to.deep.equal(unreachable);
  });

  it('leaves the pods of a node that says itself that it is not ready as they are', async () => {
    world.api.seed(nodes, node('a', 'False'), node('b', 'True'));
    world.api.seed(pods, pod('p', 'a'));
    await started();
    await world.advance(20_000);
    expect(taintsOf('a')).to.include('node.kubernetes.io/not-ready:NoExecute');
    expect(world.api.peek(pods, 'n/p')?.status?.conditions?.[0]?.status).to.equal('True');
  });

  it('does not let nodes that are excluded from disruption speak for their zone', async () => {
    const excluded = { metadata: { name: 'a', labels: { 'node.kubernetes.io/exclude-disruption': '' } } };
    world.api.seed(nodes, node('a', 'True', 0, excluded), node('b', 'False'));
    await started();
    await world.advance(10_000);
    expect(taintsOf('b')).to.not.include('node.kubernetes.io/not-ready:NoExecute');
  });

  it('forgives one that speaks again', async () => {
    world.api.seed(nodes, node('a', 'True'), node('b', 'True'));
    await started();
    const beat = (name: string): unknown =>
      world.api.change(nodes, name, () =>
        node(name, 'True', world.clock.elapsed() / 1000, { spec: world.api.peek(nodes, name)?.spec ?? {} }),
      );
    for (let seconds = 10; seconds <= 70; seconds += 10) {
      await world.advance(10_000);
      beat('b');
    }
    expect(taintsOf('a')).to.deep.equal(unreachable);
    beat('a');
    await world.advance(10_000);
    expect(taintsOf('a')).to.deep.equal([]);
  });

  it('drives nobody away while no node answers', async () => {
    world.api.seed(nodes, node('a', 'True'), node('b', 'True'));
    await started();
    await world.advance(300_000);
    for (const name of ['a', 'b']) expect(taintsOf(name)).to.deep.equal(['node.kubernetes.io/unreachable:NoSchedule']);
  });

  it('drives pods off one node after another', async () => {
    world.api.seed(nodes, ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => node(name, 'False')));
    world.api.seed(nodes, ...Array.from({ length: 12 }, (_, index) => node(`ok-${index}`, 'True')));
    await started();
    const driven = (): number =>
      ['a', 'b', 'c', 'd', 'e', 'f'].filter((name) => taintsOf(name).some((text) => text.endsWith('NoExecute'))).length;
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await world.advance(turn === 0 ? 1_000 : 10_000);
      counts.push(driven());
    }
    expect(counts).to.deep.equal([1, 2, 3]);
    expect(world.counts.get('node_collector_evictions_total {"zone":""}')).to.equal(3);
  });

  it('agrees with a small model, whatever nodes do', async function () {
    const names = ['a', 'b', 'c'];
    type Step = { readonly do: 'beat' | 'renew' | 'wait' | 'restart'; readonly name: string; readonly seconds: number };
    const step: fc.Arbitrary<Step> = fc.record({
      do: fc.constantFrom('beat' as const, 'renew' as const, 'wait' as const, 'wait' as const, 'wait' as const, 'restart' as const),
      name: fc.constantFrom(...names),
      seconds: fc.integer({ min: 5, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        let own = controllerWorld();
        own.api.seed(nodes, ...names.map((name) => node(name, 'True')), node('well', 'True'));
        own.api.seed(pods, ...names.map((name) => pod(name, name)));
        await own.start(entryOf('node-lifecycle-controller').make);
        const lastSeen = new Map(names.map((name) => [name, 0]));
        let serial = 1;
        for (const { do: what, name, seconds } of steps) {
          if (what === 'wait') {
            for (let waited = 0; waited < seconds; waited += 5) {
              own.api.change(nodes, 'well', (before) => ({
                ...before,
                status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: timeText(at(++serial)) }] },
              }));
              await own.advance(5_000);
            }
          } else if (what === 'restart') {
            expect(own.errors).to.deep.equal([]);
            await own.stop();
            own = controllerWorld({ beside: own });
            await own.start(entryOf('node-lifecycle-controller').make);
            // A new manager gives all nodes the full time.
            for (const each of names) lastSeen.set(each, own.clock.elapsed());
          } else {
            if (what === 'beat')
              own.api.change(nodes, name, (before) => ({
                ...before,
                status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: timeText(at(++serial)) }] },
              }));
            else own.api.seed(leases, lease(name, ++serial));
            await own.settled();
            lastSeen.set(name, own.clock.elapsed());
          }
        }
        await own.advance(5_000);
        for (const name of names) {
          const silent = own.clock.elapsed() - (lastSeen.get(name) ?? 0);
          const ready = own.api.peek(nodes, name)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
          // For two syncs after the grace period both are right; a lease alone does not make an unknown node ready.
          if (silent > 62_000) expect(ready, name).to.equal('Unknown');
          if (ready === 'Unknown')
            expect(own.api.peek(pods, `n/${name}`)?.status?.conditions?.[0]?.status, `the pod of ${name}`).to.equal('False');
          if (ready === 'Unknown')
            expect(own.api.peek(nodes, name)?.spec?.taints?.some(({ effect }) => effect === 'NoSchedule')).to.equal(true);
          if (silent < 45_000 && own.api.peek(nodes, name)?.status?.conditions?.length === 1)
            expect(own.api.peek(nodes, name)?.spec?.taints ?? [], name).to.deep.equal([]);
        }
        expect(own.errors).to.deep.equal([]);
        await own.stop();
      }),
      { numRuns: 25 },
    );
  });
});
