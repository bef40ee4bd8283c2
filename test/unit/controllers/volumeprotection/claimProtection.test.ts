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
    // The claim is deleted and a pod bound, while the watch of pods lags.
    world.api.before = ({ verb, type }) => {
      if (verb === 'list' && type === 'pods' && !world.api.peek(pods, 'n/p')) world.api.seed(pods, pod('n1'));
    };
    world.api.change(persistentVolumeClaims, 'n/c', (before) => ({
      ...before,
      metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    expect(await finalizers()).to.deep.equal([]);
  });

  it('says since when no pod has used a claim, where that is to be said', async () => {
    await world.stop();
    world = controllerWorld({ flags: ['--feature-gates=PersistentVolumeClaimUnusedSinceTime=true'] });
    const reported = async (): Promise<unknown> =>
      (await world.writes()).map(({ body }) =>
        ((body as PersistentVolumeClaim).status?.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]),
      );
    const resizing = { type: 'Resizing', status: 'True' };
    world.api.seed(persistentVolumeClaims, { ...claim({ finalizers: [finalizer] }), status: { conditions: [resizing] } });
    await world.start(claimProtectionController);
    const yes = ['Unused', 'True', 'NoPodsUsingPVC'];
    const no = ['Unused', 'False', 'PodUsingPVC'];
    const beside = ['Resizing', 'True', undefined];
    expect(await reported()).to.deep.equal([[beside, yes]]);
    world.api.seed(pods, pod(''));
    expect(await reported(), 'a pod that waits for a node').to.deep.equal([[beside, no]]);
    world.api.change(pods, 'n/p', (before) => ({ ...before, metadata: { ...before.metadata, labels: { a: 'b' } } }));
    expect(await reported(), 'nothing new').to.deep.equal([]);
    world.api.change(pods, 'n/p', (before) => ({ ...before, status: { phase: 'Failed' } }));
    expect(await reported(), 'a pod that has ended').to.deep.equal([[beside, yes]]);
  });

  it('says nothing of use otherwise', async () => {
    world.api.seed(persistentVolumeClaims, claim({ finalizers: [finalizer] }));
    await world.start(claimProtectionController);
    world.api.seed(pods, pod('n1'));
    expect(await world.writes()).to.deep.equal([]);
  });
});
