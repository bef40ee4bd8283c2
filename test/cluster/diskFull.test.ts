import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { ClusterMember } from '../../deploy/cluster.js';
import { SmallDisk } from '../fixtures/smallDisk.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';

const pollMs = 50;

describe('cluster/diskFull', function () {
  this.timeout(300_000);
  let disk: SmallDisk | null = null;
  let test: ClusterUnderTest | null = null;
  afterEach(async () => {
    await test?.stop();
    disk?.unmount();
    test = disk = null;
  });

  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds().catch(() => false))) await delay(pollMs);
  };

  it('is read-only, not down: the servers of one disk, their launcher, and elections go on, and nothing acknowledged is lost', async function () {
    const mounted = (disk = SmallDisk.mount(256));
    if (mounted === null) return this.skip();
    const started = (test = await ClusterUnderTest.start({
      dataDirectory: join(mounted.directory, 'cluster'),
      managers: 1,
      restartFailed: true,
    }));
    const path = await started.namespace('full');
    const big = 'x'.repeat(400_000);
    const acknowledged: string[] = [];
    let refusal = '';
    for (let number = 0; refusal === ''; number += 1) {
      const answer = await started.client.request('POST', path, { body: configMap(`big-${number}`, { big }) });
      if (answer.status === 201) acknowledged.push(`big-${number}`);
      else refusal = `${answer.status} ${JSON.stringify(answer.body)}`;
    }
    expect(refusal).to.match(/^507 .*InsufficientStorage/);
    expect(acknowledged).to.not.have.length(0);

    const [first] = acknowledged as [string];
    await started.client.expect(200, 'GET', `${path}/${first}`);
    await started.client.expect(200, 'DELETE', `${path}/${first}`);
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'leader' },
      spec: { holderIdentity: 'somebody' },
    };
    await started.client.expect(201, 'POST', '/apis/coordination.k8s.io/v1/namespaces/full/leases', { body: lease });
    for (const member of started.members) {
      const ready = await started.at(member).request('GET', '/readyz?verbose');
      expect(ready.status).to.equal(200);
      expect(ready.body).to.match(/\[!\]storage-space warning: too little space is left on the disk/);
      expect((await started.at(member).request('GET', '/metrics')).body).to.match(/raftplane_raft_space_alarm\{cause="disk"\} 1/);
    }

    // Completely full: the launcher cannot write files, but still restarts processes.
    mounted.fill();
    const [victim] = started.members as [ClusterMember];
    await started.kill(victim);
    victim.process.start();
    await until(async () => (await started.at(victim).request('GET', `${path}?resourceVersion=0`)).status === 200);

    mounted.empty();
    mounted.resize(800);
    await until(async () => (await started.client.request('POST', path, { body: configMap('after') })).status === 201);
    await until(async () => (await started.at(victim).request('GET', '/readyz')).status === 200);
    const expected = [...acknowledged.filter((name) => name !== first), 'after'];
    for (const member of started.members)
      expect(Object.keys(await started.contents(member, path)))
        .to.include.members(expected)
        .and.not.include(first);
    await until(async () => started.cluster.managers.every(({ running }) => running));
  });

  it('keeps a quota, and takes writes again once enough was deleted', async () => {
    const started = (test = await ClusterUnderTest.start({ replicas: 1, apiserverFlags: ['--raft-quota-bytes=8Mi'] }));
    const path = await started.namespace('crowded');
    const big = 'x'.repeat(400_000);
    let count = 0;
    for (; (await started.client.request('POST', path, { body: configMap(`big-${count}`, { big }) })).status === 201; count += 1);
    expect(count, 'objects of 0.4 MB in 8 MiB').to.be.within(5, 30);
    const [only] = started.members as [ClusterMember];
    expect((await started.at(only).request('GET', '/readyz?verbose')).body).to.match(
      /\[!\]storage-space warning: the store is above its quota/,
    );
    await started.client.expect(200, 'DELETE', path);
    // History is compacted automatically while space is short.
    await until(async () => (await started.client.request('POST', path, { body: configMap('after') })).status === 201);
  });
});
