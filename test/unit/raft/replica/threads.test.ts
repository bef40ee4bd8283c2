import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { joinReplica, startSharedReplica, type SharedReplica } from '../../../../raft/client.js';
import { encodeProposal, readProposalId, renumbered } from '../../../../raft/store/command.js';
import { memberId, revision } from '../../../../raft/types.js';
import { timeoutMs } from './testCluster.js';

const put = (key: string, value = 'value') => ({ comparisons: [], operations: [{ type: 'put' as const, key, value: Buffer.from(value) }] });

describe('raft/client, one replica for several threads', function () {
  let directory: string;
  let users: readonly SharedReplica[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'raft-threads-'));
    const id = memberId('only');
    const { tickets, ...owner } = await startSharedReplica(
      {
        memberId: id,
        dataDirectory: join(directory, 'data'),
        initialMembers: [{ id, role: 'voter', address: '127.0.0.1:1' }],
        clusterToken: 'test',
        listenAddress: null,
        tls: null,
        heartbeatIntervalMs: 100,
        electionTimeoutMs: 1000,
        logEntriesKept: 100,
      },
      2,
    );
    users = [owner, ...tickets.map(joinReplica)];
  });
  afterEach(async () => {
    await users[0]?.replica.stop();
    await Promise.all(users.slice(1).map(({ replica }) => replica.stop()));
    rmSync(directory, { recursive: true, force: true });
  });

  it('answers each thread what it asked, after the changes that led there, which all are delivered once and in order', async () => {
    const seen = users.map(({ replica }) => {
      const keys: string[] = [];
      replica.onChanges(({ changes }) => {
        for (const change of changes) keys.push(`${change.revision} ${change.key} ${Buffer.from(change.value ?? []).toString()}`);
      });
      return keys;
    });
    const writes = Array.from({ length: 90 }, async (_, number) => {
      const user = number % users.length;
      const written = await users[user]!.replica.write(put(`/key/${number}`, `of ${user}`), { timeoutMs });
      if (written.outcome !== 'applied') throw new Error(written.outcome);
      expect(seen[user]).to.include(`${written.revision} /key/${number} of ${user}`);
      return written.revision;
    });
    const revisions = await Promise.all(writes);
    expect([...revisions].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 90 }, (_, at) => at + 1));
    await Promise.all(users.map(({ replica }) => replica.barrier(timeoutMs)));
    expect(seen[0]).to.have.length(90);
    expect(seen[1]).to.deep.equal(seen[0]);
    expect(seen[2]).to.deep.equal(seen[0]);
  });

  it('says on every thread how far any of them may know, before one of them does', async () => {
    const reported: number[] = [];
    users[1]!.replica.onChanges(({ revision }) => reported.push(users[2]!.published() - revision));
    for (let number = 0; number < 20; number++) {
      const written = await users[1]!.replica.write(put(`/key/${number}`), { timeoutMs });
      expect(written.outcome).to.equal('applied');
      for (const user of users) expect(user.published()).to.be.at.least(number + 1);
    }
    expect(reported.every((ahead) => ahead >= 0)).to.equal(true);
  });

  it('is sure of the present on a thread only when that one has received what another one may know', async () => {
    const [writer, reader] = [users[1]!, users[2]!];
    const reported: number[] = [];
    reader.replica.onChanges(({ revision }) => reported.push(revision));
    await Promise.all(users.map(({ replica }) => replica.barrier(timeoutMs)));
    for (let number = 0; number < 30; number++) {
      const written = await writer.replica.write(put(`/key/${number}`), { timeoutMs });
      if (written.outcome !== 'applied') throw new Error(written.outcome);
      const current = reader.replica.current();
      if (current !== null) expect([current, reported.at(-1)]).to.deep.equal([written.revision, written.revision]);
      await reader.replica.barrier(timeoutMs);
      expect(reader.replica.current()).to.equal(written.revision);
    }
  });

  it('compares what several threads write to one key: one of them wins', async () => {
    const creation = (user: number) => ({
      comparisons: [{ key: '/one', modRevision: revision(0) }],
      operations: [{ type: 'put' as const, key: '/one', value: Buffer.from(`of ${user}`) }],
    });
    const outcomes = await Promise.all(users.map(({ replica }, user) => replica.write(creation(user), { timeoutMs })));
    expect(outcomes.map(({ outcome }) => outcome).sort()).to.deep.equal(['applied', 'conflict', 'conflict']);
  });

  it('goes on for the others when one leaves, however much they write', async () => {
    await users[2]!.replica.stop();
    const large = 'x'.repeat(1 << 20);
    // More than a thread may leave unread.
    for (let number = 0; number < 70; number++) {
      const written = await users[1]!.replica.write(put('/key', large), { timeoutMs });
      expect(written.outcome).to.equal('applied');
    }
    const late = await users[2]!.replica.write(put('/key'), { timeoutMs });
    expect(late.outcome).to.equal('unavailable');
  });

  it('ends for all of them when its owner stops it', async () => {
    const failed = new Promise<Error>((resolve) => users[1]!.replica.onFailure(resolve));
    await users[0]!.replica.stop();
    expect((await failed).message).to.include('closed its port');
  });
});

describe('raft/store/command, a proposal under another number', () => {
  it('differs in nothing else', () => {
    const command = { type: 'transaction' as const, transaction: put('/key') };
    for (const [from, to] of [
      [1, 2],
      [5, 70_000],
      [Number.MAX_SAFE_INTEGER, 1],
    ] as const) {
      const changed = renumbered(encodeProposal('session', from, command), to);
      expect(Buffer.from(changed)).to.deep.equal(Buffer.from(encodeProposal('session', to, command)));
      expect(readProposalId(changed)).to.deep.equal({ session: 'session', sequence: to });
    }
  });
});
