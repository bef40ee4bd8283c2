import { expect } from 'chai';
import { IdleDetector } from '../../../controllers/quietHeap.js';

describe('the heap of a manager', () => {
  it('is collected once after each burst of work', () => {
    const quietness = new IdleDetector();
    const shares = [0.5, 0.001, 0.001, 0, 0.3, 0.1, 0.015, 0.01, 0.02, 0.001];
    expect(shares.map((share) => quietness.isDue(share * 10_000, 10_000))).to.deep.equal([
      false,
      true,
      false,
      false,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('is collected in a process that was never busy', () => {
    expect(new IdleDetector().isDue(0, 10_000)).to.equal(true);
  });
});
