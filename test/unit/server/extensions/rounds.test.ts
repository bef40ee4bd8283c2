import { expect } from 'chai';
import { Rounds } from '../../../../server/extensions/lifecycle/rounds.js';

describe('extensions/rounds', () => {
  it('are one at a time, and one more for all that changes meanwhile', async () => {
    const ends: ((done: boolean) => void)[] = [];
    let begun = 0;
    const rounds = new Rounds(() => {
      begun++;
      return new Promise((resolve) => {
        ends.push(resolve);
      });
    });
    rounds.request();
    rounds.request();
    rounds.request();
    expect(begun).to.equal(1);
    ends.shift()?.(true);
    await Promise.resolve();
    expect(begun).to.equal(2);
    ends.shift()?.(true);
    for (let step = 0; step < 10; step++) await Promise.resolve();
    expect(begun).to.equal(2);
  });

  it('miss no change, in whichever moment after the last round it comes', async () => {
    for (let moment = 0; moment < 8; moment++) {
      let begun = 0;
      const rounds = new Rounds(async () => {
        begun++;
        return true;
      });
      rounds.request();
      for (let step = 0; step < moment; step++) await Promise.resolve();
      rounds.request();
      for (let step = 0; step < 20; step++) await Promise.resolve();
      expect(begun, `after ${moment} steps`).to.equal(2);
    }
  });

  it('begin again after a failure, unless they are stopped', async () => {
    let begun = 0;
    const again = await new Promise<Rounds>((resolve) => {
      const rounds = new Rounds(async () => {
        if (++begun === 3) resolve(rounds);
        return begun === 3;
      }, 1);
      rounds.request();
    });
    again.stop();
    again.request();
    expect([begun, again.signal.aborted]).to.deep.equal([3, true]);
  });
});
