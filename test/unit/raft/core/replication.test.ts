import { expect } from 'chai';
import fc from 'fast-check';
import type { MessageOf } from '../../../../raft/core/messages.js';
import { logIndex, term } from '../../../../raft/types.js';
import type { Entry } from '../../../../raft/types.js';
import { electionTicks, TestCluster, TestServer, a, append, b, bytes, c, d, e, entries, entry, members } from './harness.js';

const shape = (messages: readonly MessageOf<'append'>[]) =>
  messages.map((message) => [message.previousIndex, message.entries.map(({ index }) => index)]);
const leaderOf = (...args: ConstructorParameters<typeof TestServer> extends [unknown, ...infer Rest] ? Rest : never): TestServer =>
  new TestServer(a, ...args);

describe('a leader replicates', () => {
  it('proposals that arrive together in one append, one write and one message per follower', () => {
    const server = leaderOf(members([a, b, c]))
      .elect(b)
      .accept(b, 1)
      .accept(c, 1);
    server.take();
    for (const text of ['x', 'y', 'z']) server.core.propose([bytes(text)]);
    const [ready] = server.settle();
    expect(ready?.persist?.entries.map(({ index }) => index)).to.deep.equal([2, 3, 4]);
    expect(shape(server.takeOf('append', b))).to.deep.equal([[1, [2, 3, 4]]]);
  });

  it('while its own disk still syncs (dissertation, section 10.2.1), but counts itself only afterwards', () => {
    const server = leaderOf(members([a, b]))
      .elect(b)
      .accept(b, 1);
    server.core.propose([bytes('x')]);
    const ready = server.core.ready();
    expect(ready?.immediate.map(({ type }) => type)).to.deep.equal(['append']);
    server.core.step({ from: b, to: a, term: term(1), type: 'appendReply', round: 0, result: { accepted: true, match: logIndex(2) } });
    expect(server.core.commit).to.equal(1);
    server.core.persisted();
    expect(server.core.commit).to.equal(2);
  });

  it('ahead of the answers, as far as the window goes', () => {
    const server = leaderOf(members([a, b]), { inflightMax: 2 })
      .elect(b)
      .accept(b, 1);
    server.take();
    for (let i = 0; i < 4; i++) {
      server.core.propose([bytes(`${i}`)]);
      server.settle();
    }
    expect(shape(server.takeOf('append', b))).to.deep.equal([
      [1, [2]],
      [2, [3]],
    ]);
    expect(shape(server.accept(b, 2).takeOf('append', b))).to.deep.equal([[3, [4, 5]]]);
  });

  it('in messages of bounded size, though never without an entry', () => {
    const server = leaderOf(members([a, b]), { appendBytesMax: 1 })
      .elect(b)
      .accept(b, 1);
    server.take();
    server.core.propose([bytes('one'), bytes('two')]);
    server.settle();
    expect(shape(server.takeOf('append', b))).to.deep.equal([
      [1, [2]],
      [2, [3]],
    ]);
  });

  it('lost messages again: a heartbeat does not fit, the follower says so, and the leader steps back', () => {
    const server = leaderOf(members([a, b]))
      .elect(b)
      .accept(b, 1);
    server.core.propose([bytes('lost')]);
    server.settle();
    server.take();
    expect(shape(server.tick(2).takeOf('append', b))).to.deep.equal([[2, []]]);
    server.receive(b, 1, {
      type: 'appendReply',
      round: 0,
      result: { accepted: false, rejected: logIndex(2), hintIndex: logIndex(1), hintTerm: term(1) },
    });
    expect(shape(server.takeOf('append', b))).to.deep.equal([[1, [2]]]);
  });

  it('with empty probes only to a server that does not answer', () => {
    const server = leaderOf(members([a, b, c]))
      .elect(b)
      .accept(b, 1);
    server.core.reportUnreachable(c);
    server.take();
    for (let i = 0; i < 2; i++) server.tick(electionTicks - 1).accept(b, 1);
    server.core.propose([bytes('x')]);
    server.settle();
    const sent = server.tick(2).takeOf('append', c).slice(-1);
    expect(sent[0]?.entries).to.deep.equal([]);
  });

  it('refuses proposals that would pile up uncommitted, as a definite answer', () => {
    const server = leaderOf(members([a, b]), { uncommittedBytesMax: 300 })
      .elect(b)
      .accept(b, 1);
    expect(server.core.propose([new Uint8Array(1000)]), 'one alone may exceed the bound').to.include({ outcome: 'appended' });
    expect(server.core.propose([bytes('x')])).to.deep.equal({ outcome: 'full' });
    server.settle();
    server.accept(b, 2);
    expect(server.core.propose([bytes('x')])).to.include({ outcome: 'appended', first: 3 });
  });

  it('nothing if it is not the leader, and names the one it knows', () => {
    const server = leaderOf(members([a, b, c]));
    expect(server.core.propose([bytes('x')])).to.deep.equal({ outcome: 'notLeader', leader: null });
    server.receive(b, 1, append({}));
    expect(server.core.propose([bytes('x')])).to.deep.equal({ outcome: 'notLeader', leader: b });
  });

  it('reads no disk on the usual path', () => {
    const server = leaderOf(members([a, b, c]))
      .elect(b)
      .accept(b, 1)
      .accept(c, 1);
    for (let i = 2; i < 500; i++) {
      server.core.propose([bytes('x')]);
      server.settle();
      server.accept(b, i).accept(c, i);
    }
    expect(server.applied).to.have.length(499);
    expect(server.disk.reads).to.equal(0);
  });

  it('from disk what has left memory', () => {
    const server = leaderOf(members([a, b, c]), { tailBytesMax: 200 })
      .elect(b)
      .accept(b, 1);
    for (let i = 2; i < 50; i++) {
      server.core.propose([bytes('x')]);
      server.settle();
      server.accept(b, i);
    }
    server.take();
    server.receive(c, 1, {
      type: 'appendReply',
      round: 0,
      result: { accepted: false, rejected: logIndex(0), hintIndex: logIndex(0), hintTerm: term(0) },
    });
    server.tick(2).receive(c, 1, { type: 'appendReply', round: 0, result: { accepted: true, match: logIndex(1) } });
    const sent = server.takeOf('append', c).flatMap((message) => message.entries.map(({ index }) => index));
    expect([...new Set(sent)].sort((x, y) => x - y)).to.deep.equal(
      Array.from({ length: 49 }, (_, at) => at + 1).filter((index) => sent.includes(logIndex(index))),
    );
    expect(sent).to.include(logIndex(49));
    expect(server.disk.reads).to.be.greaterThan(0);
  });
});

