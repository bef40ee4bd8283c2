import { expect } from 'chai';
import fc from 'fast-check';
import type { Replica } from '../../../../raft/replicaApi.js';
import { SoleMember, SoleMemberReader, soleMemberWord } from '../../../../raft/replica/soleMember.js';

import { TestCluster, eventually, timeoutMs } from './testCluster.js';

describe('raft/replica, the only member', function () {
  const put = (key: string): Parameters<Replica['write']>[0] => ({
    comparisons: [],
    operations: [{ type: 'put', key, value: Buffer.from('value') }],
  });

  describe('as the word that threads share says', () => {
    it('is certain from a barrier on that was asked for and reached while nothing changed', () => {
      const step = fc.constantFrom('sole', 'notSole', 'ask', 'reach' as const);
      fc.assert(
        fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
          const word = soleMemberWord();
          const reported = new SoleMember(word);
          const reader = new SoleMemberReader(word);
          // The model: the step since which it is the only member, the step of each open barrier, and the latest that was reached.
          let since: number | null = null;
          let provenSince: number | null = null;
          const asked: { readonly at: number; readonly word: number }[] = [];
          for (const [at, what] of steps.entries()) {
            if (what === 'sole') since ??= at;
            if (what === 'notSole') since = null;
            if (what === 'sole' || what === 'notSole') reported.tell(what === 'sole');
            if (what === 'ask') asked.push({ at, word: reader.word });
            const barrier = what === 'reach' ? asked.shift() : undefined;
            if (barrier !== undefined) {
              reader.reached(barrier.word);
              if (since !== null && barrier.at > since) provenSince = since;
            }
            expect(reader.isProven).to.equal(since !== null && provenSince === since);
          }
        }),
        { numRuns: 2_000 },
      );
    });
  });

  describe('of a cluster', () => {
    let cluster: TestCluster;
    beforeEach(() => {
      cluster = new TestCluster();
    });
    afterEach(() => cluster.end());

    it('knows without asking what everybody may know, once it has asked', async () => {
      await cluster.prepare('a');
      const { replica, changes } = await cluster.start('a');
      expect(replica.current(), 'what was written before it was started').to.equal(null);
      await cluster.leader();
      const reached = await replica.barrier(timeoutMs);
      expect(reached).to.deep.equal({ outcome: 'reached', revision: replica.current() });
      for (let number = 0; number < 20; number += 1) {
        const written = await replica.write(put(`/key/${number}`), { timeoutMs });
        expect(written).to.deep.equal({ outcome: 'applied', revision: replica.current() });
        expect(changes.at(-1)?.revision).to.equal(replica.current());
      }
      await cluster.stop('a');
      expect(replica.current()).to.equal(null);
    });

    it('has to ask as soon as there is a learner, and again when that one is gone', async () => {
      await cluster.prepare('a');
      const { replica } = await cluster.start('a');
      await cluster.leader();
      await replica.barrier(timeoutMs);
      const member = await cluster.member('b', 'learner');
      expect(await replica.changeMembership({ type: 'addLearner', member }, timeoutMs)).to.deep.equal({ outcome: 'applied' });
      await replica.barrier(timeoutMs);
      expect(replica.current()).to.equal(null);
      expect(await replica.changeMembership({ type: 'remove', id: member.id }, timeoutMs)).to.deep.equal({ outcome: 'applied' });
      expect(replica.current(), 'before another barrier').to.equal(null);
      expect(await replica.barrier(timeoutMs)).to.deep.equal({ outcome: 'reached', revision: replica.current() });
    });

    it('is none of three, not even the one that leads, until the others are removed', async () => {
      await cluster.prepare('a', 'b');
      for (const name of ['a', 'b']) await cluster.start(name);
      const leader = await cluster.leader();
      const other = await cluster.follower();
      for (const { replica } of [leader, other]) {
        await replica.barrier(timeoutMs);
        expect(replica.current()).to.equal(null);
      }
      await eventually(async () => {
        const removed = await leader.replica.changeMembership({ type: 'remove', id: other.id }, timeoutMs);
        return removed.outcome === 'applied' ? true : null;
      });
      expect(await leader.replica.barrier(timeoutMs)).to.deep.equal({ outcome: 'reached', revision: leader.replica.current() });
    });
  });
});
