import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../deploy/cluster.js';
import type { Answer, ApiObject } from '../fixtures/apiClient.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';
import { crowding } from '../fixtures/crowding.js';

/** The timeout of requests without a quorum, and the tolerance of their answers. */
const requestTimeoutMs = 5000;
const toleranceMs = 3000;
const pollMs = 50;

describe('cluster/quorum', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  beforeEach(async () => {
    test = await ClusterUnderTest.start();
  });
  afterEach(() => test?.stop());

  const others = (member: ClusterMember): ClusterMember[] => test.members.filter((other) => other !== member);
  const readyz = async (member: ClusterMember): Promise<number> => (await test.at(member).request('GET', '/readyz')).status;

  async function expectWorking(path: string, prefix: string): Promise<void> {
    for (let i = 0; i < 10; i++) {
      await test.client.expect(201, 'POST', path, { body: configMap(`${prefix}${i}`) });
      const read = await test.client.expect(200, 'GET', `${path}/${prefix}${i}`);
      expect(read.metadata.name).to.equal(`${prefix}${i}`);
    }
  }

  it('goes on without a follower, killed or hanging', async () => {
    const path = await test.namespace('minority');
    const [killed, paused] = others(await test.leader()) as [ClusterMember, ClusterMember];
    await test.kill(killed);
    await expectWorking(path, 'killed');
    await killed.restart();
    await test.caughtUp(killed);
    paused.process.pause();
    const running = others(paused);
    for (const member of running) {
      for (let i = 0; i < 5; i++) await test.at(member).expect(201, 'POST', path, { body: configMap(`paused-${member.id}-${i}`) });
      expect(Object.keys(await test.contents(member, path))).to.include(`paused-${member.id}-4`);
    }
    paused.process.resume();
    await test.caughtUp(paused);
    expect(await test.contents(paused, path)).to.deep.equal(await test.contents(running[0] as ClusterMember, path));
  });

  it('goes on without a leader that hangs, and the leader notices that it is none any more', async () => {
    const path = await test.namespace('hanging');
    const leader = await test.leader();
    leader.process.pause();
    const [first, second] = others(leader) as [ClusterMember, ClusterMember];
    const started = performance.now();
    for (;;) {
      const answer = await test
        .at(first)
        .request('POST', path, { body: configMap('moved-on'), timeoutMs: requestTimeoutMs })
        .catch(() => null);
      if (answer?.status === 201 || answer?.status === 409) break;
      await delay(pollMs);
    }
    process.stdout.write(`      leader hangs: first write after ${Math.round(performance.now() - started)} ms\n`);
    leader.process.resume();
    const written = await test.at(leader).expect(200, 'GET', `${path}/moved-on`);
    expect(written).to.deep.equal(await test.at(second).expect(200, 'GET', `${path}/moved-on`));
  });

  it('refuses writes and current reads clearly without a majority, keeps watches, and recovers', async () => {
    const path = await test.namespace('majority');
    await test.client.expect(201, 'POST', path, { body: configMap('before') });
    const [survivor, ...lost] = test.members as [ClusterMember, ...ClusterMember[]];
    await test.caughtUp(survivor);
    const { metadata } = await test.at(survivor).expect(200, 'GET', path);
    const watch = test.at(survivor).watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    await watch.opened;
    await Promise.all(lost.map((member) => test.kill(member)));

    const timed = async (method: string, target: string, body?: unknown): Promise<Answer & { tookMs: number }> => {
      const started = performance.now();
      const answer = await test.at(survivor).request(method, target, { body });
      return { ...answer, tookMs: performance.now() - started };
    };
    const refused = await Promise.all([
      timed('POST', `${path}?timeout=${requestTimeoutMs}ms`, configMap('lost')),
      timed('DELETE', `${path}/before?timeout=${requestTimeoutMs}ms`),
      timed('GET', `${path}/before?timeout=${requestTimeoutMs}ms`),
      timed('GET', `${path}?timeout=${requestTimeoutMs}ms`),
    ]);
    for (const { status, body, tookMs } of refused) {
      expect(status, JSON.stringify(body)).to.be.oneOf([503, 504]);
      expect(body as ApiObject).to.deep.include({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status });
      expect((body as ApiObject).message, 'message')
        .to.be.a('string')
        .and.not.equal('');
      expect(tookMs).to.be.lessThan(requestTimeoutMs + toleranceMs * crowding());
    }
    while ((await readyz(survivor)) === 200) await delay(pollMs);
    expect((await test.at(survivor).expect(200, 'GET', `${path}?resourceVersion=0`)).items?.map((item) => item.metadata.name)).to.include(
      'before',
    );
    expect(watch.ended).to.equal(null);
    // The balancer passes the server's own answer on.
    expect((await test.client.request('GET', `${path}/before?timeout=${requestTimeoutMs}ms`)).status).to.be.oneOf([503, 504]);

    await test.cluster.startStopped();
    await test.at(survivor).expect(201, 'POST', path, { body: configMap('after') });
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'after'));
    watch.close();
    // A refused write is definite unless its answer says otherwise.
    const [create] = refused;
    if (create?.status === 503) expect(Object.keys(await test.contents(survivor, path))).not.to.include('lost');
  });
});
