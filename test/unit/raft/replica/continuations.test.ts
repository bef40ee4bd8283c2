import { expect } from 'chai';
import { Continuations, continuationsWord, countContinuations } from '../../../../raft/replica/continuations.js';

describe('raft/replica/continuations', () => {
  const reported = (): Promise<void> => new Promise((resolve) => void process.once('SIGCONT', () => setImmediate(resolve)));

  it('tells every replica of a process that it was stopped, from when it begins to wait, until it ends', async () => {
    const before = process.listenerCount('SIGCONT');
    const [one, other] = [continuationsWord(), continuationsWord()];
    const [first, second] = [new Continuations(one), new Continuations(other)];
    const ends = [countContinuations(one), countContinuations(other)] as const;
    first.begin();
    second.begin();
    expect(first.sawOne()).to.equal(false);
    let continued = reported();
    process.kill(process.pid, 'SIGCONT');
    await continued;
    expect([first.sawOne(), second.sawOne()]).to.deep.equal([true, true]);
    first.begin();
    expect(first.sawOne(), 'what was before').to.equal(false);
    ends[0]();
    continued = reported();
    process.kill(process.pid, 'SIGCONT');
    await continued;
    expect([first.sawOne(), second.sawOne()]).to.deep.equal([false, true]);
    ends[1]();
    expect(process.listenerCount('SIGCONT')).to.equal(before);
  });
});
