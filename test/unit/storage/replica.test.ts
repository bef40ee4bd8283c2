import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Replica } from '../../../raft/replica-api.js';
import { createReplica } from '../../../raft/replica/local.js';
import { memberId } from '../../../raft/types.js';
import { createRaftStorage } from '../../../server/storage/raft.js';
import { selectableFields, storageSuite } from './suite.js';

/** The whole stack but its thread: one replica on disk, with a part of its keys for each test. */
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
    await replica.barrier({ timeoutMs: 10_000 });
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
        await storage.compact(version, { timeoutMs: 1_000 });
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
        await storage.compact(version, { timeoutMs: 1_000 });
      },
      close: () => storage.close(),
    };
  });
});
