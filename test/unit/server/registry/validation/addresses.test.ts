import { expect } from 'chai';
import { formatAddress, parseAddress, parseRange } from '../../../../../server/registry/validation/addresses.js';

describe('addresses', () => {
  for (const [text, plain] of [
    ['10.0.0.1', '10.0.0.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['fd00:0:0:1::', 'fd00:0:0:1::'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
  ] as const) {
    it(`reads and writes ${text}`, () => {
      const address = parseAddress(text);
      expect(address === null ? null : formatAddress(address)).to.equal(plain);
    });
  }
  it('knows the bounds of ranges', () => {
    for (const [text, first, last] of [
      ['10.96.0.0/12', '10.96.0.0', '10.111.255.255'],
      ['10.0.0.77/24', '10.0.0.0', '10.0.0.255'],
      ['fd00::/126', 'fd00::', 'fd00::3'],
      ['1.2.3.4/32', '1.2.3.4', '1.2.3.4'],
    ] as const) {
      const range = parseRange(text);
      expect(
        range === null ? null : [range.first, range.last].map((value) => formatAddress({ family: range.family, value })),
      ).to.deep.equal([first, last]);
    }
    for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', 'x/8', '10.0.0.0/8/8', '']) expect(parseRange(text), text).to.equal(null);
  });
});
