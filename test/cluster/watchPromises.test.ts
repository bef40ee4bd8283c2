import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import { WebSocket } from 'ws';
import type { WatchEvent } from '../fixtures/apiClient.js';
import { Changer } from './changer.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';
import { Follower } from './follower.js';

const versionOf = ({ object }: WatchEvent): number => Number(object.metadata.resourceVersion);
const line = (event: WatchEvent): string =>
  `${event.type} ${event.object.metadata.name}@${versionOf(event)} ${event.object.data?.['left'] ?? ''}`;

for (const threads of [1, 3])
  describe(`cluster/watchPromises, serving threads: ${threads}`, function () {
    this.timeout(180_000);
    let test: ClusterUnderTest;
    const followers: Follower[] = [];
    before(async () => {
      test = await ClusterUnderTest.start({
        // The test compacts history, because the time of a killed replica's absence depends on the machine.
        apiserverFlags: ['--etcd-compaction-interval=0', `--serving-threads=${threads}`],
      });
    });
    let changers: readonly Changer[] = [];
    afterEach(function () {
      if (this.currentTest?.isFailed() !== true) return;
      const lines = [...changers.map((changer) => changer.progress), ...followers.map((follower) => follower.progress)];
      process.stdout.write(lines.map((line) => `      ${line}\n`).join(''));
    });
    after(async () => {
      await Promise.all(followers.map((follower) => follower.stop()));
      await test?.stop();
    });

    const compact = async (revision: number): Promise<void> => {
      await test.at(await test.leader()).expect(200, 'POST', `/raft/v1/compact?revision=${revision}`);
    };

    it('keeps all six while the leader is killed and comes back, clients change replicas, and history is compacted', async () => {
      const path = await test.namespace('promises');
      const start = (await test.client.expect(200, 'GET', path)).metadata.resourceVersion;
      const leader = await test.leader();
      const servers = test.members.map((member) => test.at(member));
      // Three rotate, and one uses only the replica that will be killed.
      for (let first = 0; first < 3; first++) followers.push(new Follower(servers, path, start, first));
      followers.push(new Follower([test.at(leader)], path, start, 0));

      changers = ['x', 'y', 'z'].map((name) => new Changer(test, path, name));
      await Promise.all(changers.map((changer) => changer.until(40)));
      await test.kill(leader);
      await Promise.all(changers.map((changer) => changer.until(changer.written.size + 40)));
      await leader.restart();
      await Promise.all(changers.map((changer) => changer.until(changer.written.size + 40)));
      await Promise.all(followers.map((follower) => follower.reconnected(3)));
      await compact(Math.min(...followers.map(({ shownVersion }) => shownVersion)));
      await Promise.all(changers.map((changer) => changer.until(changer.written.size + 40)));
      await Promise.all(followers.map((follower) => follower.reconnected(follower.connections + 1)));
      await Promise.all(changers.map((changer) => changer.stop()));
      const last = await test.client.expect(201, 'POST', path, { body: configMap('last', { left: 'last', right: 'last' }) });
      await Promise.all(followers.map((follower) => follower.until('last')));

      const [one] = followers as [Follower];
      const lines = one.events.map(line);
      expect(new Set(lines).size, 'unique').to.equal(lines.length);
      const versions = one.events.map(versionOf);
      expect(versions, 'ordered').to.deep.equal([...versions].sort((a, b) => a - b));
      for (const { object } of one.events) expect(object.data?.['left'], 'atomic').to.equal(object.data?.['right']);
      const acknowledged = changers.flatMap((changer) => [...changer.written]);
      acknowledged.push([Number(last.metadata.resourceVersion), 'last']);
      const shown = new Map(
        one.events.filter(({ type }) => type !== 'DELETED').map((event) => [versionOf(event), event.object.data?.['left']]),
      );
      expect(
        acknowledged.filter(([version, text]) => shown.get(version) !== text),
        'reliable',
      ).to.deep.equal([]);
      for (const follower of followers) {
        expect(follower.expired, 'resumable').to.deep.equal([]);
        expect(follower.connections).to.be.greaterThan(1);
        expect(follower.events.map(line), 'the same on every way').to.deep.equal(lines);
        for (const { version, after } of follower.bookmarks) {
          expect(follower.events.filter((event) => versionOf(event) <= version).length, 'bookmarkable').to.equal(after);
        }
      }
      expect(followers.flatMap(({ bookmarks }) => bookmarks).length, 'bookmarks').to.be.greaterThan(0);
      process.stdout.write(
        `      ${lines.length} events; ${followers.map(({ connections, bookmarks }) => `${connections} connections and ${bookmarks.length} bookmarks`).join(', ')}\n`,
      );
    });

    it('refuses on every replica what was compacted', async () => {
      const path = await test.namespace('compacted');
      const { metadata } = await test.client.expect(201, 'POST', path, { body: configMap('a', { n: '0' }) });
      const changed = await test.client.expect(200, 'PUT', `${path}/a`, { body: configMap('a', { n: '1' }) });
      await compact(versionOf({ type: 'MODIFIED', object: changed }));
      const refusal = async (server: ReturnType<ClusterUnderTest['at']>): Promise<WatchEvent | undefined> => {
        const watch = server.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=5`);
        await watch.until((events) => events.length > 0);
        watch.close();
        return watch.events[0];
      };
      for (const member of test.members) {
        let event = await refusal(test.at(member));
        while (event?.type !== 'ERROR') event = await refusal(test.at(member));
        expect(event.object).to.include({ code: 410, reason: 'Expired' });
        expect(
          (await test.at(member).request('GET', `${path}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)).status,
        ).to.equal(410);
      }
    });

    it('compacts nothing that has not been written yet', async () => {
      const member = test.at(await test.leader());
      const { revision } = (await member.expect(200, 'GET', '/raft/v1/status')) as unknown as { readonly revision: number };
      const answer = await member.request('POST', `/raft/v1/compact?revision=${revision + 1_000_000}`);
      expect(answer.status).to.equal(400);
      expect(answer.body).to.have.property('message').that.includes('in the future');
    });

    it('watches over WebSockets, through TLS', async () => {
      const path = await test.namespace('websocket');
      const { caFile, admin } = test.cluster.pki;
      const [member] = test.members;
      const socket = new WebSocket(`${(member?.address ?? '').replace('https', 'wss')}${path}?watch=1`, {
        ca: fs.readFileSync(caFile),
        cert: fs.readFileSync(admin.certFile),
        key: fs.readFileSync(admin.keyFile),
      });
      await once(socket, 'open');
      const message = once(socket, 'message', { signal: AbortSignal.timeout(20_000) }) as Promise<[Buffer]>;
      await test.client.expect(201, 'POST', path, { body: configMap('seen') });
      // Each namespace's bundle of certificates may come first.
      expect(JSON.parse((await message)[0].toString())).to.include({ type: 'ADDED' });
      socket.terminate();
    });
  });
