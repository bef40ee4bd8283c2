import { EtcdClient } from '../../../../../server/storage/etcd/client.js';
import { EtcdEngine } from '../../../../../server/storage/etcd/engine.js';
import { Leases } from '../../../../../server/storage/etcd/leases.js';
import { createRaftStorage } from '../../../../../server/storage/raft.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../../../../fixtures/etcdServers.js';
import { selectableFields, storageSuite, type Subject } from '../suite.js';

const noTls = { ca: null, cert: null, key: null };

/** Uses a real etcd, with a key prefix for each test. */
describe('over a real etcd', function () {
  let etcd: EtcdServers;
  let prefixes = 0;

  before(async function () {
    if (!hasEtcd()) return this.skip();
    etcd = await startEtcd();
  });

  after(() => etcd?.stop());

  const subject = async (cached: boolean): Promise<Subject> => {
    const prefix = `/test-${++prefixes}`;
    const client = new EtcdClient({ servers: etcd.urls, tls: noTls });
    const engine = new EtcdEngine({
      client,
      start: `${prefix}/`,
      end: `${prefix}0`,
      leases: new Leases({ client, reuseMs: 60_000, now: () => performance.now() }),
    });
    const storage = createRaftStorage({
      replica: engine,
      prefix,
      selectableFields,
      versionTimeoutMs: 20,
      replayedRevisions: 0,
      cached: () => cached,
    });
    return {
      storage,
      compact: async (version) => {
        await storage.compact(version, 60_000);
      },
      close: () => {
        storage.close();
        engine.stop();
      },
    };
  };

  storageSuite('the storage over etcd', () => subject(true));
  storageSuite('the storage over etcd without a cache', () => subject(false));
});
