import { expect } from 'chai';
import { nodes } from '../../../../api/types/core/v1.js';
import { secondsOf, stepAt } from '../../../../controllers/nodettl/steps.js';
import { nodeTtlController } from '../../../../controllers/nodettl/ttlController.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

describe('how long nodes keep what they have', () => {
  it('grows with the cluster, and does not change to and fro', () => {
    const seconds = (sizes: readonly number[]): number[] => {
      let step = 0;
      return sizes.map((size) => secondsOf((step = stepAt(size, step))));
    };
    expect(seconds([1, 100, 101, 95, 90, 89, 501, 2_001, 10_001, 1])).to.deep.equal([0, 0, 15, 15, 15, 0, 30, 300, 600, 0]);
  });

  it('is told to each node', async () => {
    const world = controllerWorld();
    world.api.seed(nodes, ...Array.from({ length: 100 }, (_, index) => ({ metadata: { name: `n${index}` } })));
    await world.start(nodeTtlController);
    const reported = (): Set<string | undefined> =>
      new Set(world.api.all(nodes).map(({ metadata }) => metadata.annotations?.['node.alpha.kubernetes.io/ttl']));
    await world.settled();
    expect(reported()).to.deep.equal(new Set(['0']));
    world.api.seed(nodes, { metadata: { name: 'one-more' } });
    await world.advance(0);
    await world.advance(0);
    expect(reported()).to.deep.equal(new Set(['15']));
    await world.stop();
  });
});
