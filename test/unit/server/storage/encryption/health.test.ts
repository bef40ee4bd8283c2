import { expect } from 'chai';
import { createHealthRegistry } from '../../../../../program/health.js';
import { addHealthChecks, remembered } from '../../../../../server/assembly/healthChecks.js';
import { kmsV1 } from '../../../../../server/storage/encryption/kms/v1.js';
import { KeyPlugin } from '../../../../fixtures/keyPlugin.js';

describe('encryption, health of key services', () => {
  it('asks again only after a while, sooner when it was bad, and once for all who ask at a time', async () => {
    let now = 0;
    let asked = 0;
    let broken = false;
    const check = remembered(
      () => {
        asked++;
        return broken ? Promise.reject(new Error('out of order')) : Promise.resolve();
      },
      () => now,
    );
    await Promise.all([check(), check()]);
    now = 19_999;
    await check();
    expect(asked).to.equal(1);
    broken = true;
    now = 20_000;
    expect(
      await check().then(
        () => null,
        (error: Error) => error.message,
      ),
    ).to.equal('out of order');
    now = 22_999;
    expect(
      await check().then(
        () => null,
        (error: Error) => error.message,
      ),
    ).to.equal('out of order');
    expect(asked).to.equal(2);
    broken = false;
    now = 23_000;
    await check();
    expect(asked).to.equal(3);
  });

  for (const method of ['Encrypt', 'Decrypt'])
    it(`of version 1 is bad when ${method} fails, in the words of the service`, async () => {
      const plugin = new KeyPlugin();
      await plugin.start();
      const service = kmsV1({ apiVersion: 'v1', name: 'vault', endpoint: plugin.endpoint, cacheSize: null, timeoutMs: 3_000 });
      const health = createHealthRegistry();
      addHealthChecks(health, {
        progress: { synced: true, storageAwaited: true, bootstrapped: true, stopping: false },
        replica: { barrier: () => Promise.resolve({ outcome: 'reached' }) } as never,
        keyServices: { current: () => [service], mayChange: false },
        graceMs: 0,
        awaitsStorage: false,
        healthTimeoutMs: 1_000,
        readyTimeoutMs: 1_000,
      });
      plugin.brokenMethod = method;
      expect(await health.single('healthz', 'kms-provider-0')).to.deep.include({
        code: 500,
        text: 'internal server error: rpc error: code = Internal desc = out of order\n',
      });
      plugin.brokenMethod = null;
      await service.check();
      service.close();
      plugin.stop();
    });
});
