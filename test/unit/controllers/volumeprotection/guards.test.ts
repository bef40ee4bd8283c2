import { expect } from 'chai';
import { persistentVolumeClaims, persistentVolumes } from '../../../../api/types/core/v1.js';
import { volumeAttributesClasses } from '../../../../api/types/storage/v1.js';
import { attributesClassProtectionController } from '../../../../controllers/volumeprotection/attributesClassProtection.js';
import { guarded } from '../../../../controllers/volumeprotection/finalizers.js';
import { volumeProtectionController } from '../../../../controllers/volumeprotection/volumeProtection.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const deletionTimestamp = '2026-01-01T00:00:00Z';

describe('what is protected', () => {
  it('gets its finalizer, and loses it when it goes and nobody uses it', () => {
    expect(guarded({ metadata: {} }, 'f', true)).to.deep.equal(['f']);
    expect(guarded({ metadata: { finalizers: ['f'] } }, 'f', false)).to.equal(null);
    expect(guarded({ metadata: { finalizers: ['e', 'f'], deletionTimestamp } }, 'f', true)).to.equal(null);
    expect(guarded({ metadata: { finalizers: ['e', 'f'], deletionTimestamp } }, 'f', false)).to.deep.equal(['e']);
    expect(guarded({ metadata: { deletionTimestamp } }, 'f', false)).to.equal(null);
  });
});

describe('the controllers that protect volumes and classes', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('let a volume go when it is bound no more', async () => {
    const finalizers = ['kubernetes.io/pv-protection'];
    world.api.seed(
      persistentVolumes,
      { metadata: { name: 'v', finalizers, deletionTimestamp }, status: { phase: 'Bound' } },
      { metadata: { name: 'w' } },
    );
    await world.start(volumeProtectionController);
    expect(world.api.peek(persistentVolumes, 'w')?.metadata.finalizers).to.deep.equal(finalizers);
    expect(world.api.peek(persistentVolumes, 'v')?.metadata.finalizers).to.deep.equal(finalizers);
    world.api.change(persistentVolumes, 'v', (volume) => ({ ...volume, status: { phase: 'Released' } }));
    await world.settled();
    expect(world.api.peek(persistentVolumes, 'v')).to.equal(undefined);
  });

  it('let a class go when no claim and no volume names it any more', async () => {
    const finalizers = ['kubernetes.io/vac-protection'];
    world.api.seed(volumeAttributesClasses, { metadata: { name: 'k', finalizers, deletionTimestamp }, driverName: 'd' });
    world.api.seed(persistentVolumes, { metadata: { name: 'v' }, spec: { volumeAttributesClassName: 'k' } });
    world.api.seed(persistentVolumeClaims, {
      metadata: { name: 'c', namespace: 'n' },
      spec: {},
      status: { currentVolumeAttributesClassName: 'k' },
    });
    await world.start(attributesClassProtectionController);
    world.api.evaporate(persistentVolumes, 'v');
    await world.settled();
    expect(world.api.peek(volumeAttributesClasses, 'k')).to.not.equal(undefined);
    world.api.change(persistentVolumeClaims, 'n/c', (claim) => ({ ...claim, status: {} }));
    await world.settled();
    expect(world.api.peek(volumeAttributesClasses, 'k')).to.equal(undefined);
  });
});
