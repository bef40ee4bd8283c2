import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Replica } from '../../../../raft/replicaApi.js';
import { createReplica } from '../../../../raft/replica/local.js';
import { memberId } from '../../../../raft/types.js';
import { createRaftStorage } from '../../../../server/storage/raft.js';
import { selectableFields, storageSuite } from './suite.js';

/** The whole stack without its thread: one replica on disk, with a key prefix for each test. */
describe('over a real replica', () => {
  let directory: string;
  let replica: Replica;
  let prefixes = 0;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'storage-'));
    const id = memberId('one');
    replica = await createReplica({
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
    await replica.barrier(10_000);
  });

  after(async () => {
    await replica.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  storageSuite('the replicated storage', async () => {
    const storage = createRaftStorage({ replica, prefix: `/test-${++prefixes}`, selectableFields, versionTimeoutMs: 20 });
    return {
      storage,
      compact: async (version) => {
        await storage.compact(version, 60_000);
      },
      close: () => storage.close(),
    };
  });

  storageSuite('the replicated storage without a cache', async () => {
    const storage = createRaftStorage({
      replica,
      prefix: `/test-${++prefixes}`,
      selectableFields,
      versionTimeoutMs: 20,
      cached: () => false,
    });
    return {
      storage,
      compact: async (version) => {
        await storage.compact(version, 60_000);
      },
      close: () => storage.close(),
    };
  });

  it('waits for what another thread of the process may know', async () => {
    let reported = 0;
    const held: (() => void)[] = [];
    let holds = false;
    // Gets changes later than others.
    const late: Replica = Object.create(replica, {
      onChanges: {
        value: (listener: Parameters<Replica['onChanges']>[0]) =>
          replica.onChanges((batch) => {
            if (holds) held.push(() => listener(batch));
            else listener(batch);
          }),
      },
      ...Object.fromEntries(
        (['write', 'barrier', 'range', 'changesSince', 'compact'] as const).map((name) => [name, { value: replica[name].bind(replica) }]),
      ),
    }) as Replica;
    const storage = createRaftStorage({ replica: late, prefix: `/test-${++prefixes}`, published: () => reported });
    await storage.ready();
    expect(storage.caughtUp()).to.equal(undefined);
    holds = true;
    const written = await replica.write(
      { comparisons: [], operations: [{ type: 'put', key: '/elsewhere', value: Buffer.from('{}') }] },
      { timeoutMs: 10_000 },
    );
    if (written.outcome !== 'applied') throw new Error(written.outcome);
    reported = written.revision;
    let known = false;
    const waiting = Promise.resolve(storage.caughtUp()).then(() => {
      known = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(known).to.equal(false);
    for (const take of held.splice(0)) take();
    await waiting;
    expect(storage.version).to.be.at.least(reported);
    expect(storage.caughtUp()).to.equal(undefined);
    storage.close();
  });
});
