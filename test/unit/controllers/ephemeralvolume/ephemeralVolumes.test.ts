import { expect } from 'chai';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods } from '../../../../api/types/core/v1.js';
import { ephemeralVolumeController } from '../../../../controllers/ephemeralvolume/ephemeralVolumes.js';
import { volumeExpander, wantsMore } from '../../../../controllers/volumeexpansion/expander.js';
import { persistentVolumes } from '../../../../api/types/core/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const pod: Pod = {
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: {
    volumes: [
      { name: 'plain', emptyDir: {} },
      { name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: { accessModes: ['ReadWriteOnce'] } } } },
    ],
  },
};

describe('the ephemeral volume controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
    world.api.seed(pods, pod);
  });
  afterEach(() => world.stop());

  it('makes the claim, and makes it again', async () => {
    await world.start(ephemeralVolumeController);
    const { metadata, spec } = world.api.peek(persistentVolumeClaims, 'n/p-v') ?? { metadata: {} };
    expect(metadata.labels).to.deep.equal({ a: 'b' });
    expect(spec).to.deep.equal({ accessModes: ['ReadWriteOnce'] });
    expect(metadata.ownerReferences?.[0]).to.include({ kind: 'Pod', name: 'p', uid: 'u', controller: true, blockOwnerDeletion: true });
    world.api.evaporate(persistentVolumeClaims, 'n/p-v');
    await world.settled();
    expect(world.api.peek(persistentVolumeClaims, 'n/p-v')).to.not.equal(undefined);
    expect(world.counts.get('ephemeral_volume_controller_create_total {}')).to.equal(2);
  });

  it('does not take the claim of somebody else', async () => {
    world.api.seed(persistentVolumeClaims, { metadata: { name: 'p-v', namespace: 'n' } });
    await world.start(ephemeralVolumeController);
    expect(world.events[0]).to.contain('Warning FailedBinding n/p');
    expect((await world.writes()).length).to.equal(0);
  });
});

describe('the volume expander', () => {
  const claim = (requested: string): PersistentVolumeClaim => ({
    metadata: { name: 'c', namespace: 'n', uid: 'u' },
    spec: { volumeName: 'v', resources: { requests: { storage: requested } } },
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  });

  it('sees what wants more', () => {
    expect(wantsMore(claim('2Gi'))).to.equal(true);
    expect(wantsMore(claim('1024Mi'))).to.equal(false);
    expect(wantsMore({ ...claim('2Gi'), status: { phase: 'Pending' } })).to.equal(false);
  });

  it('tells who is waited for', async () => {
    const world = controllerWorld();
    world.api.seed(persistentVolumes, { metadata: { name: 'v' }, spec: { claimRef: { uid: 'u' } } });
    world.api.seed(persistentVolumeClaims, claim('1Gi'));
    await world.start(volumeExpander);
    expect(world.events).to.deep.equal([]);
    world.api.change(persistentVolumeClaims, 'n/c', () => claim('2Gi'));
    await world.settled();
    expect(world.events[0]).to.contain('Normal ExternalExpanding n/c');
    await world.stop();
  });
});
