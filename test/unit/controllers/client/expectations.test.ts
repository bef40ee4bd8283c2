import { expect } from 'chai';
import { Expectations } from '../../../../controllers/client/expectations.js';
import { FakeClock } from '../../../fixtures/fakeClock.js';

describe('controllers/client/expectations', () => {
  it('waits until every creation was seen, or will not happen', () => {
    const expectations = new Expectations(new FakeClock());
    expect(expectations.satisfied('k')).to.equal(true);
    expectations.expect('k', { creations: 3 });
    expectations.created('k');
    expect(expectations.satisfied('k')).to.equal(false);
    expectations.created('k', 2);
    expect(expectations.satisfied('k')).to.equal(true);
    expect(expectations.satisfied('other')).to.equal(true);
  });

  it('counts the deletion of an object once', () => {
    const expectations = new Expectations(new FakeClock());
    expectations.expect('k', { deletions: ['a', 'b'] });
    expectations.deleted('k', 'a');
    expectations.deleted('k', 'a');
    expectations.deleted('k', 'stranger');
    expect(expectations.satisfied('k')).to.equal(false);
    expectations.deleted('k', 'b');
    expect(expectations.satisfied('k')).to.equal(true);
  });

  it('goes on after five minutes', async () => {
    const clock = new FakeClock();
    const expectations = new Expectations(clock);
    expectations.expect('k', { creations: 1, deletions: ['a'] });
    await clock.advance(5 * 60_000);
    expect(expectations.satisfied('k')).to.equal(false);
    await clock.advance(1);
    expect(expectations.satisfied('k')).to.equal(true);
    expectations.expect('k', { creations: 1 });
    expect(expectations.satisfied('k')).to.equal(false);
    expectations.forget('k');
    expect(expectations.satisfied('k')).to.equal(true);
  });
});
