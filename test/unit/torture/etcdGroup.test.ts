import { expect } from 'chai';
import path from 'node:path';
import { hasEtcd } from '../../fixtures/etcdServers.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { EtcdGroup } from '../../torture/cluster/etcdGroup.js';
import { PeerNetwork } from '../../torture/cluster/peerNetwork.js';

describe('torture/etcdGroup', function () {
  it('goes through the network of the torture, which can cut a leader off, and says how far history is gone', async function () {
    if (!hasEtcd()) this.skip();
    const pids = new Map<string, number>();
    const network = new PeerNetwork(
      () => pids,
      () => 0,
    );
    const directory = temporaryDirectory('etcd-group');
    const group = await EtcdGroup.start(
      network,
      (name) => path.join(directory, `${name}.log`),
      (members) => {
        for (const { name, process } of members) pids.set(name, process.pid ?? 0);
      },
    );
    try {
      expect(await group.whole(30_000)).to.equal(true);
      const first = await group.leader();
      await group.put('/a');
      await group.put('/a');
      expect(await group.compacted()).to.equal(0);
      expect(await group.compact()).to.equal(3);
      expect(await group.compacted()).to.equal(3);
      for (const { name } of group.members)
        for (const [from, to] of [
          [name, first!.name],
          [first!.name, name],
        ] as const)
          if (from !== to) network.set(from, to, { cut: true });
      for (;;) {
        const next = await group.leader([first!.name]);
        if (next !== null && next !== first) break;
      }
      network.heal();
      expect(await group.whole(30_000)).to.equal(true);
      expect(await group.defragment(group.members[0]!)).to.equal(true);
    } finally {
      await group.stop();
      network.close();
    }
  });
});
