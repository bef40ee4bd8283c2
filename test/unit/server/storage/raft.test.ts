import { createRaftStorage, type RaftStorageOptions } from '../../../../server/storage/raft.js';
import { MemoryEngine } from '../../../../server/storage/memoryEngine.js';
import { FakeReplica } from './fakeReplica.js';
import { quick, within } from './raftObjects.js';
import { selectableFields, storageSuite, type Subject } from './suite.js';

const subject = async (options: Partial<RaftStorageOptions>): Promise<Subject> => {
  const storage = createRaftStorage({ replica: new FakeReplica(), selectableFields, ...quick, ...options });
  return {
    storage,
    compact: async (version) => {
      await storage.compact(version, within.timeoutMs);
    },
  };
};

storageSuite('the replicated storage', () => subject({}));
storageSuite('the replicated storage without a cache', () => subject({ cached: () => false }));
storageSuite('the storage over memory', () => subject({ replica: new MemoryEngine() }));
storageSuite('the storage over memory without a cache', () => subject({ replica: new MemoryEngine(), cached: () => false }));
storageSuite('the replicated storage with hardly any history', () => subject({ history: { changesMax: 3 }, past: { statesMax: 1 } }));
