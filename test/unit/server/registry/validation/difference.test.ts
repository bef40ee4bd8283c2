import { expect } from 'chai';
import { differenceOf } from '../../../../../server/registry/validation/difference.js';

describe('validation/difference', () => {
  it('shows changes around the longest run of lines that stayed', () => {
    expect(differenceOf(['a', 'b', 'x', 'y', 'z'], ['x', 'y', 'z', 'a'])).to.equal(
      '@@ -1,7 +1,6 @@\n [\n- "a",\n- "b",\n  "x",\n  "y",\n- "z"\n+ "z",\n+ "a"\n ]\n',
    );
  });
});
