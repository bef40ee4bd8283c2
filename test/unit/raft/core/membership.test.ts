import { expect } from 'chai';
import fc from 'fast-check';
import { MembershipHistory } from '../../../../raft/core/history.js';
import { changed, decodeMembership, encodeMembership, roleOf, votersOf } from '../../../../raft/core/membership.js';
import { quorumSize } from '../../../../raft/core/quorum.js';
import { logIndex, memberId } from '../../../../raft/types.js';
import type { Member, Membership } from '../../../../raft/types.js';
import { a, b, c, d, entry, members } from './harness.js';

const anyId = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,8}[a-z0-9])?$/).map(memberId);
const anyMember: fc.Arbitrary<Member> = fc.record({
  id: anyId,
  role: fc.constantFrom('voter', 'learner'),
  address: fc.string({ unit: 'grapheme', maxLength: 30 }),
});
const anyMembership: fc.Arbitrary<Membership> = fc.record({
  members: fc.array(anyMember, { maxLength: 9 }),
  removed: fc.array(anyId, { maxLength: 9 }),
});

describe('membership entries', () => {
  it('survive encoding', () => {
    fc.assert(
      fc.property(anyMembership, (membership) => {
        expect(decodeMembership(encodeMembership(membership))).to.deep.equal(membership);
      }),
    );
  });

  it('are refused when cut short, too long, of another version or with an unknown role', () => {
    const whole = encodeMembership(members([a, b], [c]));
    for (let length = 0; length < whole.length; length++)
      expect(() => decodeMembership(whole.subarray(0, length)), `${length} bytes`).to.throw(RangeError);
    expect(() => decodeMembership(Uint8Array.of(...whole, 0))).to.throw(RangeError, '1 bytes too many');
    expect(() => decodeMembership(Uint8Array.of(2, ...whole.subarray(1)))).to.throw(RangeError, 'version 2');
    expect(() => decodeMembership(Uint8Array.of(1, 0, 1, 9, ...whole.subarray(4)))).to.throw(RangeError, 'unknown role 9');
  });
});

describe('membership changes', () => {
  const after = (membership: Membership, change: Parameters<typeof changed>[1]): Membership => {
    const result = changed(membership, change);
    if (!result.ok) throw new Error(result.reason);
    return result.membership;
  };

  it('let a server join as a learner, which counts for no quorum, and be promoted', () => {
    const joined = after(members([b, c]), { type: 'addLearner', member: { id: a, role: 'voter', address: 'a:9' } });
    expect(joined.members.map(({ id }) => id)).to.deep.equal([a, b, c]);
    expect(roleOf(joined, a)).to.equal('learner');
    expect(votersOf(joined)).to.deep.equal([b, c]);
    expect(votersOf(after(joined, { type: 'promote', id: a }))).to.deep.equal([a, b, c]);
  });

  it('never let a removed identity join again', () => {
    const without = after(members([a, b]), { type: 'remove', id: b });
    expect(without.removed).to.deep.equal([b]);
    expect(changed(without, { type: 'addLearner', member: { id: b, role: 'learner', address: '' } })).to.have.property('ok', false);
  });

  it('refuse what makes no sense, with a reason', () => {
    const refusals: [Membership, Parameters<typeof changed>[1], RegExp][] = [
      [members([a]), { type: 'remove', id: a }, /last voter/],
      [members([a], [b]), { type: 'remove', id: a }, /last voter/],
      [members([a]), { type: 'remove', id: b }, /not a member/],
      [members([a]), { type: 'promote', id: b }, /not a member/],
      [members([a]), { type: 'promote', id: a }, /voter already/],
      [members([a]), { type: 'addLearner', member: { id: a, role: 'learner', address: '' } }, /member already/],
    ];
    for (const [membership, change, reason] of refusals)
      expect(changed(membership, change)).to.have.property('reason').that.matches(reason);
  });

  it('keep the quorums of before and after overlapping (dissertation, section 4.1)', () => {
    const anyStart = fc.uniqueArray(anyMember, { selector: ({ id }) => id, minLength: 1, maxLength: 7 });
    const kind = fc.constantFrom('promote', 'remove', 'addLearner');
    fc.assert(
      fc.property(anyStart, kind, fc.nat(6), (start, type, at) => {
        const before: Membership = { members: start, removed: [] };
        const member = start[at % start.length] as Member;
        const result = changed(
          before,
          type === 'addLearner' ? { type, member: { ...member, id: memberId(`${member.id}x`) } } : { type, id: member.id },
        );
        if (!result.ok) return;
        const [old, now] = [votersOf(before), votersOf(result.membership)];
        const union = new Set([...old, ...now]).size;
        if (old.length > 0) expect(quorumSize(old.length) + quorumSize(now.length)).to.be.greaterThan(union);
      }),
    );
  });
});

describe('membership history', () => {
  const withChange = (index: number, membership: Membership) => entry(index, 1, 'membership', encodeMembership(membership));

  it('uses the newest membership of the log, committed or not, and goes back when its entry is truncated', () => {
    const history = new MembershipHistory(logIndex(0), members([a, b]));
    history.appended([entry(1, 1), withChange(2, members([a, b], [c]))]);
    history.appended([withChange(3, members([a, b, c]))]);
    expect(history.voters).to.deep.equal([a, b, c]);
    history.truncated(logIndex(3));
    expect(history.current).to.deep.equal(members([a, b], [c]));
    history.truncated(logIndex(1));
    expect(history.current).to.deep.equal(members([a, b]));
    expect(history.currentIndex).to.equal(0);
  });

  it('never goes back behind what is committed', () => {
    const history = new MembershipHistory(logIndex(0), members([a, b]));
    history.appended([withChange(1, members([a, b], [c])), withChange(2, members([a, b, c]))]);
    history.committed(logIndex(1));
    history.truncated(logIndex(2));
    expect(history.current).to.deep.equal(members([a, b], [c]));
  });

  it('lets a voter campaign whose removal is not committed (dissertation, section 4.2.2), and no learner or stranger', () => {
    const history = new MembershipHistory(logIndex(0), members([a, b], [c]));
    history.appended([withChange(1, members([b], [c]))]);
    expect([a, b, c, d].map((id) => history.mayCampaign(id))).to.deep.equal([true, true, false, false]);
    history.committed(logIndex(1));
    expect(history.mayCampaign(a)).to.equal(false);
  });
});
