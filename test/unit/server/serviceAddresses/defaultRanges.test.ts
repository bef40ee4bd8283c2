import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import { parseRanges, addressRanges } from '../../../../server/serviceAddresses/ranges.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { bootstrap, keepBootstrapped } from '../../../../server/registry/bootstrap.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { follow } from '../../../../server/storage/follow.js';
import { createSample, type Sample } from '../registry/sample.js';

const catalogue = createCatalogue();
const resource = { group: 'networking.k8s.io', resource: 'servicecidrs' };

describe('the object that shows the configured ranges of services', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample({ serviceRanges: '10.0.0.0/24' });
  });
  const start = (...serviceRanges: string[]): Promise<void> => bootstrap({ registry: sample.registry, catalogue, serviceRanges });
  const shown = async (): Promise<unknown> =>
    ((await sample.get('networking.k8s.io/v1/ServiceCIDR', 'kubernetes'))['spec'] as { readonly cidrs: unknown }).cidrs;
  const usedWith = async (ranges: string): Promise<string[]> =>
    (await addressRanges({ storage: sample.storage, ranges: parseRanges(ranges) }, 'IPv4')).map(({ text }) => text);
  /** Releases the object, as its controller does when it is unused. */
  const release = (): Promise<unknown> =>
    sample.registry.update(
      { resource: catalogue.resource(resource.group, 'v1', resource.resource)!, namespace: '', name: 'kubernetes' },
      {
        apply: (current) => ({ ...current, metadata: { ...current?.metadata, name: 'kubernetes', finalizers: [] } }) as ApiObject,
        subresource: '',
        uid: null,
        mayCreate: null,
      },
      ownWrites,
    );

  it('takes in a second range that is configured later, and stays as it is otherwise', async () => {
    await start('10.0.0.0/24');
    expect(await shown()).to.deep.equal(['10.0.0.0/24']);
    await start('10.0.0.0/24', 'fd00:1::/112');
    expect(await shown()).to.deep.equal(['10.0.0.0/24', 'fd00:1::/112']);
    await start('10.0.0.0/24');
    expect(await shown()).to.deep.equal(['10.0.0.0/24', 'fd00:1::/112']);
  });

  it('ends the use of these ranges while it is on its way out', async () => {
    await start('10.0.0.0/24');
    expect(await usedWith('10.0.0.0/24')).to.deep.equal(['10.0.0.0/24']);
    await sample.remove('networking.k8s.io/v1/ServiceCIDR', 'kubernetes');
    expect(await usedWith('10.0.0.0/24')).to.deep.equal([]);
  });

  it('is made anew where it is gone', async () => {
    await start('10.0.0.0/24');
    const kept = keepBootstrapped(sample.storage, { registry: sample.registry, catalogue, serviceRanges: ['10.1.0.0/24'] });
    await kept.synced;
    await sample.remove('networking.k8s.io/v1/ServiceCIDR', 'kubernetes');
    const anew = new Promise<void>((resolve) => {
      const following = follow(sample.storage, resource, {
        put: (object) => {
          if (!JSON.stringify(object.decode()).includes('10.1.0.0/24')) return;
          setImmediate(() => following.stop());
          resolve();
        },
        remove: () => undefined,
      });
    });
    await release();
    await anew;
    kept.stop();
    expect(await shown()).to.deep.equal(['10.1.0.0/24']);
  });

  it('stands beside the service of the API, which is made anew as well', async () => {
    await start('10.0.0.0/24');
    const kept = keepBootstrapped(sample.storage, { registry: sample.registry, catalogue, serviceRanges: ['10.0.0.0/24'] });
    await kept.synced;
    const { uid } = (await sample.get('v1/Service', 'kubernetes')).metadata;
    const anew = new Promise<ApiObject>((resolve) => {
      const following = follow(
        sample.storage,
        { group: '', resource: 'services' },
        {
          put: (object) => {
            if (object.uid === uid) return;
            setImmediate(() => following.stop());
            resolve(object.decode());
          },
          remove: () => undefined,
        },
      );
    });
    await sample.remove('v1/Service', 'kubernetes');
    expect((await anew)['spec']).to.include({ clusterIP: '10.0.0.1' });
    kept.stop();
  });
});
