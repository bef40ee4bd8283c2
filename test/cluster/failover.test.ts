import { expect } from 'chai';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { Writers, type Acknowledged } from './writers.js';

describe('cluster/failover', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  beforeEach(async () => {
    test = await ClusterUnderTest.start();
  });
  afterEach(() => test?.stop());

  /** All running replicas have equal content, including every acknowledged write in its version. */
  async function expectComplete(path: string, acknowledged: readonly Acknowledged[]): Promise<void> {
    const running = test.members.filter((member) => member.process.running);
    const [first, ...others] = await Promise.all(running.map((member) => test.contents(member, path)));
    const missing = acknowledged.filter(({ name, resourceVersion }) => first?.[name] !== resourceVersion).map(({ name }) => name);
    expect(missing, 'acknowledged and missing').to.deep.equal([]);
    for (const other of others) expect(other).to.deep.equal(first);
  }

  it('writes again after the leader is killed, loses nothing, and takes the killed replica back', async () => {
    const path = await test.namespace('failover');
    const writers = new Writers(test.client, path, 4);
    await writers.until(100);
    const leader = await test.leader();
    const killedMs = performance.now();
    await test.kill(leader);
    const since = await writers.until(100, killedMs);
    await writers.stop();

    const interruptionMs = Math.min(...since.map(({ endedMs }) => endedMs)) - killedMs;
    process.stdout.write(
      `      leader killed: first write after ${Math.round(interruptionMs)} ms; ${writers.failures.length} of ${writers.acknowledged.length + writers.failures.length} writes failed\n`,
    );
    expect((await test.leader()).id).not.to.equal(leader.id);
    await expectComplete(path, writers.acknowledged);

    await leader.restart();
    await test.caughtUp(leader);
    await expectComplete(path, writers.acknowledged);
    const members = (await test.status(await test.leader())).members;
    expect(members.map(({ role }) => role)).to.deep.equal(['voter', 'voter', 'voter']);
  });

  it('loses nothing when all replicas are killed at once', async () => {
    const path = await test.namespace('blackout');
    const writers = new Writers(test.client, path, 4);
    await writers.until(100);
    await Promise.all(test.members.map((member) => test.kill(member)));
    await writers.stop();
    await test.cluster.startStopped();
    await expectComplete(path, writers.acknowledged);
    await test.client.expect(201, 'POST', path, { body: { metadata: { name: 'afterwards' } } });
  });

  it('loses nothing when one replica after another is killed and started again', async () => {
    const path = await test.namespace('rolling');
    const writers = new Writers(test.client, path, 2);
    for (const member of test.members) {
      await writers.until(20, performance.now());
      await test.kill(member);
      await member.restart();
      await test.caughtUp(member);
    }
    await writers.until(20, performance.now());
    await writers.stop();
    await expectComplete(path, writers.acknowledged);
  });
});
