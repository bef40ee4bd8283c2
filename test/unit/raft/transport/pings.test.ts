import { expect } from 'chai';
import { Pings } from '../../../../raft/transport/pings.js';

describe('raft/transport pings', () => {
  it('go at once where no messages leave', () => {
    const pings = new Pings(3);
    expect(pings.beat()).to.equal(true);
    expect(pings.take()).to.equal('ping');
    expect(pings.beat(), 'no answer yet').to.equal(true);
  });

  it('leave a peer that has answered alone for a beat, and then ask again', () => {
    const pings = new Pings(3);
    for (let rounds = 0; rounds < 3; rounds += 1) {
      expect(pings.beat()).to.equal(true);
      expect(pings.take()).to.equal('ping');
      pings.heard();
      expect(pings.beat()).to.equal(false);
      expect(pings.take(), 'messages carry none meanwhile').to.equal('none');
    }
  });

  it('travel with the next messages where some have left since the last beat, and only once', () => {
    const pings = new Pings(3);
    pings.spoke();
    expect(pings.take(), 'no beat yet').to.equal('none');
    expect(pings.beat()).to.equal(false);
    pings.spoke();
    expect(pings.take()).to.equal('ping');
    pings.spoke();
    expect(pings.take()).to.equal('none');
    expect(pings.beat()).to.equal(false);
  });

  it('wait for messages no longer than until the next beat', () => {
    const pings = new Pings(3);
    pings.spoke();
    expect([pings.beat(), pings.beat()]).to.deep.equal([false, true]);
    expect(pings.take()).to.equal('ping');
  });

  it('end with a peer that leaves more than so many in a row without an answer', () => {
    const pings = new Pings(3);
    const asked = (count: number): string[] =>
      Array.from({ length: count }, () => {
        pings.beat();
        return pings.take();
      });
    expect(asked(3)).to.deep.equal(['ping', 'ping', 'ping']);
    pings.heard();
    expect(asked(5)).to.deep.equal(['none', 'ping', 'ping', 'ping', 'silent']);
  });
});
