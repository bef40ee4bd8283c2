import { expect } from 'chai';
import { checkAvailability, majorities, silences, workingTimes, type MemberSight, type Sight } from '../../torture/checks/availability.js';

const maxMs = 1_000;
const stepMs = 100;
const well = (id: string, start = 1): MemberSight => ({ id, start, well: true, votes: 'yes' });
const ill = (id: string): MemberSight => ({ ...well(id), well: false });
const three = [well('a'), well('b'), well('c')];

/** Successive observations with the members of `seen`. */
const looks = (toMs: number, seen: (atMs: number) => Partial<Sight> = () => ({})): Sight[] =>
  Array.from({ length: toMs / stepMs + 1 }, (_, n) => ({ atMs: n * stepMs, members: three, connected: () => true, ...seen(n * stepMs) }));
const found = (sights: readonly Sight[], acknowledgedMs: readonly number[]): number =>
  checkAvailability(sights, acknowledgedMs, maxMs).length;

describe('torture/availability', () => {
  it('takes writes that go on, and pauses within the bound', () => {
    expect(found(looks(3_000), [500, 1_400, 2_300])).to.equal(0);
  });

  it('notices a silence while a majority could have taken writes: before the first write, between two, and after the last', () => {
    expect(found(looks(3_000), [1_100, 2_000])).to.equal(1);
    expect(found(looks(3_000), [500, 1_600, 2_500])).to.equal(1);
    expect(found(looks(3_000), [900, 1_900])).to.equal(1);
    expect(found(looks(3_000), []), 'one silence, however many sets of members see it').to.equal(1);
    expect(silences(looks(3_000), [500, 1_600, 2_500])[0]).to.include({ ms: 1_100 });
  });

  it('asks for nothing without a majority that is well', () => {
    expect(
      found(
        looks(3_000, () => ({ members: [well('a'), ill('b'), ill('c')] })),
        [],
      ),
    ).to.equal(0);
    expect(
      found(
        looks(3_000, () => ({ connected: () => false })),
        [],
      ),
    ).to.equal(0);
    expect(
      found(
        looks(3_000, () => ({ members: [well('a'), well('b'), { ...well('c'), votes: 'no' as const }, ill('d')] })),
        [],
      ),
      'two of three voters',
    ).to.equal(1);
  });

  it('asks for a server that reaches a majority, where servers keep nothing themselves', () => {
    const server = (id: string, isWell = true): MemberSight => ({ id, start: 7, well: isWell, votes: 'no' });
    const over = (seen: Partial<Sight>): Sight => ({ atMs: 0, members: three, servers: [server('r')], connected: () => true, ...seen });
    expect(majorities(over({ members: [well('a'), well('b'), ill('c')] }))).to.deep.equal(['a (process 1), b (process 1), r (process 7)']);
    expect(majorities(over({}))).to.have.length(4);
    expect(majorities(over({ servers: [server('r'), server('s')] })), 'each is judged').to.have.length(8);
    for (const none of [
      { servers: [server('r', false)] },
      { members: [well('a'), ill('b'), ill('c')] },
      { connected: (a: string, b: string) => ![a, b].includes('r') },
    ])
      expect(majorities(over(none))).to.deep.equal([]);
    expect(majorities(over({ connected: (a, b) => `${a}${b}` !== 'ra' }))).to.deep.equal(['b (process 1), c (process 1), r (process 7)']);
  });

  it('counts the time anew when a member that is needed was away, or started again', () => {
    const away = looks(1_900, (atMs) => ({ members: atMs === 900 ? [well('a'), ill('b'), ill('c')] : three }));
    expect(found(away, [])).to.equal(0);
    const again = looks(1_900, (atMs) => ({ members: [well('a'), well('b', atMs < 900 ? 1 : 2), ill('c')] }));
    expect(found(again, [])).to.equal(0);
    expect(
      found(
        looks(1_900, (atMs) => ({ members: [well('a'), well('b'), atMs < 900 ? ill('c') : well('c')] })),
        [],
      ),
      'the other two were enough',
    ).to.equal(1);
  });

  it('counts whoever may have a vote as one that has it, and is not to be counted on', () => {
    const maybe = { ...well('c'), votes: 'maybe' as const };
    expect(majorities({ atMs: 0, members: [well('a'), ill('b'), maybe], connected: () => true })).to.deep.equal([]);
    expect(majorities({ atMs: 0, members: [well('a'), well('b'), maybe], connected: () => true })).to.deep.equal([
      'a (process 1), b (process 1)',
    ]);
  });

  it('needs every two of a majority to hear each other', () => {
    const pairs = (a: string, b: string): boolean => [a, b].includes('a');
    expect(majorities({ atMs: 0, members: three, connected: pairs })).to.deep.equal([
      'a (process 1), b (process 1)',
      'a (process 1), c (process 1)',
    ]);
  });

  it('does not judge a time in which nobody looked', () => {
    const [first, ...rest] = looks(1_900);
    const blind = [first!, ...rest.filter(({ atMs }) => atMs < 500 || atMs > 1_600)];
    expect(Math.max(...workingTimes(blind).map(({ fromMs, toMs }) => toMs - fromMs))).to.equal(400);
    expect(found(blind, [])).to.equal(0);
  });
});
