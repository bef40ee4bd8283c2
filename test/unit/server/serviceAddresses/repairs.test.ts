import { expect } from 'chai';
import { ClaimRepairs } from '../../../../server/assembly/claimRepairs.js';
import { createRepairMetrics } from '../../../../server/serviceAddresses/metrics.js';
import { createMetrics } from '../../../../server/http/metrics.js';
import type { StoredObject } from '../../../../server/storage/contract.js';
import { follow } from '../../../../server/storage/follow.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { recordingLogger } from '../../../fixtures/frontDoor.js';

describe('repairs of claims', () => {
  const countedOver = async (broken: boolean, ports: boolean): Promise<readonly (number | undefined)[]> => {
    const storage = createMemoryStorage();
    if (broken) storage.list = () => Promise.resolve({ outcome: 'unavailable', reason: 'the disk is full' });
    const metrics = createMetrics({}, false);
    const repairs = new ClaimRepairs({
      storage,
      log: recordingLogger([]),
      now: () => '2030-01-01T00:00:00Z',
      ports: ports ? { first: 30_000, last: 30_009, reserved: 0 } : null,
      failed: createRepairMetrics(metrics.registry),
    });
    await repairs.begin();
    await repairs.stop();
    const names = ['clusterip', 'nodeport'].map((what) => `apiserver_${what}_repair_reconcile_errors_total`);
    return Promise.all(names.map(async (name) => (await shownSeries(metrics.registry, name))['']));
  };

  it('follow services that another program writes into the store, once each', async () => {
    const storage = createMemoryStorage();
    const repairs = new ClaimRepairs({
      storage,
      log: recordingLogger([]),
      now: () => '2030-01-01T00:00:00Z',
      ports: null,
      failed: () => undefined,
    });
    await repairs.begin();
    const claimed = new Promise<StoredObject>((resolve) => {
      follow(storage, { group: 'networking.k8s.io', resource: 'ipaddresses' }, { put: resolve, remove: () => undefined });
    });
    const foreign = (name: string): Promise<unknown> =>
      storage.create(
        { resource: { group: '', resource: 'services' }, namespace: 'n', name },
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name, namespace: 'n' },
          spec: { type: 'ClusterIP', clusterIP: '10.0.0.11', clusterIPs: ['10.0.0.11'] },
        },
        { timeoutMs: 1_000 },
      );
    await foreign('first');
    const claim = await claimed;
    await foreign('second');
    await repairs.stop();
    expect([claim.name, claim.labels['ipaddress.kubernetes.io/managed-by']]).to.deep.equal(['10.0.0.11', 'ipallocator.k8s.io']);
    expect(claim.decode()['spec']).to.deep.equal({ parentRef: { resource: 'services', namespace: 'n', name: 'first' } });
  });

  it('are counted when they do not come to an end', async () => {
    expect(await countedOver(false, false)).to.deep.equal([0, 0]);
    expect(await countedOver(true, false)).to.deep.equal([1, 1]);
    expect(await countedOver(true, true)).to.deep.equal([1, 1]);
  });
});
