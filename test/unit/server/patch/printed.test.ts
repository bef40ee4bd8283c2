import { expect } from 'chai';
import { printed } from '../../../../server/patch/printed.js';

describe('patch/words of strategic merges', () => {
  it('print maps sorted, and lists in their order', () => {
    expect(printed({ b: [1, 'x', { z: null }], a: true })).to.equal('map[a:true b:[1 x map[z:<nil>]]]');
    expect(printed([1, 0.5, 1e-7, 2_000_000.5])).to.equal('[1 0.5 1e-07 2.0000005e+06]');
  });
});
