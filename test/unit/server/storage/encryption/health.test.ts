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

  const startPlugin = async (name: string): Promise<{ plugin: KeyPlugin; service: ReturnType<typeof kmsV1> }> => {
    const plugin = new KeyPlugin();
    await plugin.start();
    return { plugin, service: kmsV1({ apiVersion: 'v1', name, endpoint: plugin.endpoint, cacheSize: null, timeoutMs: 3_000 }) };
  };
  const healthOf = (services: readonly ReturnType<typeof kmsV1>[], mayChange: boolean): ReturnType<typeof createHealthRegistry> => {
    const health = createHealthRegistry();
    addHealthChecks(health, {
      progress: { synced: true, storageAwaited: true, bootstrapped: true, stopping: false },
      replica: { barrier: () => Promise.resolve({ outcome: 'reached' }) } as never,
      keyServices: { current: () => services, mayChange },
      graceMs: 0,
      awaitsStorage: false,
      healthTimeoutMs: 1_000,
      readyTimeoutMs: 1_000,
    });
    return health;
  };
  const failure = 'rpc error: code = Internal desc = out of order';
  const said = (text: string): object => ({ code: 500, text: `internal server error: ${text}\n` });

  for (const method of ['Encrypt', 'Decrypt'])
    it(`of version 1 is bad when ${method} fails, which is named once, and then in the words of the service`, async () => {
      const { plugin, service } = await startPlugin('vault');
      const health = healthOf([service], false);
      plugin.brokenMethod = method;
      expect(await health.single('healthz', 'kms-provider-0')).to.deep.include(
        said(`failed to perform ${method.toLowerCase()} section of the healthz check for KMS Provider vault, error: ${failure}`),
      );
      expect(await health.single('healthz', 'kms-provider-0')).to.deep.include(said(failure));
      plugin.brokenMethod = null;
      expect(await health.single('healthz', 'kms-providers'), 'which is for version 2 alone').to.equal(null);
      await service.check();
      service.close();
      plugin.stop();
    });

  it('names every service that is bad where the configuration may change', async () => {
    const both = [await startPlugin('first'), await startPlugin('second')];
    const health = healthOf(
      both.map(({ service }) => service),
      true,
    );
    for (const { plugin } of both) plugin.brokenMethod = 'Encrypt';
    await health.single('healthz', 'kms-providers');
    expect(await health.single('healthz', 'kms-providers')).to.deep.include(
      said(`[kms-provider-0: ${failure}, kms-provider-1: ${failure}]`),
    );
    for (const { plugin, service } of both) {
      service.close();
      plugin.stop();
    }
  });
});
