import { expect } from 'chai';
import type { MemberSight, Sight } from '../../torture/checks/availability.js';
import { checkRenewals, type Renewal } from '../../torture/checks/renewals.js';

const maxMs = 1_000;
const stepMs = 100;
const seen = (id: string, well = true): MemberSight => ({ id, start: 1, well, votes: 'yes' });
const looks = (toMs: number, isWell: (id: string, atMs: number) => boolean = () => true): Sight[] =>
  Array.from({ length: toMs / stepMs + 1 }, (_, n) => ({
    atMs: n * stepMs,
    members: ['a', 'b', 'c'].map((id) => seen(id, isWell(id, n * stepMs))),
    connected: () => true,
  }));
const by = (client: string, member: string | null, ...times: readonly number[]): Renewal[] =>
  times.map((atMs) => ({ client, member, atMs }));
const found = (sights: readonly Sight[], renewals: readonly Renewal[]): string[] =>
  checkRenewals(sights, renewals, maxMs).map(({ promise }) => promise);

describe('torture/renewals', () => {
  it('takes renewals that go on', () => {
    expect(found(looks(3_000), [...by('c0', 'a', 500, 1_400, 2_300), ...by('c1', null, 900, 1_800, 2_700)])).to.deep.equal([]);
  });

  it('notices a client that could not renew although its replica was well, whatever others could', () => {
    expect(found(looks(3_000), [...by('c0', 'a', 500, 2_300), ...by('c1', 'b', 900, 1_800, 2_700)])).to.deep.equal(['leases']);
    expect(found(looks(3_000), by('c1', null, 100, 1_900, 2_800))).to.deep.equal(['leases']);
    expect(found(looks(3_000), by('c0', 'a', 500, 1_400)), 'until the end').to.deep.equal(['leases']);
  });

  it('asks for nothing of a replica that is away, and of no majority', () => {
    const away = looks(3_000, (id, atMs) => id !== 'a' || atMs < 600 || atMs > 2_000);
    expect(found(away, by('c0', 'a', 500, 2_900))).to.deep.equal([]);
    expect(found(away, by('c1', null, 500, 2_900)), 'the others go on').to.deep.equal(['leases']);
    expect(
      found(
        looks(3_000, (id) => id === 'a'),
        by('c0', 'a', 100),
      ),
    ).to.deep.equal([]);
  });
});
