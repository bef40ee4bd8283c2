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

const flags = ['--feature-gates=DRAResourcePoolStatus=true'];

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
    expect(pools[0]).to.deep.equal({
      driver: 'd',
      poolName: 'half',
      generation: 1,
      nodeName: 'a',
      validationError: 'pool d/half is incomplete: observed 1/2 slices at generation 1',
    });
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

  it('is reported by nobody without the feature', () => {
    expect(poolStatusController(controllerWorld().environment)).to.equal(null);
  });

  it('is reported once', async () => {
    const world = controllerWorld({ flags });
    world.api.answers.set('/apis/resource.k8s.io/v1alpha3', () => ({ resources: [{ name: 'resourcepoolstatusrequests' }] }));
    world.api.seed(resourceSlices, ...slices);
    world.api.seed(resourceClaims, claim('p', 'x'));
    world.api.seed(resourcePoolStatusRequests, request({ poolName: 'p' }));
    await world.start(poolStatusController);
    await world.settled();
    const { status } = world.api.peek(resourcePoolStatusRequests, 'r') ?? {};
    expect(status).to.deep.include({ poolCount: 1 });
    expect(status?.conditions?.[0]).to.include({ type: 'Complete', status: 'True', message: 'Calculated status for 1 pools' });
    await world.writes();
    world.api.evaporate(resourceClaims, 'n/x');
    expect(await world.writes()).to.deep.equal([]);
    await world.stop();
  });

  it('is reported once the pools are complete', async () => {
    const world = controllerWorld({ flags });
    world.api.answers.set('/apis/resource.k8s.io/v1alpha3', () => ({ resources: [{ name: 'resourcepoolstatusrequests' }] }));
    world.api.seed(resourceSlices, ...slices);
    world.api.seed(resourcePoolStatusRequests, request({ poolName: 'half' }));
    await world.start(poolStatusController);
    expect(await world.writes()).to.deep.equal([]);
    world.api.seed(resourceSlices, slice('rest', 'half', ['u'], 1, 2));
    await world.settled();
    expect(world.api.peek(resourcePoolStatusRequests, 'r')?.status?.pools?.[0]).to.include({ totalDevices: 2, resourceSliceCount: 2 });
    await world.stop();
  });

  it('is kept for an hour, and a request without an answer for a day', async () => {
    const world = controllerWorld({ flags });
    world.api.answers.set('/apis/resource.k8s.io/v1alpha3', () => ({ resources: [{ name: 'resourcepoolstatusrequests' }] }));
    world.api.seed(resourceSlices, ...slices);
    const creationTimestamp = new Date(world.clock.now()).toISOString();
    for (const poolName of ['p', 'half'])
      world.api.seed(resourcePoolStatusRequests, { ...request({ poolName }), metadata: { name: poolName, creationTimestamp } });
    await world.start(poolStatusController);
    const left = (): string[] => ['p', 'half'].filter((name) => world.api.peek(resourcePoolStatusRequests, name) !== undefined);
    await world.advance(3_599_000);
    expect(left()).to.deep.equal(['p', 'half']);
    await world.advance(601_001);
    expect(left()).to.deep.equal(['half']);
    await world.advance(23 * 3_600_000);
    expect(left()).to.deep.equal([]);
    await world.stop();
  });
});
