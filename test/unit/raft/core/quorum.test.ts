import { expect } from 'chai';
import fc from 'fast-check';
import { quorumSize, quorumValue, voteOutcome } from '../../../../raft/core/quorum.js';
import { memberId } from '../../../../raft/types.js';
import type { MemberId } from '../../../../raft/types.js';

const ids = (count: number): MemberId[] => Array.from({ length: count }, (_, at) => memberId(`s${at}`));

/** All subsets of up to nine servers, as bit sets. */
const subsets = (count: number): number[] => Array.from({ length: 2 ** count }, (_, set) => set);
const sizeOfSet = (set: number): number => set.toString(2).replaceAll('0', '').length;

describe('quorum arithmetic, against a second computation', () => {
  it('makes quorums the smallest sets of which any two meet', () => {
    for (let count = 1; count <= 7; count++) {
      const size = quorumSize(count);
      const quorums = subsets(count).filter((set) => sizeOfSet(set) === size);
      expect(
        quorums.every((one) => quorums.every((other) => (one & other) !== 0)),
        `quorums of ${count} meet`,
      ).to.equal(true);
      const smaller = subsets(count).filter((set) => sizeOfSet(set) === size - 1);
      expect(
        smaller.some((one) => smaller.some((other) => (one & other) === 0)),
        `sets of ${size - 1} of ${count} may miss each other`,
      ).to.equal(true);
    }
  });

  it('finds the greatest value that some quorum has reached', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 9 }), (values) => {
        const voters = ids(values.length);
        const valueOf = (id: MemberId): number => values[voters.indexOf(id)] ?? 0;
        const lowestOf = (set: number): number => Math.min(...values.filter((_, at) => (set & (1 << at)) !== 0));
        const quorums = subsets(values.length).filter((set) => 2 * sizeOfSet(set) > values.length);
        expect(quorumValue(voters, valueOf)).to.equal(Math.max(...quorums.map(lowestOf)));
      }),
    );
  });

  it('reaches nothing, and elects nobody, without voters', () => {
    expect(quorumValue([], () => 7)).to.equal(0);
    expect(voteOutcome([], new Map())).to.equal('lost');
  });

  it('decides a vote exactly when the missing answers can no longer change it', () => {
    const vote = fc.constantFrom(true, false, null);
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 7 }), (votes) => {
        const voters = ids(votes.length);
        const given = new Map(voters.flatMap((id, at) => (votes[at] == null ? [] : [[id, votes[at]] as const])));
        const missing = votes.flatMap((value, at) => (value === null ? [at] : []));
        const wins = subsets(missing.length).map((set) => {
          const granted = votes.filter((value, at) => value ?? (set & (1 << missing.indexOf(at))) !== 0).length;
          return 2 * granted > votes.length;
        });
        const expected = wins.every((won) => won) ? 'won' : wins.some((won) => won) ? 'pending' : 'lost';
        expect(voteOutcome(voters, given)).to.equal(expected);
      }),
    );
  });

  it('does not count the votes of strangers', () => {
    const [voter, other, third, stranger] = ids(4) as [MemberId, MemberId, MemberId, MemberId];
    expect(
      voteOutcome(
        [voter, other, third],
        new Map([
          [voter, true],
          [stranger, true],
        ]),
      ),
    ).to.equal('pending');
  });
});
