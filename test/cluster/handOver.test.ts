import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../deploy/cluster.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { Writers } from './writers.js';

const stopGraceMs = 20_000;
/** Longer than any test here, so that the stopping leader is still found serving. */
const shutdownDelay = '5s';
const pollMs = 10;

/** A stopping leader serves during the balancers' delay and its active requests. */
describe('cluster/hand-over', function () {
  let test: ClusterUnderTest;
  before(async () => {
    test = await ClusterUnderTest.start({ apiserverFlags: [`--shutdown-delay-duration=${shutdownDelay}`] });
  });
  after(() => test?.stop());

  it('a leader that is asked to stop gives leadership away first, and no write fails, neither there nor on the others', async () => {
    const path = await test.namespace('stopping');
    const leader = await test.leader();
    const { term } = await test.status(leader);
    const writers = test.members.map((member) => new Writers(test.at(member), path, 1, `${member.id}-`));
    await Promise.all(writers.map((each) => each.until(20)));
    const stopped = leader.process.stop(stopGraceMs);
    const other = test.members.find((member) => member !== leader) as ClusterMember;
    while ([leader.id, null].includes((await test.status(other)).leaderId)) await delay(pollMs);
    expect(leader.process.running, 'the former leader still serves').to.equal(true);
    const since = performance.now();
    await Promise.all(writers.map((each) => each.until(20, since)));
    await Promise.all(writers.map((each) => each.stop()));
    expect(writers.flatMap(({ failures }) => failures)).to.deep.equal([]);
    expect((await test.status(other)).term, 'one election, and none besides').to.equal(term + 1);
    expect(await stopped, 'it ends by itself').to.equal(true);
  });
});
