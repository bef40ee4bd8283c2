import { expect } from 'chai';
import fc from 'fast-check';
import { nodes, type Pod, pods, type Taint, type Toleration } from '../../../../api/types/core/v1.js';
import { taintEvictionController } from '../../../../controllers/tainteviction/taintEviction.js';
import { toleratedMs } from '../../../../controllers/tainteviction/tolerance.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const taint = (key: string): Taint => ({ key, effect: 'NoExecute' });
const bears = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});
const pod = (name: string, tolerations: readonly Toleration[] = [], nodeName = 'a'): Pod => ({
  metadata: { name, namespace: 'n', finalizers: ['hold'] },
  spec: { nodeName, tolerations },
});

describe('how long pods bear taints', () => {
  const cases: readonly (readonly [string, readonly Taint[], readonly Toleration[], number | null])[] = [
    ['none', [], [], null],
    ['not at all', [taint('a')], [], 0],
    ['for ever', [taint('a')], [bears('a')], Infinity],
    ['for a while', [taint('a')], [bears('a', 5)], 5_000],
    ['the shortest counts', [taint('a'), taint('b')], [bears('a', 5), bears('b', 3)], 3_000],
    ['one that is not borne counts', [taint('a'), taint('b')], [bears('a', 5)], 0],
    ['a time that is over', [taint('a')], [bears('a', -5)], 0],
    ['the first toleration counts', [taint('a')], [bears('a', 5), bears('a')], 5_000],
  ];
  for (const [what, taints, tolerations, wanted] of cases) it(what, () => expect(toleratedMs(taints, tolerations)).to.equal(wanted));
});

describe('the taint eviction controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
    world.api.seed(nodes, { metadata: { name: 'a' } });
  });
  afterEach(() => world.stop());
  const paint = (...taints: Taint[]): unknown => world.api.change(nodes, 'a', (node) => ({ ...node, spec: { taints } }));
  const leaving = (): string[] => world.api.all(pods).flatMap(({ metadata }) => (metadata.deletionTimestamp ? [metadata.name ?? ''] : []));

  it('says why, and deletes', async () => {
    world.api.seed(pods, pod('p'), pod('q', [bears('t')]), pod('r', [], 'b'));
    await world.start(taintEvictionController);
    paint(taint('t'), { key: 's', effect: 'NoSchedule' });
    await world.settled();
    expect(leaving()).to.deep.equal(['p']);
    expect(world.api.peek(pods, 'n/p')?.status?.conditions).to.deep.equal([
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
    expect(world.events).to.deep.equal(['Normal TaintManagerEviction n/p: Marking for deletion Pod n/p']);
    expect(world.counts.get('taint_eviction_controller_pod_deletions_total {}')).to.equal(1);
  });

  it('takes it back when the taint goes in time', async () => {
    world.api.seed(pods, pod('p', [bears('t', 4)]));
    await world.start(taintEvictionController);
    paint(taint('t'));
    await world.advance(3_000);
    paint();
    await world.advance(10_000);
    expect(leaving()).to.deep.equal([]);
    expect(world.events).to.deep.equal(['Normal TaintManagerEviction n/p: Cancelling deletion of Pod n/p']);
  });

  it('leaves another pod of the same name alone', async () => {
    world.api.seed(pods, pod('p', [bears('t', 4)]));
    await world.start(taintEvictionController);
    paint(taint('t'));
    await world.advance(3_000);
    world.api.evaporate(pods, 'n/p');
    world.api.seed(pods, pod('p', [bears('t', 4)]));
    await world.advance(2_000);
    expect(leaving()).to.deep.equal([]);
    await world.advance(3_000);
    expect(leaving()).to.deep.equal(['p']);
  });

  it('agrees with a small model, whatever happens', async () => {
    const keys = ['t', 'u'];
    const change = fc.record({
      taints: fc.subarray(keys),
      seconds: fc.integer({ min: 0, max: 6 }),
    });
    const stays = fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), stays, stays, async (changes, t, u) => {
        const own = controllerWorld();
        const tolerations = [bears('t', t), bears('u', u)];
        own.api.seed(nodes, { metadata: { name: 'a' } });
        own.api.seed(pods, pod('p', tolerations));
        await own.start(taintEvictionController);
        // The model: a pod's time begins with its first limited taint, and the shortest present limit decides.
        const limits: Readonly<Record<string, number>> = { t: t ?? Infinity, u: u ?? Infinity };
        let since: number | null = null;
        let gone = false;
        let now = 0;
        for (const { taints, seconds } of changes) {
          own.api.change(nodes, 'a', (node) => ({ ...node, spec: { taints: taints.map(taint) } }));
          await own.settled();
          const limit = Math.min(Infinity, ...taints.map((key) => limits[key] ?? 0));
          if (limit === Infinity) since = null;
          else since ??= now;
          if (since !== null && since + limit <= now + seconds) gone ||= true;
          now += seconds;
          await own.advance(seconds * 1000);
          expect(own.api.peek(pods, 'n/p')?.metadata.deletionTimestamp !== undefined).to.equal(gone);
          if (gone) break;
        }
        await own.stop();
      }),
      { numRuns: 100 },
    );
  });
});
