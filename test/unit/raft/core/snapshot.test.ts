import { expect } from 'chai';
import type { MessageBody } from '../../../../raft/core/messages.js';
import { logIndex, term } from '../../../../raft/types.js';
import type { SnapshotMeta } from '../../../../raft/types.js';
import { electionTicks, TestServer, a, append, b, bytes, c, d, entries, entry, members } from './harness.js';

const meta = (index: number, ofTerm = 1): SnapshotMeta => ({ index: logIndex(index), term: term(ofTerm), membership: members([a, b, d]) });

/** A leader of term 2 whose log begins after entry 4, and an empty follower c. */
function leaderWithCutLog(): TestServer {
  const server = new TestServer(a, members([a, b, c]), { stored: entries(1, 1, 1, 1, 1), snapshotSource: () => meta(5) })
    .elect(b)
    .accept(b, 6);
  server.disk.cut(4);
  server.take();
  return server;
}

const missesAll = (rejected: number): MessageBody => ({
  type: 'appendReply',
  round: 0,
  result: { accepted: false, rejected: logIndex(rejected), hintIndex: logIndex(0), hintTerm: term(0) },
});

describe('a leader with a cut log', () => {
  it('offers its snapshot to a follower that needs what was cut, once', () => {
    const server = leaderWithCutLog();
    server.receive(c, 2, missesAll(5));
    expect(server.takeOf('installSnapshot').map(({ to, snapshot }) => [to, snapshot.index])).to.deep.equal([[c, 5]]);
    expect(server.core.progress()?.get(c)).to.include({ state: 'snapshot', match: 0 });
    expect(server.tick(4).takeOf('installSnapshot')).to.deep.equal([]);
  });

  it('keeps sending heartbeats meanwhile, which find out by themselves that it arrived', () => {
    const server = leaderWithCutLog().receive(c, 2, missesAll(5));
    server.take();
    expect(server.tick(2).takeOf('append', c)[0]).to.deep.include({ previousIndex: 5, previousTerm: 1, entries: [] });
    server.accept(c, 5);
    expect(server.core.progress()?.get(c)).to.include({ state: 'replicate', match: 5 });
    expect(server.takeOf('append', c)[0]).to.deep.include({ previousIndex: 5 });
  });

  it('goes on behind the snapshot when it is reported as sent, and offers it again when it is not', () => {
    const sent = leaderWithCutLog().receive(c, 2, missesAll(5));
    sent.core.reportSnapshot(c, true);
    sent.take();
    expect(sent.tick(2).takeOf('append', c)[0]).to.deep.include({ previousIndex: 5 });

    const failed = leaderWithCutLog().receive(c, 2, missesAll(5));
    failed.core.reportSnapshot(c, false);
    failed.take();
    expect(failed.tick(2).takeOf('installSnapshot', c)).to.have.length(1);
  });

  it('makes no snapshot for a follower that does not answer', () => {
    const server = leaderWithCutLog();
    for (let i = 0; i < 2; i++) server.tick(electionTicks - 1).accept(b, 6);
    server.core.reportUnreachable(c);
    expect(server.tick(2).takeOf('installSnapshot')).to.deep.equal([]);
  });

  it('stops if the store offers less than what was cut', () => {
    const server = new TestServer(a, members([a, b, c]), { stored: entries(1, 1, 1, 1, 1), snapshotSource: () => meta(3) })
      .elect(b)
      .accept(b, 6);
    server.disk.cut(4);
    expect(() => server.receive(c, 2, missesAll(5))).to.throw('leaves no gap before the log');
  });
});

describe('a follower that is offered a snapshot', () => {
  const offer = (index: number, ofTerm = 1): MessageBody => ({ type: 'installSnapshot', snapshot: meta(index, ofTerm) });

  it('installs it in place of its log, takes its membership, and acknowledges after the disk', () => {
    const server = new TestServer(a, members([a, b]), { stored: entries(1, 1) });
    server.core.step({ from: b, to: a, term: term(1), ...offer(7) });
    const ready = server.core.ready();
    expect(ready?.install).to.deep.equal(meta(7));
    expect(ready?.persist?.hardState).to.include({ term: 1, commit: 7 });
    expect(ready?.immediate).to.deep.equal([]);
    expect(ready?.afterSync[0]).to.deep.include({ type: 'appendReply', result: { accepted: true, match: 7 } });
    expect(server.core.membership).to.deep.equal(members([a, b, d]));
    expect(server.core.commit).to.equal(7);
  });

  it('takes entries behind it in the same Ready, and applies only those', () => {
    const server = new TestServer(a, members([a, b]));
    server.core.step({ from: b, to: a, term: term(1), ...offer(7) });
    server.core.step({ from: b, to: a, term: term(1), ...append({ previous: [7, 1], entries: [entry(8, 1)], commit: 8 }) });
    const [ready] = server.settle();
    expect(ready?.install).to.deep.equal(meta(7));
    expect(server.disk.stored.map(({ index }) => index)).to.deep.equal([8]);
    expect(server.applied.map(({ index }) => index)).to.deep.equal([8]);
  });

  it('only commits when it has the entries already (figure 13, step 6)', () => {
    const server = new TestServer(a, members([a, b]), { stored: entries(1, 1, 1) }).receive(b, 1, offer(2));
    expect(server.installed).to.deep.equal([]);
    expect(server.disk.lastIndex).to.equal(3);
    expect(server.core.commit).to.equal(2);
  });

  it('ignores one that is older than what it has committed', () => {
    const server = new TestServer(a, members([a, b])).receive(b, 1, append({ entries: entries(1, 1, 1), commit: 3 }));
    server.take();
    server.receive(b, 1, offer(2));
    expect(server.installed).to.deep.equal([]);
    expect(server.takeOf('appendReply')[0]?.result).to.deep.equal({ accepted: true, match: 3 });
  });

  it('installs the newer of two that arrive before the disk is ready', () => {
    const server = new TestServer(a, members([a, b]));
    server.core.step({ from: b, to: a, term: term(1), ...offer(7) });
    const first = server.core.ready();
    server.core.step({ from: b, to: a, term: term(1), ...offer(9) });
    if (first !== null) server.save(first);
    expect(server.settle()[0]?.install).to.deep.equal(meta(9));
    expect(server.disk.lastIndex).to.equal(9);
  });

  it('starts again from it', () => {
    const server = new TestServer(a, members([a, b])).receive(b, 1, offer(7));
    const again = new TestServer(a, meta(7).membership, { log: server.disk, hard: server.hardState, appliedIndex: logIndex(7) });
    again.receive(b, 1, append({ previous: [7, 1], entries: [entry(8, 1)], commit: 8 }));
    expect(again.applied.map(({ index }) => index)).to.deep.equal([8]);
    expect(again.core.propose([bytes('x')])).to.deep.equal({ outcome: 'notLeader', leader: b });
  });
});
