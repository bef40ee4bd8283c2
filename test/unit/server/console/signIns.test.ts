import { expect } from 'chai';
import { SignIns } from '../../../../server/console/signIns.js';

describe('sign-ins by link', () => {
  const taken = (signIns: SignIns, addresses: readonly string[]): boolean[] => addresses.map((address) => signIns.enter(address) !== null);
  const times = (count: number, address: string): string[] => Array.from({ length: count }, () => address);

  it('are limited by address, so that whoever guesses keeps nobody else out', () => {
    const signIns = new SignIns();
    expect(taken(signIns, times(5, '192.0.2.1'))).to.deep.equal([true, true, true, true, false]);
    expect(taken(signIns, ['192.0.2.2', '::ffff:192.0.2.3'])).to.deep.equal([true, true]);
  });

  it('take a network of version 6 for one address', () => {
    const signIns = new SignIns();
    expect(taken(signIns, ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:1::', '2001:0db8:0:0:ffff::1', '2001:db8::3'])).to.deep.equal([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(taken(signIns, ['2001:db8:0:1::1', '::1'])).to.deep.equal([true, true]);
  });

  it('make room when they are over, and are counted up to a bound', () => {
    const signIns = new SignIns();
    const leave = times(4, '::1').map((address) => signIns.enter(address));
    expect(signIns.enter('::1')).to.equal(null);
    leave[0]?.();
    expect(signIns.enter('::1')).to.not.equal(null);
    const many = Array.from({ length: 300 }, (_, index) => `192.0.2.${index}`);
    expect(taken(signIns, many).filter(Boolean)).to.have.length(252);
  });
});
