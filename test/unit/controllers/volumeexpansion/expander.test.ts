import { expect } from 'chai';
import { type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from '../../../../api/types/core/v1.js';
import { volumeExpander, wantsMore } from '../../../../controllers/volumeexpansion/expander.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const claim = (requested: string, given: string, phase = 'Bound'): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'n', uid: 'u' },
  spec: { volumeName: 'v', resources: { requests: { storage: requested } } },
  status: { phase, capacity: { storage: given } },
});

describe('the expansion of volumes', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const seedVolume = (uid: string): void => {
    world.api.seed(persistentVolumes, { metadata: { name: 'v' }, spec: { claimRef: { namespace: 'n', name: 'c', uid } } });
  };

  it('is wanted by bound claims that ask for more than they have', () => {
    expect(wantsMore(claim('2Gi', '1Gi'))).to.equal(true);
    expect(wantsMore(claim('1025Mi', '1Gi'))).to.equal(true);
    expect(wantsMore(claim('1Gi', '1024Mi'))).to.equal(false);
    expect(wantsMore(claim('1Gi', '2Gi'))).to.equal(false);
    expect(wantsMore(claim('2Gi', '1Gi', 'Pending'))).to.equal(false);
    expect(wantsMore({ metadata: { name: 'c' }, status: { phase: 'Bound' } })).to.equal(false);
  });

  it('is left to the driver, which an event of the claim tells', async () => {
    seedVolume('u');
    world.api.seed(persistentVolumeClaims, claim('1Gi', '1Gi'));
    await world.start(volumeExpander);
    expect(world.events).to.deep.equal([]);
    world.api.change(persistentVolumeClaims, 'n/c', () => claim('2Gi', '1Gi'));
    await world.settled();
    expect(world.events).to.deep.equal(['Normal ExternalExpanding n/c: waiting for an external controller to expand this PVC']);
    // An unrelated change does not repeat the event.
    world.api.change(persistentVolumeClaims, 'n/c', (present) => ({ ...present, metadata: { ...present.metadata, labels: { a: 'b' } } }));
    await world.settled();
    expect(world.events).to.have.length(1);
    world.api.change(persistentVolumeClaims, 'n/c', () => claim('3Gi', '1Gi'));
    await world.settled();
    expect(world.events).to.have.length(2);
    expect(await world.writes()).to.deep.equal([]);
  });

  it('is reported once the claim is bound', async () => {
    seedVolume('u');
    world.api.seed(persistentVolumeClaims, claim('2Gi', '1Gi', 'Pending'));
    await world.start(volumeExpander);
    expect(world.events).to.deep.equal([]);
    world.api.change(persistentVolumeClaims, 'n/c', () => claim('2Gi', '1Gi'));
    await world.settled();
    expect(world.events).to.have.length(1);
  });

  it('is no concern of a claim whose volume belongs to another one', async () => {
    seedVolume('other');
    world.api.seed(persistentVolumeClaims, claim('2Gi', '1Gi'));
    await world.start(volumeExpander);
    expect(world.events).to.deep.equal([]);
  });
});
