import { expect } from 'chai';
import { object, type Refused } from '../kindSample.js';
import { causes, createSample, type Sample } from '../../registry/sample.js';

const refused: Refused = [
  ['policies of priority', object('scheduling.k8s.io/v1/PriorityClass', { value: 1, preemptionPolicy: '' }), ['required preemptionPolicy']],
];

describe('kinds, priority classes', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });
});
