import { expect } from 'chai';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Pod, pods } from '../../../../api/types/core/v1.js';
import { claimProtectionController } from '../../../../controllers/volumeprotection/claimProtection.js';
import { uses } from '../../../../controllers/volumeprotection/claimUse.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const finalizer = 'kubernetes.io/pvc-protection';
const claim = (metadata: PersistentVolumeClaim['metadata'] = {}): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'n', ...metadata },
});
const going = (): PersistentVolumeClaim => claim({ finalizers: [finalizer, 'mine'], deletionTimestamp: '2026-01-01T00:00:00Z' });
const pod = (nodeName: string, volume: object = { persistentVolumeClaim: { claimName: 'c' } }, name = 'p'): Pod => ({
  metadata: { name, namespace: 'n', uid: `u-${name}` },
  spec: { ...(nodeName ? { nodeName } : {}), volumes: [{ name: 'v', ...volume }] },
});

describe('claims that pods use', () => {
  const own = claim({ name: 'p-v', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u-p', controller: true }] });
  const cases: readonly (readonly [string, Pod, PersistentVolumeClaim, boolean])[] = [
    ['of a pod on a node', pod('n1'), claim(), true],
    ['of a pod that waits for one', pod(''), claim(), false],
    ['of another name', pod('n1'), claim({ name: 'd' }), false],
    ['made for the pod', pod('n1', { ephemeral: {} }), own, true],
    ['of that name but not made for it', pod('n1', { ephemeral: {} }), claim({ name: 'p-v' }), false],
    ['of a pod that has ended', { ...pod('n1'), status: { phase: 'Succeeded' } }, claim(), true],
  ];
  for (const [what, by, of, wanted] of cases) it(what, () => expect(uses(by, of)).to.equal(wanted));
});

describe('the claim protection controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const finalizers = async (): Promise<unknown> =>
    (await world.writes()).map(({ verb, body }) => [verb, (body as PersistentVolumeClaim).metadata.finalizers]);

  it('protects every claim', async () => {
    world.api.seed(persistentVolumeClaims, claim());
    await world.start(claimProtectionController);
    expect(await finalizers()).to.deep.equal([['update', [finalizer]]]);
  });

  it('releases a deleted claim when the last pod is gone', async () => {
    world.api.seed(persistentVolumeClaims, going());
    world.api.seed(pods, pod('n1'), pod('', {}, 'q'));
    await world.start(claimProtectionController);
    expect(await finalizers()).to.deep.equal([]);
    world.api.evaporate(pods, 'n/p');
    expect(await finalizers()).to.deep.equal([['update', ['mine']]]);
  });

  it('asks the server before it releases', async () => {
    world.api.seed(persistentVolumeClaims, claim({ finalizers: [finalizer] }));
    await world.start(claimProtectionController);
    // The claim is deleted and a pod bound, and the watch of pods is behind.
    world.api.before = ({ verb, type }) => {
      if (verb === 'list' && type === 'pods' && !world.api.peek(pods, 'n/p')) world.api.seed(pods, pod('n1'));
    };
    world.api.change(persistentVolumeClaims, 'n/c', (before) => ({
      ...before,
      metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    expect(await finalizers()).to.deep.equal([]);
  });
});
