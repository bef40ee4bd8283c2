import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { BarrierOutcome } from '../../../../raft/replicaApi.js';
import { revision } from '../../../../raft/types.js';
import { Barriers } from '../../../../server/storage/barriers.js';

describe('read barriers', () => {
  let answers: ((outcome: BarrierOutcome) => void)[];
  let barriers: Barriers;
  const answer = (at: number): void => {
    answers.shift()?.({ outcome: 'reached', revision: revision(at) });
  };
  const begun = async (count: number): Promise<void> => {
    while (answers.length < count) await nextTurn();
  };
  const at = (outcome: BarrierOutcome): number => (outcome.outcome === 'reached' ? outcome.revision : -1);

  beforeEach(() => {
    answers = [];
    barriers = new Barriers(
      {
        barrier: () =>
          new Promise((resolve) => {
            answers.push(resolve);
          }),
      },
      1_000,
      { promptMs: 3_600_000 },
    );
  });

  it('are shared by readers of one turn of the event loop', async () => {
    const readers = Promise.all([barriers.reach(), barriers.reach(), nextTurn().then(() => 'another turn')]);
    await begun(1);
    answer(7);
    expect((await readers).slice(0, 2).map((each) => at(each as BarrierOutcome))).to.deep.equal([7, 7]);
    expect(answers).to.have.length(0);
  });

  it('begin in the end, however many readers go on coming', async () => {
    let coming = true;
    const first = barriers.reach();
    const others = (async () => {
      for (let each = 0; coming && each < 100_000; each++) {
        void barriers.reach();
        await nextTurn();
      }
    })();
    await begun(1);
    coming = false;
    answer(3);
    expect(at(await first)).to.equal(3);
    await others;
  });

  it('are not joined by readers who come after they began, who share the next one', async () => {
    const first = barriers.reach();
    await begun(1);
    const later = [barriers.reach(), barriers.reach()];
    await nextTurn();
    expect(answers).to.have.length(1);
    answer(1);
    expect(at(await first)).to.equal(1);
    await begun(1);
    answer(2);
    expect((await Promise.all(later)).map(at)).to.deep.equal([2, 2]);
    expect(answers).to.have.length(0);
  });

  it('are left by their readers even if the machine gives them no time to gather: who comes later learns of what happened later', async () => {
    const hurried = new Barriers(
      {
        barrier: () =>
          new Promise((resolve) => {
            answers.push(resolve);
          }),
      },
      1_000,
      { gatherMs: 0 },
    );
    for (const revisionThen of [1, 2, 3]) {
      const reader = hurried.reach();
      await begun(1);
      answer(revisionThen);
      expect(at(await reader)).to.equal(revisionThen);
    }
  });

  it('that are not answered do not keep the next ones', async () => {
    const impatient = new Barriers(
      {
        barrier: () =>
          new Promise((resolve) => {
            answers.push(resolve);
          }),
      },
      1_000,
      { promptMs: 1 },
    );
    void impatient.reach();
    await begun(1);
    const second = impatient.reach();
    await begun(2);
    answers.pop()?.({ outcome: 'reached', revision: revision(5) });
    expect(at(await second)).to.equal(5);
  });

  it('that fail do not keep the next ones', async () => {
    const first = barriers.reach();
    await begun(1);
    answers.shift()?.({ outcome: 'unavailable', reason: 'no leader' });
    expect((await first).outcome).to.equal('unavailable');
    const second = barriers.reach();
    await begun(1);
    answer(4);
    expect(at(await second)).to.equal(4);
  });
});
