import { expect } from 'chai';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WriteOutcome } from '../../../../raft/replicaApi.js';
import { createReplica } from '../../../../raft/replica/local.js';
import { memberId } from '../../../../raft/types.js';
import { Compaction } from '../../../../server/storage/compaction.js';
import type { Logger } from '../../../../program/log/logger.js';
import { encodeStored } from '../../../../server/storage/encoding.js';
import { KeySpace } from '../../../../server/storage/keys.js';
import { createRaftStorage } from '../../../../server/storage/raft.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const ignore = (): void => {};
const silent: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore, enabled: () => false, named: () => silent };

describe('server/compaction', () => {
  const compactionOver = (state: { version: number; leads: boolean; compacted: number }, compacted: number[]): Compaction =>
    new Compaction({
      version: () => state.version,
      standing: async () => state,
      log: silent,
      compact: async (version) => {
        compacted.push(version);
        return { outcome: 'applied', revision: version as never };
      },
    });

  it('drops what was current one interval ago, on the leader only', async () => {
    const compacted: number[] = [];
    const state = { version: 10, leads: true, compacted: 0 };
    const compaction = compactionOver(state, compacted);
    for (const [version, leads] of [
      [20, true],
      [30, false],
      [40, true],
      [40, true],
    ] as const) {
      Object.assign(state, { version, leads });
      await compaction.turn();
    }
    expect(compacted).to.deep.equal([10, 30, 40]);
  });

  it('waits for intervals longer than timers reach', async () => {
    const compacted: number[] = [];
    const compaction = compactionOver({ version: 10, leads: true, compacted: 0 }, compacted);
    compaction.start(720 * 3_600_000);
    // An overflowing timer would fire within a few turns, as this one does.
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    compaction.stop();
    expect(compacted).to.deep.equal([]);
  });

  it('lets the history of a new cluster begin when the cluster is ready, once', async () => {
    const compacted: number[] = [];
    const turn = (): Promise<void> =>
      new Promise((resolve) => {
        setImmediate(resolve);
      });
    compactionOver({ version: 70, leads: true, compacted: 0 }, compacted).begin();
    await turn();
    compactionOver({ version: 90, leads: true, compacted: 70 }, compacted).begin();
    compactionOver({ version: 90, leads: false, compacted: 0 }, compacted).begin();
    await turn();
    expect(compacted).to.deep.equal([70]);
  });

  /** Every 10 s for a day, with a compaction every 5 minutes. */
  const renewalsPerInterval = 30;
  const intervals = 288;
  const leaseNames = ['a', 'b', 'c', 'd'];
  const keys = new KeySpace('/registry');

  it('keeps the database of leases that are renewed for a day as small as it was in the morning', async function () {
    const directory = temporaryDirectory('leases');
    const id = memberId('one');
    const replica = await createReplica({
      dataDirectory: directory,
      memberId: id,
      initialMembers: [{ id, role: 'voter', address: '127.0.0.1:1' }],
      clusterToken: 'test',
      listenAddress: null,
      tls: null,
      heartbeatIntervalMs: 5,
      electionTimeoutMs: 20,
      logEntriesKept: 100,
    });
    const storage = createRaftStorage({ replica });
    await replica.barrier(10_000);
    await storage.ready();
    const compaction = new Compaction({
      version: () => storage.version,
      log: silent,
      standing: async () => ({ leads: true, compacted: 0 }),
      compact: (version) => storage.compact(version, 10_000),
    });
    let earlyBytes = 0;
    for (let interval = 1; interval <= intervals; interval++) {
      const renewals = Array.from({ length: renewalsPerInterval }, (_, renewal) => leaseNames.map((name) => renew(name, renewal))).flat();
      for (const { outcome } of await Promise.all(renewals)) expect(outcome).to.equal('applied');
      await compaction.turn();
      if (interval === intervals / 3) earlyBytes = sizeOf(directory);
    }
    const dayBytes = sizeOf(directory);
    expect(storage.version).to.be.greaterThan(intervals * renewalsPerInterval * leaseNames.length - 1);
    expect(dayBytes, `after a third of it ${earlyBytes}`).to.be.below(1.5 * earlyBytes);
    storage.close();
    await replica.stop();

    function renew(name: string, renewal: number): Promise<WriteOutcome> {
      const key = { resource: { group: 'coordination.k8s.io', resource: 'leases' }, namespace: 'kube-node-lease', name };
      const object = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: key.namespace },
        spec: { holderIdentity: name, renewal, padding: 'x'.repeat(500) },
      };
      const operation = { type: 'put', key: keys.keyOf(key), value: encodeStored(key, object) } as const;
      return replica.write({ comparisons: [], operations: [operation] }, { timeoutMs: 10_000 });
    }
  });
});

const sizeOf = (directory: string): number =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((file) => statSync(join(directory, file)))
    .filter((stat) => stat.isFile())
    .reduce((sum, { size }) => sum + size, 0);
