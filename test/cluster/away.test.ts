import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../deploy/cluster.js';
import { endedInOrder, type ApiObject } from '../fixtures/apiClient.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';

/** History and log are short, so that an absence of seconds is long. */
const apiserverFlags = ['--etcd-compaction-interval=1s', '--raft-log-entries-kept=10'];
const pollMs = 50;
/** The log is also cut by size. */
const filler = 'x'.repeat(900_000);
/** This many exceed the queue of a watch several times. */
const burst = 20;

/** The retained past and the connections in `/raft/v1/status`. */
interface Past {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly revision: number;
  readonly compactedRevision: number;
  readonly peers: readonly { readonly id: string; readonly connected: boolean }[];
}

describe('cluster/away', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  afterEach(() => test?.stop());

  const past = async (member: ClusterMember): Promise<Past> => (await test.status(member)) as unknown as Past;
  const write = async (at: number, leader: ClusterMember, path: string): Promise<void> => {
    await test.at(leader).expect(200, 'PUT', `${path}/counter`, { body: configMap('counter', { at: String(at), filler }) });
  };

  /** Waits until a member has closed its connection to `away`, and sends nothing more. */
  const givenUp = async (member: ClusterMember, away: ClusterMember): Promise<Past> => {
    for (;;) {
      const now = await past(member);
      if (now.peers.some(({ id, connected }) => id === away.id && !connected)) return now;
      await delay(pollMs);
    }
  };

  it('a member that hangs for longer than history is kept goes on in the same process: what is read there is true, and watches that missed something are sent back to a list', async () => {
    test = await ClusterUnderTest.start({ apiserverFlags });
    const path = await test.namespace('away');
    const leader = await test.leader();
    const away = test.members.find((member) => member !== leader) as ClusterMember;
    const { metadata } = await test.client.expect(201, 'POST', path, { body: configMap('counter', { at: '0' }) });
    await test.client.expect(201, 'POST', path, { body: configMap('gone') });
    await test.caughtUp(away);
    const target = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const watches = [test.at(away).watch(target), test.at(away).watchOverHttp2(target)];
    for (const watch of watches) await watch.until((events) => events.some(({ object }) => object.metadata.name === 'gone'));
    const { pid } = away.process;

    away.process.pause();
    // The member still receives messages in transit. Only later entries can be out of its reach.
    const others = test.members.filter((member) => member !== away);
    const reached = await Promise.all(others.map(async (member) => givenUp(member, away)));
    const lastIndex = Math.max(...reached.map((each) => each.lastIndex));
    const revision = Math.max(...reached.map((each) => each.revision));
    await test.at(leader).expect(200, 'DELETE', `${path}/gone`);
    for (let at = 1, beyond = false; !beyond; at++) {
      await write(at, leader, path);
      const now = await Promise.all(others.map(past));
      beyond = now.every((each) => each.firstIndex > lastIndex + 1 && each.compactedRevision > revision + 1);
    }
    away.process.resume();

    for (const watch of watches) {
      await watch.until((events) => events.at(-1)?.type === 'ERROR');
      expect((watch.events.at(-1)?.object as Partial<ApiObject>).code).to.equal(410);
      expect(await watch.over).to.equal(endedInOrder);
    }
    await test.caughtUp(away);
    const there = await test.at(away).expect(200, 'GET', path);
    expect(
      there.items?.map((item) => item.metadata.name),
      'deletions that it never saw',
    ).to.not.include('gone');
    expect(await test.contents(away, path)).to.deep.equal(await test.contents(leader, path));

    const resumed = test.at(away).watch(`${path}?watch=1&resourceVersion=${there.metadata.resourceVersion}`);
    await resumed.opened;
    await test.client.expect(201, 'POST', path, { body: configMap('later') });
    await resumed.until((events) => events.some(({ object }) => object.metadata.name === 'later'));
    resumed.close();
    while ((await test.at(away).request('GET', '/readyz')).status !== 200) await delay(pollMs);
    expect([away.process.pid, away.process.running]).to.deep.equal([pid, true]);
  });

  it('a member that hangs while others write much takes all of it when it goes on, and its watches show all of it, however much comes at once', async () => {
    test = await ClusterUnderTest.start();
    const path = await test.namespace('burst');
    const leader = await test.leader();
    const away = test.members.find((member) => member !== leader) as ClusterMember;
    const { metadata } = await test.client.expect(201, 'POST', path, { body: configMap('counter', { at: '0' }) });
    await test.caughtUp(away);
    const target = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const watches = [test.at(away).watch(target), test.at(away).watchOverHttp2(target)];
    await Promise.all(watches.map(async (watch) => watch.opened));

    away.process.pause();
    const written = Array.from({ length: burst }, (_, i) => i + 1);
    for (const at of written) await write(at, leader, path);
    away.process.resume();

    for (const watch of watches) {
      await watch.until((events) => events.length >= burst);
      expect(watch.events.map(({ type, object }) => `${type} ${object.data?.at}`)).to.deep.equal(written.map((at) => `MODIFIED ${at}`));
      watch.close();
    }
  });
});
