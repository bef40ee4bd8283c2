import { expect } from 'chai';
import type { ContainerStatus, Pod } from '../../../../api/types/core/v1.js';
import { nextAvailabilityMs, planReplicas, statusOf, type Failure, type Wanted } from '../../../../controllers/replicaset/plan.js';
import { podsToDelete } from '../../../../controllers/workloads/deletionOrder.js';

const now = Date.parse('2026-01-01T01:00:00Z');
interface Facts {
  readonly phase?: string;
  readonly ready?: string | false;
  readonly node?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly created?: string;
  readonly labels?: Record<string, string>;
}
const pod = (
  name: string,
  {
    phase = 'Running',
    ready = '2026-01-01T00:30:00Z',
    node = 'x',
    cost,
    restarts = 0,
    created = '2026-01-01T00:00:00Z',
    labels = { app: 'a' },
  }: Facts = {},
): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    uid: name,
    creationTimestamp: created,
    labels,
    ...(cost ? { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } } : {}),
  },
  spec: { ...(node ? { nodeName: node } : {}) },
  status: {
    phase,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', ...(ready ? { lastTransitionTime: ready } : {}) }],
    containerStatuses: [{ name: 'c', restartCount: restarts } as ContainerStatus],
  },
});
const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name ?? '');

describe('controllers/replicaset/plan', () => {
  const three = [pod('a'), pod('b'), pod('c')];
  const plans: readonly (readonly [number, number, string])[] = [
    [3, 3, 'nothing'],
    [5, 3, 'create 2'],
    [3, 0, 'create 3'],
    [1200, 3, 'create 500'],
    [1, 3, 'delete 2'],
    [0, 3, 'delete 3'],
    [0, 0, 'nothing'],
  ];
  for (const [replicas, have, wanted] of plans) {
    it(`${replicas} wanted, ${have} there: ${wanted}`, () => {
      const plan = planReplicas(replicas, three.slice(0, have), { related: three, now });
      expect(plan.do === 'nothing' ? 'nothing' : plan.do === 'create' ? `create ${plan.count}` : `delete ${plan.pods.length}`).to.equal(
        wanted,
      );
    });
  }

  /** The first of each pair is deleted before the second, for this reason. */
  const pairs: readonly (readonly [string, Pod, Pod])[] = [
    ['not assigned to a node', pod('z', { node: '' }), pod('a')],
    ['pending', pod('z', { phase: 'Pending' }), pod('a')],
    ['pending before unknown', pod('z', { phase: 'Pending' }), pod('a', { phase: 'Unknown' })],
    ['unknown', pod('z', { phase: 'Unknown' }), pod('a')],
    ['not ready', pod('z', { ready: false }), pod('a')],
    ['cheaper', pod('z', { cost: '-5' }), pod('a')],
    ['cheaper, by number', pod('z', { cost: '9' }), pod('a', { cost: '10' })],
    ['ready for a shorter time', pod('z', { ready: '2026-01-01T00:59:00Z' }), pod('a')],
    ['restarted more often', pod('z', { restarts: 3 }), pod('a', { restarts: 1 })],
    ['younger', pod('z', { created: '2026-01-01T00:59:00Z' }), pod('a')],
  ];
  for (const [about, first, second] of pairs) {
    it(`lets go first: ${about}`, () => {
      expect(names(podsToDelete([second, first], 1, { now }))).to.deep.equal(['z']);
      expect(names(podsToDelete([first, second], 1, { now }))).to.deep.equal(['z']);
    });
  }
  it('looks at no costs where they are not known', () => {
    const pods = [pod('z', { cost: '-5' }), pod('a', { restarts: 1 })];
    for (const [knowsCosts, first] of [
      [true, 'z'],
      [false, 'a'],
    ] as const) {
      const plan = planReplicas(1, pods, { related: pods, now, knowsCosts });
      expect(plan.do === 'delete' && names(plan.pods)).to.deep.equal([first]);
    }
  });
  it('a cost that is no number counts as none', () =>
    expect(names(podsToDelete([pod('a', { cost: '+5' }), pod('z', { cost: '-1' })], 1, { now }))).to.deep.equal(['z']));
  it('lets go first where most do the same work', () => {
    const [a, z] = [pod('a', { node: 'x' }), pod('z', { node: 'y' })];
    expect(names(podsToDelete([a, z], 1, { related: [a, z, pod('other', { node: 'y' })], now }))).to.deep.equal(['z']);
    expect(
      names(podsToDelete([a, z], 1, { related: [a, z, pod('ended', { node: 'y', phase: 'Failed' }), pod('other', { node: 'x' })], now })),
    ).to.deep.equal(['a']);
  });

  const wanted: Wanted = { replicas: 3, minReadySeconds: 60, template: { metadata: { labels: { app: 'a', tier: 't' } } }, generation: 7 };
  const failure: Failure = { reason: 'FailedCreate', message: 'no room' };
  it('counts pods that are labelled, ready and available', () => {
    const active = [pod('a', { labels: { app: 'a', tier: 't' } }), pod('b', { ready: '2026-01-01T00:59:30Z' }), pod('c', { ready: false })];
    expect(statusOf({ wanted, before: undefined, active, terminating: 2, failure: null, now })).to.deep.equal({
      replicas: 3,
      fullyLabeledReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 2,
      observedGeneration: 7,
      conditions: [],
    });
    expect(nextAvailabilityMs(active, 60, now)).to.equal(30_000);
    expect(nextAvailabilityMs(active, 0, now)).to.equal(null);
  });
  it('tells of a failure once, and stops when it is over', () => {
    const first = statusOf({ wanted, before: undefined, active: [], terminating: null, failure, now });
    expect(first.conditions).to.deep.equal([
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no room', lastTransitionTime: '2026-01-01T01:00:00Z' },
    ]);
    expect(
      statusOf({ wanted, before: first, active: [], terminating: null, failure: { ...failure, message: 'still' }, now: now + 1000 })
        .conditions,
    ).to.deep.equal(first.conditions);
    expect(statusOf({ wanted, before: first, active: [], terminating: null, failure: null, now }).conditions).to.deep.equal([]);
  });
});
