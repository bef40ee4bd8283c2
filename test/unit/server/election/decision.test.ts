import { expect } from 'chai';
import { bestOf, candidateMs, electionMs, nextStep, strategyOf, type Candidate, type Held } from '../../../../server/election/decision.js';

const now = 1_000_000_000;
const candidate = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  createdAt: 0,
  pingedAt: null,
  renewedAt: now - 1_000,
  binaryVersion: '1.36.0',
  emulationVersion: '1.36.0',
  strategy: 'OldestEmulationVersion',
  ...more,
});
const held = (holder: string, more: Partial<Held> = {}): Held => ({
  holder,
  renewedAt: now - 1_000,
  durationSeconds: 15,
  preferred: '',
  strategy: 'OldestEmulationVersion',
  ...more,
});
const old = { emulationVersion: '1.35.0' };
const elect = (name: string): object => ({ do: 'elect', candidate: name, strategy: 'OldestEmulationVersion' });

describe('election: the next step', () => {
  it('takes the candidate that emulates the oldest version, then has the oldest binary, then is there longest', () => {
    const best = (...all: readonly Candidate[]): string | undefined => bestOf(all)?.name;
    expect(best(candidate('a'), candidate('b', old))).to.equal('b');
    expect(best(candidate('a', { ...old, emulationVersion: '1.9.0' }), candidate('b', old))).to.equal('a');
    expect(best(candidate('a'), candidate('b', { binaryVersion: '1.35.2' }))).to.equal('b');
    expect(best(candidate('a', { createdAt: 2 }), candidate('b', { createdAt: 1 }))).to.equal('b');
    expect(best()).to.equal(undefined);
  });

  it('goes by the strategy of the newest binary, and by none where these do not agree', () => {
    const other = { strategy: 'example.com/mine' };
    expect(strategyOf([candidate('a', { binaryVersion: '1.37.0' }), candidate('b', other)])).to.equal('OldestEmulationVersion');
    expect(strategyOf([candidate('a'), candidate('b', other)])).to.equal(null);
    expect(nextStep([candidate('a'), candidate('b', other)], null, now)).to.deep.equal({ do: 'nothing', lookAgain: electionMs });
  });

  it('offers a lease to whoever knows the strategy of another party, and leaves it to him', () => {
    const other = { strategy: 'example.com/mine' };
    const candidates = [candidate('a', other), candidate('b', { ...other, ...old })];
    const nothing = { do: 'nothing', lookAgain: electionMs };
    for (const lease of [null, held(''), held('a', { ...other, renewedAt: now - 16_000 })])
      expect(nextStep(candidates, lease, now)).to.deep.equal({ do: 'offer', ...other });
    expect(nextStep(candidates, held('', other), now), 'once').to.deep.equal(nothing);
    expect(nextStep(candidates, held('a', other), now), 'whoever has it').to.deep.equal(nothing);
    expect(nextStep([candidate('a')], held('', other), now), 'until there are others').to.deep.equal(elect('a'));
  });

  it('elects where nobody holds the lease, or no longer renews it', () => {
    const candidates = [candidate('a'), candidate('b', old)];
    for (const lease of [null, held(''), held('a', { renewedAt: now - 16_000 }), held('a', { renewedAt: null })])
      expect(nextStep(candidates, lease, now)).to.deep.equal(elect('b'));
  });

  it('leaves a holder alone that is the best, and asks another one once to give way', () => {
    const candidates = [candidate('a'), candidate('b', old)];
    expect(nextStep(candidates, held('b'), now)).to.deep.equal({ do: 'nothing', lookAgain: electionMs });
    expect(nextStep(candidates, held('a'), now)).to.deep.equal({ do: 'prefer', candidate: 'b', strategy: 'OldestEmulationVersion' });
    expect(nextStep(candidates, held('a', { preferred: 'b' }), now)).to.deep.equal({ do: 'nothing', lookAgain: electionMs });
  });

  it('asks all who stand whether they are there when it has not heard of one lately, and waits for what they say', () => {
    const quiet = candidate('b', { ...old, renewedAt: now - 60_000 });
    expect(nextStep([candidate('a'), quiet], null, now)).to.deep.equal({ do: 'ping', candidates: ['a', 'b'] });
    const asked = [candidate('a'), { ...quiet, pingedAt: now - 2_000 }];
    expect(nextStep(asked, null, now)).to.deep.equal({ do: 'nothing', lookAgain: 3_000 });
    expect(nextStep([candidate('a'), { ...quiet, pingedAt: now - 2_000, renewedAt: now - 500 }], null, now)).to.deep.equal(elect('b'));
  });

  it('does without those who say nothing, until they do', () => {
    const silent = candidate('b', { ...old, renewedAt: now - 60_000, pingedAt: now - electionMs });
    expect(nextStep([candidate('a'), silent], null, now)).to.deep.equal(elect('a'));
    expect(nextStep([candidate('a'), silent], held('a'), now)).to.deep.equal({ do: 'nothing', lookAgain: electionMs });
    expect(nextStep([silent], null, now), 'nobody is left').to.deep.equal({ do: 'nothing', lookAgain: null });
    expect(nextStep([candidate('a'), { ...silent, renewedAt: now }], held('a'), now)).to.have.property('do', 'prefer');
  });

  it('forgets candidates that have not renewed for half an hour', () => {
    const gone = candidate('b', { ...old, renewedAt: now - candidateMs - 1 });
    expect(nextStep([candidate('a'), gone], null, now)).to.deep.equal(elect('a'));
    expect(nextStep([gone, candidate('c', { renewedAt: null })], null, now)).to.deep.equal({ do: 'nothing', lookAgain: null });
  });
});