describe('a leader commits', () => {
  it('what a majority has, and tells the followers at once', () => {
    const server = leaderOf(members([a, b, c, d, e]))
      .elect(b, c)
      .accept(b, 1);
    expect(server.core.commit).to.equal(0);
    server.accept(c, 1);
    expect(server.core.commit).to.equal(1);
    expect(server.takeOf('append', b).at(-1)).to.include({ commit: 1 });
    expect(server.applied.map(({ index }) => index)).to.deep.equal([1]);
  });

  it('no entry of an older term by counting, but along with one of its own (Raft, section 5.4.2 and figure 8)', () => {
    const server = leaderOf(members([a, b, c]), { stored: entries(1, 2) }).elect(b);
    server.accept(b, 2);
    expect(server.core.commit, 'entry 2 of term 2 is on a majority').to.equal(0);
    server.accept(b, 3);
    expect(server.core.commit).to.equal(3);
  });

  it('hands out entries in bounded portions, in order and once, as fast as they are applied', () => {
    const server = leaderOf(members([a]), { committedBytesMax: 1 }).tick();
    server.core.propose([bytes('x'), bytes('y'), bytes('z')]);
    const portions = server
      .settle()
      .map((ready) => ready.committed.map(({ index }) => index))
      .filter((portion) => portion.length > 0);
    expect(portions).to.deep.equal([[2], [3], [4]]);
  });

  it('hands out nothing new before the last portion is applied', () => {
    const server = leaderOf(members([a]), { committedBytesMax: 1, stored: entries(1, 1), hard: { commit: logIndex(2) } });
    const first = server.core.ready();
    expect(first?.committed).to.have.length(1);
    expect(server.core.ready()).to.equal(null);
    server.core.applied(logIndex(1));
    expect(server.core.ready()?.committed.map(({ index }) => index)).to.deep.equal([2]);
  });
});

