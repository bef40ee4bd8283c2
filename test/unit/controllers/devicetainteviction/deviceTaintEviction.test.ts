import { expect } from 'chai';
import { type Pod, pods } from '../../../../api/types/core/v1.js';
import { type ResourceClaim, resourceClaims, type ResourceSlice, resourceSlices } from '../../../../api/types/resource/v1.js';
import { type DeviceTaintRule, deviceTaintRules } from '../../../../api/types/resource/v1beta2.js';
import { deviceTaintEvictionController } from '../../../../controllers/devicetainteviction/deviceTaintEviction.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const pod: Pod = { metadata: { name: 'p', namespace: 'n', uid: 'u', finalizers: ['hold'] }, spec: { nodeName: 'a' } };
const claim = (tolerations: readonly object[] = []): ResourceClaim => ({
  metadata: { name: 'c', namespace: 'n' },
  spec: {},
  status: {
    reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }],
    allocation: { devices: { results: [{ request: 'r', driver: 'd', pool: 'q', device: 'dev', tolerations }] } },
  },
});
const slice = (effect: string | null): ResourceSlice => ({
  metadata: { name: 's' },
  spec: {
    driver: 'd',
    pool: { name: 'q', generation: 1, resourceSliceCount: 1 },
    devices: [
      { name: 'dev', ...(effect ? { taints: [{ key: 'broken', effect, timeAdded: '2026-01-01T00:00:00Z' }] } : {}) },
      { name: 'other' },
    ],
  },
});

describe('the device taint eviction controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
    world.api.seed(pods, pod);
  });
  afterEach(() => world.stop());
  const leaves = (): boolean => world.api.peek(pods, 'n/p')?.metadata.deletionTimestamp !== undefined;

  it('deletes a pod whose device is tainted, and says so', async () => {
    world.api.seed(resourceClaims, claim());
    world.api.seed(resourceSlices, slice(null));
    await world.start(deviceTaintEvictionController);
    world.api.change(resourceSlices, 's', () => slice('NoSchedule'));
    await world.settled();
    expect(leaves()).to.equal(false);
    world.api.change(resourceSlices, 's', () => slice('NoExecute'));
    await world.settled();
    expect(leaves()).to.equal(true);
    expect(world.api.peek(pods, 'n/p')?.status?.conditions?.[0]).to.include({
      type: 'DisruptionTarget',
      reason: 'DeletionByDeviceTaintManager',
    });
    expect(world.events).to.deep.equal(['Normal DeviceTaintManagerEviction n/p: Marking for deletion']);
  });

  it('waits as long as the claim bears it, from when the taint came', async () => {
    world.api.seed(resourceClaims, claim([{ key: 'broken', operator: 'Exists', tolerationSeconds: 30 }]));
    world.api.seed(resourceSlices, slice('NoExecute'));
    await world.clock.advance(20_000);
    await world.start(deviceTaintEvictionController);
    await world.advance(9_000);
    expect(leaves()).to.equal(false);
    await world.advance(1_001);
    expect(leaves()).to.equal(true);
  });

  it('heeds rules where the server has them', async () => {
    world.api.answers.set('/apis/resource.k8s.io/v1beta2', () => ({ resources: [{ name: 'devicetaintrules' }] }));
    world.api.seed(resourceClaims, claim());
    world.api.seed(resourceSlices, slice(null));
    await world.start(deviceTaintEvictionController);
    world.api.seed(deviceTaintRules, {
      metadata: { name: 'other' },
      spec: { deviceSelector: { pool: 'x' }, taint: { key: 'k', effect: 'NoExecute' } },
    });
    await world.settled();
    expect(leaves()).to.equal(false);
    world.api.seed(deviceTaintRules, {
      metadata: { name: 'r' },
      spec: { deviceSelector: { driver: 'd' }, taint: { key: 'k', effect: 'NoExecute' } },
    });
    await world.settled();
    expect(leaves()).to.equal(true);
  });

  describe('rules', () => {
    const rule = (deviceSelector: object | undefined, effect = 'NoExecute'): DeviceTaintRule => ({
      metadata: { name: 'r', uid: 'r1', generation: 1 },
      spec: { ...(deviceSelector === undefined ? {} : { deviceSelector }), taint: { key: 'k', effect } },
    });
    const start = async (pod2: Pod = pod): Promise<void> => {
      world.api.answers.set('/apis/resource.k8s.io/v1beta2', () => ({ resources: [{ name: 'devicetaintrules' }] }));
      world.api.change(pods, 'n/p', () => pod2);
      world.api.seed(resourceClaims, claim());
      world.api.seed(resourceSlices, slice(null));
      await world.start(deviceTaintEvictionController);
    };
    const reported = (): unknown => {
      const condition = world.api.peek(deviceTaintRules, 'r')?.status?.conditions?.[0];
      return condition === undefined ? null : [condition.type, condition.status, condition.reason, condition.message];
    };

    it('without a selector taint nothing, those with an empty one everything', async () => {
      await start();
      world.api.seed(deviceTaintRules, rule(undefined));
      await world.settled();
      expect([leaves(), reported()]).to.deep.equal([false, ['EvictionInProgress', 'False', 'NotStarted', '']]);
      world.api.change(deviceTaintRules, 'r', () => rule({}));
      await world.settled();
      expect(leaves()).to.equal(true);
    });

    it('evict no pod before it is on a node', async () => {
      await start({ ...pod, spec: {} });
      world.api.seed(deviceTaintRules, rule({}));
      await world.settled();
      expect(leaves()).to.equal(false);
      world.api.change(pods, 'n/p', (present) => ({ ...present, spec: { nodeName: 'a' } }));
      await world.settled();
      expect(leaves()).to.equal(true);
    });

    it('tell how evictions go, every ten seconds at most', async () => {
      await start();
      world.api.change(resourceClaims, 'n/c', () => claim([{ key: 'k', operator: 'Exists', tolerationSeconds: 30 }]));
      world.api.seed(deviceTaintRules, rule({ device: 'dev' }));
      await world.settled();
      const pending = ['EvictionInProgress', 'True', 'PodsPendingEviction', '1 pod needs to be evicted in 1 namespace.'];
      expect(reported()).to.deep.equal(pending);
      await world.advance(30_001);
      expect([leaves(), reported()]).to.deep.equal([true, pending]);
      await world.advance(10_000);
      expect(reported()).to.deep.equal(['EvictionInProgress', 'False', 'Completed', '1 pod evicted since starting the controller.']);
    });

    it('without an effect tell what they would do', async () => {
      await start();
      world.api.seed(deviceTaintRules, rule({ driver: 'd' }, 'None'));
      await world.settled();
      expect(leaves()).to.equal(false);
      expect(reported()).to.deep.equal([
        'EvictionInProgress',
        'False',
        'NoEffect',
        '2 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. ' +
          'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
      ]);
    });

    it('of another effect say that they evict nobody', async () => {
      await start();
      world.api.seed(deviceTaintRules, rule({}, 'NoSchedule'));
      await world.settled();
      expect(reported()).to.deep.equal(['EvictionInProgress', 'False', 'OtherEffect', 'Eviction only happens for the NoExecute effect.']);
    });
  });
});
