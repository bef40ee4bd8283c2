import { expect } from 'chai';
import { type Node, nodes, type Pod, pods } from '../../../../api/types/core/v1.js';
import { failedStatus, removals, type Observed } from '../../../../controllers/podgc/plan.js';
import { entryOf } from '../../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly deleted?: boolean;
  readonly created?: string;
}
const pod = (name: string, { node, phase = 'Running', reason, deleted, created = '2026-01-01T00:00:00Z' }: Facts = {}): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    uid: `uid of ${name}`,
    generation: 3,
    creationTimestamp: created,
    ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } : {}),
  },
  spec: { ...(node ? { nodeName: node } : {}) },
  status: { phase, ...(reason ? { reason } : {}) },
});
const node = (name: string, ready = 'True', ...taints: string[]): Node => ({
  metadata: { name },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const outOfService = 'node.kubernetes.io/out-of-service';

describe('controllers/podgc/plan', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  const names = (observed: Partial<Observed>): readonly string[] =>
    removals({ pods: [], nodes: [], goneNodes: new Set(), endedMax: 0, ...observed }, now).map(
      ({ pod: { metadata }, condition }) => `${metadata.name ?? ''}${condition ? ` ${condition.reason ?? ''}` : ''}`,
    );
  const ended = [
    pod('new', { phase: 'Succeeded', created: '2026-01-03T00:00:00Z' }),
    pod('old', { phase: 'Failed' }),
    pod('mid', { phase: 'Failed', created: '2026-01-02T00:00:00Z' }),
    pod('evicted', { phase: 'Failed', reason: 'Evicted', created: '2026-01-04T00:00:00Z' }),
    pod('runs'),
  ];

  const cases: readonly (readonly [string, Partial<Observed>, readonly string[]])[] = [
    ['nothing', { pods: ended }, []],
    ['ended ones beyond the limit, evicted ones first, then by age', { pods: ended, endedMax: 2 }, ['evicted', 'old']],
    ['none below the limit', { pods: ended, endedMax: 4 }, []],
    ['all are kept without a limit', { pods: ended, endedMax: -1 }, []],
    [
      'of nodes that are gone',
      { pods: [pod('a', { node: 'x' }), pod('b', { node: 'y' }), pod('c')], goneNodes: new Set(['x']) },
      ['a DeletionByPodGC'],
    ],
    [
      'terminating ones that were never given to a node',
      { pods: [pod('a', { deleted: true, phase: 'Pending' }), pod('b', { deleted: true, node: 'x' }), pod('c', { phase: 'Pending' })] },
      ['a'],
    ],
    [
      'terminating ones on a node that is out of service and not ready',
      { pods: [pod('a', { deleted: true, node: 'x' }), pod('b', { node: 'x' })], nodes: [node('x', 'False', outOfService)] },
      ['a'],
    ],
    ['not while the node is ready', { pods: [pod('a', { deleted: true, node: 'x' })], nodes: [node('x', 'True', outOfService)] }, []],
    ['not for another taint', { pods: [pod('a', { deleted: true, node: 'x' })], nodes: [node('x', 'Unknown', 'other')] }, []],
    ['each once', { pods: [pod('a', { phase: 'Failed', node: 'x' })], goneNodes: new Set(['x']), endedMax: 0 }, ['a DeletionByPodGC']],
  ];
  for (const [about, observed, wanted] of cases) it(about, () => expect(names(observed)).to.deep.equal(wanted));

  it('marks what runs as failed, and leaves what has ended', () => {
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'r' };
    expect(failedStatus({ pod: pod('a'), reason: 'terminated', condition })).to.deep.equal({
      phase: 'Failed',
      conditions: [{ ...condition, observedGeneration: 3 }],
    });
    expect(failedStatus({ pod: pod('a'), reason: 'terminated', condition: null })).to.deep.equal({ phase: 'Failed' });
    expect(failedStatus({ pod: pod('a', { phase: 'Succeeded' }), reason: 'terminated', condition })).to.equal(null);
  });
});

describe('controllers/podgc/podCollector', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld({ flags: ['--terminated-pod-gc-threshold=1'] });
  });
  afterEach(() => world.stop());
  const start = () => world.start(entryOf('pod-garbage-collector-controller').make);
  const options = { gracePeriodSeconds: 0, preconditions: { uid: 'uid of a' } };

  it('waits forty seconds for a node to come back, then marks its pods and deletes them', async () => {
    world.api.seed(pods, pod('a', { node: 'x' }));
    await start();
    await world.advance(39_999);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(1);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: '2026-01-01T00:00:40Z',
      observedGeneration: 3,
    };
    expect(await world.writes()).to.deep.equal([
      {
        verb: 'patch',
        type: 'pods',
        key: 'n/a',
        subresource: 'status',
        patchType: 'application/strategic-merge-patch+json',
        body: { metadata: { uid: 'uid of a' }, status: { phase: 'Failed', conditions: [condition] } },
      },
      { verb: 'delete', type: 'pods', key: 'n/a', options },
    ]);
  });

  it('counts anew when the node was back in between', async () => {
    world.api.seed(pods, pod('a', { node: 'x' }));
    await start();
    await world.advance(10_000);
    world.api.seed(nodes, node('x'));
    await world.advance(15_000);
    world.api.evaporate(nodes, 'x');
    await world.advance(54_000);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(2_000);
    expect((await world.writes()).map(({ verb }) => verb)).to.deep.equal(['patch', 'delete']);
  });

  it('believes the server, not the cache, and leaves pods alone when it gets no answer', async () => {
    world.api.seed(pods, pod('a', { node: 'x' }));
    world.api.before = ({ verb, type }) => {
      if (verb === 'get' && type === 'nodes') throw new Error('no answer');
    };
    await start();
    await world.advance(60_000);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.errors).to.deep.equal(['gc: cannot ask for the node x: no answer', 'gc: cannot ask for the node x: no answer']);
  });

  it('deletes an ended pod without touching its status', async () => {
    world.api.seed(pods, pod('a', { phase: 'Succeeded', node: 'x' }), pod('b', { phase: 'Succeeded', created: '2026-01-02T00:00:00Z' }));
    world.api.seed(nodes, node('x'));
    await start();
    expect(await world.writes()).to.deep.equal([{ verb: 'delete', type: 'pods', key: 'n/a', options }]);
  });
});