describe('a follower', () => {
  it('refuses entries that do not fit, and says where its log may agree (section 5.3)', () => {
    const cases = [
      { mine: [1, 1], previous: [5, 3], hint: { hintIndex: 2, hintTerm: 1 } },
      { mine: [1, 1, 2, 2, 2], previous: [5, 3], hint: { hintIndex: 5, hintTerm: 2 } },
      { mine: [1, 3, 3, 3], previous: [4, 2], hint: { hintIndex: 1, hintTerm: 1 } },
    ] as const;
    for (const { mine, previous, hint } of cases) {
      const server = leaderOf(members([a, b]), { stored: entries(...mine) }).receive(b, 4, append({ previous }));
      expect(server.takeOf('appendReply')[0]?.result).to.deep.equal({ accepted: false, rejected: previous[0], ...hint });
    }
  });

  it('has what it acknowledges on its disk', () => {
    const server = leaderOf(members([a, b]));
    server.core.step({ from: b, to: a, term: term(1), ...append({ entries: entries(1, 1) }) });
    const ready = server.core.ready();
    expect(ready?.immediate).to.deep.equal([]);
    expect(ready?.persist).to.deep.include({ entries: entries(1, 1), hardState: { term: 1, vote: null, commit: 0 } });
    expect(ready?.afterSync[0]).to.deep.include({ type: 'appendReply', result: { accepted: true, match: 2 } });
  });

  it('does not answer what only tells that entries are committed which it has acknowledged, but the next heartbeat', () => {
    const server = new TestServer(a, members([a, b])).receive(b, 1, append({ entries: entries(1, 1) }));
    expect(server.takeOf('appendReply')).to.have.length(1);
    server.receive(b, 1, append({ previous: [2, 1], commit: 2 }));
    expect(server.core.commit).to.equal(2);
    expect(server.takeOf('appendReply')).to.deep.equal([]);
    const heartbeat = append({ previous: [2, 1], commit: 2 });
    for (let times = 0; times < 2; times += 1)
      expect(server.receive(b, 1, heartbeat).takeOf('appendReply')[0]).to.deep.include({ result: { accepted: true, match: 2 } });
  });

  it('answers such news where they ask for more, or the entries were acknowledged to another leader', () => {
    const server = new TestServer(a, members([a, b, c])).receive(b, 1, append({ entries: entries(1, 1, 1) }));
    server.take();
    server.receive(b, 1, append({ previous: [3, 1], commit: 1, round: 1 }));
    expect(server.takeOf('appendReply')[0]).to.include({ round: 1 });
    server.receive(b, 1, append({ previous: [3, 1], commit: 2, round: 1 }));
    expect(server.takeOf('appendReply')).to.deep.equal([]);
    server.receive(c, 2, append({ previous: [3, 1], commit: 3 }));
    expect(server.takeOf('appendReply')[0]).to.deep.include({ to: c, result: { accepted: true, match: 3 } });
  });

  it('replaces what conflicts with its leader', () => {
    const server = leaderOf(members([a, b]), { stored: entries(1, 1, 1) }).receive(
      b,
      2,
      append({ previous: [1, 1], entries: [entry(2, 2)] }),
    );
    expect(server.disk.stored.map((item) => item.term)).to.deep.equal([1, 2]);
  });

  it('keeps what a message that was overtaken does not mention (figure 2, AppendEntries 3)', () => {
    const server = leaderOf(members([a, b])).receive(b, 1, append({ entries: entries(1, 1, 1) }));
    server.take();
    server.receive(b, 1, append({ entries: entries(1) }));
    expect(server.disk.lastIndex).to.equal(3);
    expect(server.takeOf('appendReply')[0]?.result).to.deep.equal({ accepted: true, match: 1 });
  });

  it('commits no further than what the message shows to agree (figure 2, AppendEntries 5)', () => {
    const server = leaderOf(members([a, b]), { stored: entries(1, 1, 1) }).receive(b, 2, append({ previous: [1, 1], commit: 3 }));
    expect(server.core.commit).to.equal(1);
  });

  it('accepts anew what it has committed, even when it was cut off', () => {
    const server = leaderOf(members([a, b])).receive(b, 1, append({ entries: entries(1, 1, 1), commit: 3 }));
    server.disk.cut(2);
    server.take();
    server.receive(b, 1, append({ entries: entries(1), commit: 3 }));
    expect(server.takeOf('appendReply')[0]?.result).to.deep.equal({ accepted: true, match: 3 });
  });

  it('stops rather than truncate what is committed, or take a log with a gap', () => {
    const committed = (): TestServer => leaderOf(members([a, b])).receive(b, 1, append({ entries: entries(1, 1), commit: 2 }));
    expect(() => committed().receive(b, 2, append({ entries: [entry(1, 2), entry(2, 2), entry(3, 2)] }))).not.to.throw();
    expect(() => committed().receive(b, 2, append({ previous: [2, 1], entries: [entry(4, 2)] }))).to.throw('follow one another');
  });

  it('writes nothing when only the commit index moved', () => {
    const server = leaderOf(members([a, b])).receive(b, 1, append({ entries: entries(1) }));
    server.core.step({ from: b, to: a, term: term(1), ...append({ previous: [1, 1], commit: 1 }) });
    const ready = server.core.ready();
    expect(ready?.persist).to.equal(null);
    expect(ready?.committed).to.have.length(1);
  });
});

