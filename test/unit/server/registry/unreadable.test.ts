import { expect } from 'chai';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { ApiObject } from '../../../../api/object.js';
import type { ListQuery, WriteOptions } from '../../../../server/registry/contract.js';
import type { Target } from '../../../../server/registry/target.js';
import { noDeleteOptions } from '../../../../server/registry/deletion.js';
import { createRegistry } from '../../../../server/registry/store.js';
import { DamagedListError, DamagedValueError } from '../../../../server/storage/encoding.js';
import { createRaftStorage } from '../../../../server/storage/raft.js';
import { revision } from '../../../../raft/types.js';
import { FakeReplica } from '../storage/fakeReplica.js';
import { refusal } from './sample.js';

const options: WriteOptions = {
  user: { name: 'u', uid: '', groups: [], extra: {} },
  manager: 'm',
  dryRun: false,
  timeoutMs: 1000,
  warn: () => undefined,
};

const everything: ListQuery = { namespace: null, labels: [], fields: [], consistency: { at: 'mostRecent' }, limit: null, after: null };

for (const cached of [true, false]) {
  describe(`objects whose value is damaged in the store, ${cached ? 'cached' : 'not cached'}`, () => {
    const replica = new FakeReplica();
    const storage = createRaftStorage({ replica, cached: () => cached });
    const registry = createRegistry({ storage });
    const resource = createCatalogue().resource('scheduling.k8s.io', 'v1', 'priorityclasses');
    const target = (name: string): Target => {
      if (resource === null) throw new Error('no such resource');
      return { resource, namespace: '', name };
    };
    const object = (name: string): ApiObject =>
      ({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name, finalizers: ['example.com/hold'] },
        value: 1,
      }) as ApiObject;
    after(() => {
      storage.close();
    });

    it('can be removed unread, and only they', async () => {
      await storage.ready();
      for (const name of ['broken', 'whole']) await registry.create(target(''), object(name), options);
      const { outcome, ...page } = await replica.range({ start: '/', end: null, revision: null, limit: null, countRemaining: false });
      const key = outcome === 'found' && 'items' in page ? page.items.find((item) => item.key.endsWith('/broken'))?.key : undefined;
      await replica.write({ comparisons: [], operations: [{ type: 'put', key: key ?? '', value: Buffer.from('damaged') }] });

      const reading = await registry.get(target('broken'), { at: 'mostRecent' }).catch((error: unknown) => error);
      expect(reading).to.be.instanceOf(DamagedValueError);
      const listing = await registry.list(target('').resource, everything).catch((error: unknown) => error);
      expect(listing).to.be.instanceOf(DamagedListError);
      expect((listing as DamagedListError).damaged.map(({ key }) => key.name)).to.deep.equal(['broken']);
      expect(await registry.delete(target('broken'), noDeleteOptions, options).catch((error: unknown) => error)).to.be.instanceOf(
        DamagedValueError,
      );
      expect((await refusal(registry.deleteUnreadable(target('whole'), options))).code).to.equal(422);
      await registry.deleteUnreadable(target('broken'), options);
      expect((await refusal(registry.get(target('broken'), { at: 'mostRecent' }))).code).to.equal(404);
      expect((await refusal(registry.deleteUnreadable(target('broken'), options))).code).to.equal(422);
      expect((await registry.get(target('whole'), { at: 'mostRecent' })).name).to.equal('whole');
      expect(replica.revision).to.be.greaterThan(revision(1));
    });
  });
}
