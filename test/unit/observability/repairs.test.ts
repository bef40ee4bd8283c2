import { expect } from 'chai';
import { ClaimRepairs } from '../../../server/assembly/claimRepairs.js';
import { createRepairMetrics } from '../../../server/kinds/core/service/metrics.js';
import { createMetrics } from '../../../server/http/metrics.js';
import { createMemoryStorage } from '../../../server/storage/memory.js';
import { shownSeries } from '../../fixtures/shownSeries.js';
import { recordingLogger } from '../http/frontDoor.js';

describe('repairs of claims', () => {
  const countedOver = async (broken: boolean, ports: boolean): Promise<readonly (number | undefined)[]> => {
    const storage = createMemoryStorage();
    if (broken) storage.list = () => Promise.resolve({ outcome: 'unavailable', reason: 'the disk is full' });
    const metrics = createMetrics({}, { ofProcess: false });
    const repairs = new ClaimRepairs({
      storage,
      log: recordingLogger([]),
      now: () => '2030-01-01T00:00:00Z',
      ports: ports ? { first: 30_000, last: 30_009, reserved: 0 } : null,
      failed: createRepairMetrics(metrics.registry),
    });
    await repairs.begin();
    repairs.stop();
    const names = ['clusterip', 'nodeport'].map((what) => `apiserver_${what}_repair_reconcile_errors_total`);
    return Promise.all(names.map(async (name) => (await shownSeries(metrics.registry, name))['']));
  };

  it('are counted when they do not come to an end', async () => {
    expect(await countedOver(false, false)).to.deep.equal([0, 0]);
    expect(await countedOver(true, false)).to.deep.equal([1, 1]);
    expect(await countedOver(true, true)).to.deep.equal([1, 1]);
  });
});
