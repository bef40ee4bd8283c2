import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../deploy/cluster.js';
import type { ApiObject } from '../fixtures/apiClient.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';

/** History and log are short, so that seconds are a long absence. */
const apiserverFlags = ['--etcd-compaction-interval=1s', '--raft-log-entries-kept=10'];
const pollMs = 50;
/** The log is cut after so many megabytes, too. */
const filler = 'x'.repeat(900_000);

/** What `/raft/v1/status` tells of the past that a member keeps. */
interface Past { readonly firstIndex: number; readonly lastIndex: number; readonly revision: number; readonly compactedRevision: number }

describe('cluster/away', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  before(async () => { test = await ClusterUnderTest.start({ apiserverFlags }); });
  after(() => test?.stop());

  const past = async (member: ClusterMember): Promise<Past> => await test.status(member) as unknown as Past;

  it('a member that hangs for longer than history is kept goes on in the same process: what is read there is true, and watches that missed something are sent back to a list', async () => {
    const path = await test.namespace('away');
    const leader = await test.leader();
    const away = test.members.find((member) => member !== leader) as ClusterMember;
    const { metadata } = await test.client.expect(201, 'POST', path, { body: configMap('counter', { at: '0' }) });
    await test.client.expect(201, 'POST', path, { body: configMap('gone') });
    await test.caughtUp(away);
    const watch = test.at(away).watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'gone'));
    const left = await past(away);
    const { pid } = away.process;

    away.process.pause();
    await test.at(leader).expect(200, 'DELETE', `${path}/gone`);
    for (let at = 1, now = left; now.firstIndex <= left.lastIndex || now.compactedRevision <= left.revision; at++) {
      await test.at(leader).expect(200, 'PUT', `${path}/counter`, { body: configMap('counter', { at: String(at), filler }) });
      now = await past(leader);
    }
    away.process.resume();

    await watch.until((events) => events.at(-1)?.type === 'ERROR');
    expect((watch.events.at(-1)?.object as Partial<ApiObject>).code).to.equal(410);
    await test.caughtUp(away);
    const there = await test.at(away).expect(200, 'GET', path);
    expect(there.items?.map((item) => item.metadata.name), 'deletions that it was never told of').to.not.include('gone');
    expect(await test.contents(away, path)).to.deep.equal(await test.contents(leader, path));

    const resumed = test.at(away).watch(`${path}?watch=1&resourceVersion=${there.metadata.resourceVersion}`);
    await resumed.opened;
    await test.client.expect(201, 'POST', path, { body: configMap('later') });
    await resumed.until((events) => events.some(({ object }) => object.metadata.name === 'later'));
    resumed.close();
    while ((await test.at(away).request('GET', '/readyz')).status !== 200) await delay(pollMs);
    expect([away.process.pid, away.process.running]).to.deep.equal([pid, true]);
  });
});