describe('logs that differ (figure 7)', () => {
  it("become the leader's, whatever they held, in few round trips", () => {
    // A term has one leader, so logs share entries only up to where they diverge: each has its own terms after that.
    const suffix = (...terms: [number, ...number[]]) =>
      fc.array(fc.constantFrom(...terms), { maxLength: 20 }).map((drawn) => drawn.sort((x, y) => x - y));
    fc.assert(
      fc.property(suffix(1, 2), suffix(3, 5, 7), suffix(4, 6, 8), (start, odd, even) => {
        const [mine, theirs] = [entries(...start, ...odd), entries(...start, ...even)];
        // Voters ensure that the leader's log is at least as new.
        const [newer, older] = isNewer(theirs, mine) ? [theirs, mine] : [mine, theirs];
        const cluster = new TestCluster([a, b, c], (id) => ({ stored: id === b ? older : newer, hard: { term: term(8) } }));
        cluster.tick(electionTicks * 3);
        expect(cluster.at(a).core.role).to.equal('leader');
        expect(cluster.at(b).disk.stored).to.deep.equal(cluster.at(a).disk.stored);
        expect(cluster.at(b).core.commit).to.equal(cluster.at(a).disk.lastIndex);
      }),
      { numRuns: 50 },
    );
  });

  it('are found out a term at a time, not an entry at a time', () => {
    const cluster = new TestCluster([a, b, c], (id) => ({
      stored: id === b ? entries(1, ...Array<number>(200).fill(2)) : entries(1, ...Array<number>(200).fill(3)),
      hard: { term: term(3) },
    }));
    let refusals = 0;
    cluster.tick(electionTicks * 3, (message) => {
      if (message.type === 'appendReply' && !message.result.accepted) refusals++;
      return false;
    });
    expect(cluster.at(b).disk.stored).to.deep.equal(cluster.at(a).disk.stored);
    expect(refusals).to.be.lessThan(5);
  });

  function isNewer(one: readonly Entry[], other: readonly Entry[]): boolean {
    const [lastOfOne, lastOfOther] = [one.at(-1), other.at(-1)];
    return (lastOfOne?.term ?? 0) > (lastOfOther?.term ?? 0) || (lastOfOne?.term === lastOfOther?.term && one.length > other.length);
  }
});

describe('a restarted server', () => {
  it('applies again what was committed but not applied, from its disk', () => {
    const server = leaderOf(members([a, b]), { stored: entries(1, 1, 1), hard: { commit: logIndex(2) }, appliedIndex: logIndex(1) });
    server.settle();
    expect(server.applied.map(({ index }) => index)).to.deep.equal([2]);
  });

  it('takes the applied index as committed, which may be ahead of the saved commit index', () => {
    const server = leaderOf(members([a, b]), { stored: entries(1, 1, 1), hard: { commit: logIndex(1) }, appliedIndex: logIndex(2) });
    expect(server.core.commit).to.equal(2);
    server.settle();
    expect(server.applied).to.deep.equal([]);
  });

  it('refuses to start from a disk that contradicts itself', () => {
    expect(() => leaderOf(members([a]), { stored: entries(1), appliedIndex: logIndex(2) })).to.throw(
      'the log reaches back to the applied index',
    );
    expect(() => leaderOf(members([a]), { stored: entries(1), hard: { commit: logIndex(2) } })).to.throw(
      'the commit index lies within the log',
    );
    expect(() => leaderOf(members([a]), { stored: entries(3), hard: { term: term(2) } })).to.throw('no entry is newer than the term');
  });
});
