import { expect } from 'chai';
import { StoreMaintenance } from '../../../../raft/replica/storeMaintenance.js';
import { Ticker, TickTimer } from '../../../../raft/replica/ticker.js';

describe('raft/replica/ticker', () => {
  const nothing = { quiet: 0, due: false };

  it('has a tick due after each period, and after a late one a period from then', () => {
    const ticker = new Ticker(25, 0);
    expect(ticker.take(20)).to.deep.equal(nothing);
    expect(ticker.take(25)).to.deep.equal({ quiet: 0, due: true });
    expect(ticker.take(49)).to.deep.equal({ quiet: 0, due: true });
    expect(ticker.dueAt).to.equal(75);
    expect(ticker.take(5_000)).to.deep.equal({ quiet: 0, due: true });
    expect(ticker.take(5_020)).to.deep.equal(nothing);
    expect(ticker.take(5_025)).to.deep.equal({ quiet: 0, due: true });
  });

  it('counts what was slept on purpose in full, and nothing of what was slept longer', () => {
    const ticker = new Ticker(25, 0);
    ticker.rest(8);
    expect(ticker.dueAt).to.equal(200);
    expect(ticker.isDue(198)).to.equal(false);
    expect(ticker.take(200)).to.deep.equal({ quiet: 7, due: true });
    ticker.rest(8);
    expect(ticker.take(60_000)).to.deep.equal({ quiet: 7, due: true });
    ticker.rest(8);
    expect(ticker.dueAt).to.equal(60_200);
  });

  it('counts the ticks that passed before something else woke the thread, so that each of them is counted once', () => {
    const ticker = new Ticker(25, 0);
    ticker.rest(4);
    expect(ticker.take(60)).to.deep.equal({ quiet: 2, due: false });
    expect(ticker.take(74)).to.deep.equal({ quiet: 1, due: false });
    expect(ticker.take(80)).to.deep.equal(nothing);
    expect(ticker.take(100)).to.deep.equal({ quiet: 0, due: true });
    ticker.rest(10);
    expect(ticker.take(151)).to.deep.equal({ quiet: 2, due: false });
    // The message delays the next effective tick, which is counted from there.
    ticker.rest(10);
    expect(ticker.dueAt).to.equal(400);
  });
});

describe('raft/replica/ticker, its timer', () => {
  it('wakes when the last rest is over, however early the one before would have been, and at once when a rest is cut short', async () => {
    let wake = (): void => undefined;
    const woken = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    const timer = new TickTimer(10, () => wake());
    const begun = performance.now();
    timer.rest(2);
    timer.rest(12);
    await woken();
    expect(performance.now() - begun).to.be.at.least(118);
    expect(timer.take()).to.deep.equal({ quiet: 11, due: true });

    timer.rest(1_000_000);
    timer.rest(1);
    await woken();
    expect(timer.take()).to.include({ due: true });
    timer.stop();
  });
});

describe('raft/replica/storeMaintenance', () => {
  const careOf = (housekeeping: number): { readonly care: StoreMaintenance; readonly calls: string[] } => {
    const calls: string[] = [];
    let left = housekeeping;
    const store = {
      settle: () => void calls.push('settle'),
      maintain: () => {
        calls.push('maintain');
        left -= 1;
        return left > 0;
      },
    };
    return { care: new StoreMaintenance(store, 4), calls };
  };

  it('lets the batches of some ticks share a transaction, and has nothing to do afterwards', () => {
    const { care, calls } = careOf(0);
    care.tick(false);
    expect(calls.splice(0)).to.deep.equal(['settle', 'maintain']);
    expect(care.restTicks).to.equal(Infinity);
    care.tick(false);
    care.written();
    expect(care.restTicks).to.equal(4);
    care.tick(false);
    care.written();
    care.quietTicks(2);
    expect(calls).to.deep.equal([]);
    expect(care.restTicks).to.equal(1);
    care.tick(false);
    expect(calls).to.deep.equal(['settle', 'maintain']);
    expect(care.restTicks).to.equal(Infinity);
  });

  it('tidies up with every tick until that is done, but not while the replica is busy', () => {
    const { care, calls } = careOf(3);
    care.tick(true);
    expect(calls.splice(0)).to.deep.equal(['settle']);
    expect(care.restTicks).to.equal(4);
    for (let tick = 0; tick < 6; tick += 1) care.tick(false);
    expect(calls.filter((call) => call === 'maintain')).to.have.length(3);
    expect(care.restTicks).to.equal(Infinity);
  });
});
