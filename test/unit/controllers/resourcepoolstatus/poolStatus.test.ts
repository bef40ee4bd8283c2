import { expect } from 'chai';
import { type ResourceClaim, resourceClaims, type ResourceSlice, resourceSlices } from '../../../../api/types/resource/v1.js';
import { resourcePoolStatusRequests } from '../../../../api/types/resource/v1alpha3.js';
import { poolsOf } from '../../../../controllers/resourcepoolstatus/poolStatus.js';
import { poolStatusController } from '../../../../controllers/resourcepoolstatus/requestController.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const slice = (name: string, pool: string, devices: readonly string[], generation = 1, resourceSliceCount = 1): ResourceSlice => ({
  metadata: { name },
  spec: {
    driver: 'd',
    nodeName: 'a',
    pool: { name: pool, generation, resourceSliceCount },
    devices: devices.map((device) => ({
      name: device,
      ...(device.startsWith('bad') ? { taints: [{ key: 'k', effect: 'NoSchedule' }] } : {}),
    })),
  },
});
const claim = (pool: string, device: string): ResourceClaim => ({
  metadata: { name: device, namespace: 'n' },
  spec: {},
  status: { allocation: { devices: { results: [{ request: 'r', driver: 'd', pool, device }] } } },
});
const request = (more: object = {}): { metadata: { name: string }; spec: { driver: string } } => ({
  metadata: { name: 'r' },
  spec: { driver: 'd', ...more },
});

describe('the state of pools of devices', () => {
  const slices = [
    slice('s', 'p', ['x', 'y', 'bad']),
    slice('old', 'q', ['z'], 1),
    slice('new', 'q', ['z', 'w'], 2),
    slice('part', 'half', ['v'], 1, 2),
  ];
  it('counts the newest generation of each', () => {
    const { pools, poolCount } = poolsOf(request(), slices, [claim('p', 'x'), claim('other', 'y')]);
    expect(poolCount).to.equal(3);
    expect(pools[0]).to.include({ poolName: 'half', validationError: '1 of 2 slices are there' });
    expect(pools[1]).to.include({
      poolName: 'p',
      nodeName: 'a',
      totalDevices: 3,
      allocatedDevices: 1,
      unavailableDevices: 1,
      availableDevices: 1,
    });
    expect(pools[2]).to.include({ poolName: 'q', generation: 2, totalDevices: 2, availableDevices: 2, resourceSliceCount: 1 });
    expect(poolsOf(request({ limit: 1 }), slices, []))
      .to.deep.include({ poolCount: 3 })
      .and.to.have.property('pools')
      .with.length(1);
    expect(poolsOf(request({ poolName: 'q' }), slices, []).poolCount).to.equal(1);
  });

  it('is told once', async () => {
    const world = controllerWorld();
    world.api.answers.set('/apis/resource.k8s.io/v1alpha3', () => ({ resources: [{ name: 'resourcepoolstatusrequests' }] }));
    world.api.seed(resourceSlices, ...slices);
    world.api.seed(resourceClaims, claim('p', 'x'));
    world.api.seed(resourcePoolStatusRequests, request({ poolName: 'p' }));
    await world.start(poolStatusController);
    await world.settled();
    const { status } = world.api.peek(resourcePoolStatusRequests, 'r') ?? {};
    expect(status).to.deep.include({ poolCount: 1 });
    expect(status?.conditions?.[0]).to.include({ type: 'Complete', status: 'True' });
    await world.writes();
    world.api.evaporate(resourceClaims, 'n/x');
    expect(await world.writes()).to.deep.equal([]);
    await world.stop();
  });
});
